import fc from 'fast-check';
import type { Pod, Source } from 'rx-informers';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { aPod } from 'rx-informers/testing';
import { concat, defer, of, Subject, timer } from 'rxjs';

const { added, deleted, listed, modified } = watchEvent;

/** Writes that happen together, some time after the previous step. */
export interface HistoryStep {
  readonly wait: number;
  readonly writes: readonly {
    readonly name: string;
    readonly node: string;
    readonly type: 'put' | 'delete' | 'recreate';
  }[];
}

export const anyHistory: fc.Arbitrary<readonly HistoryStep[]> = fc.array(
  fc.record({
    wait: fc.integer({ min: 0, max: 500 }),
    writes: fc.array(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        node: fc.constantFrom('n1', 'n2'),
        type: fc.constantFrom('put', 'put', 'delete', 'recreate'),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  }),
  { minLength: 5, maxLength: 30 },
);

/**
 * Returns a server with the objects that were written so far. It lists them to each subscriber, and
 * then emits later writes.
 */
export function serverOf(steps: readonly HistoryStep[]): {
  readonly source: Source<Pod>;
  /** The time until the last write, in milliseconds. */
  readonly length: number;
  content(): readonly Pod[];
} {
  const objects = new Map<string, Pod>();
  const changes = new Subject<readonly WatchEvent<Pod>[]>();
  let version = 0;
  const write = ({ name, node, type }: HistoryStep['writes'][number]): readonly WatchEvent<Pod>[] => {
    const known = objects.get(name);
    const resourceVersion = ++version;
    if (type !== 'put') objects.delete(name);
    const gone =
      known && deleted({ ...known, metadata: { ...known.metadata, resourceVersion: String(resourceVersion) } });
    if (type === 'delete') return gone ? [gone] : [];
    const uid = known && type === 'put' ? known.metadata.uid : `${name}-${resourceVersion}`;
    const pod = aPod({ name, node, uid, resourceVersion: ++version });
    objects.set(name, pod);
    if (type === 'put') return [known ? modified(pod) : added(pod)];
    return gone ? [gone, added(pod)] : [added(pod)];
  };
  let at = 0;
  for (const { wait, writes } of steps) {
    at += wait;
    timer(at).subscribe(() => changes.next(writes.flatMap(write)));
  }
  const content = (): readonly Pod[] =>
    [...objects.values()].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  return { content, length: at, source: defer(() => concat(of([listed(content(), String(version))]), changes)) };
}
