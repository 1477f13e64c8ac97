import fc from 'fast-check';
import { type WatchEvent, watchEvent } from 'rx-informers/store';
import { aPod, type Pod } from '../../fixtures/pods.js';

const { added, bookmark, deleted, listed, modified } = watchEvent;

/** A small number of names, so that most events concern existing objects. */
export const NAMES = ['a', 'b', 'c', 'd'] as const;
export const NODES = ['n1', 'n2', 'n3'] as const;

const pod: fc.Arbitrary<Pod> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    node: fc.option(fc.constantFrom(...NODES), { nil: undefined }),
    uid: fc.constantFrom('u1', 'u1', 'u1', 'u2'),
    tags: fc.constantFrom('', 'x', 'y', 'x.y', 'y.z'),
  })
  .map(({ name, node, uid, tags }) => aPod({ name, uid, labels: { tags }, ...(node === undefined ? {} : { node }) }));

const event: fc.Arbitrary<WatchEvent<Pod>> = fc.oneof(
  { weight: 4, arbitrary: pod.map(added) },
  { weight: 4, arbitrary: pod.map(modified) },
  { weight: 3, arbitrary: pod.map(deleted) },
  { weight: 1, arbitrary: fc.array(pod, { maxLength: 5 }).map((pods) => listed(pods)) },
  { weight: 1, arbitrary: fc.constant(bookmark('7')) },
);

/** Generates batches that a source may send, in every order, legal or not. */
export const aHistory = fc.array(fc.array(event, { maxLength: 4 }), { maxLength: 12 });

/** Indexes by `tags`. A pod has any number of tags, and pods share some of them. */
export function byTag({ metadata }: Pod): readonly string[] {
  return (metadata.labels?.['tags'] ?? '').split('.').filter((tag) => tag !== '');
}

export type State = ReadonlyMap<string, Pod>;

/**
 * Returns the expected state after a batch. The state is a Map that is copied for each batch. An
 * object keeps its identity until it changes, so two states have equal content exactly if they
 * contain the same objects.
 */
export function stateAfter(state: State, batch: readonly WatchEvent<Pod>[]): State {
  const next = new Map(state);
  const upsert = (object: Pod): void => {
    const stored = next.get(object.metadata.name);
    if (JSON.stringify(stored) !== JSON.stringify(object)) next.set(object.metadata.name, object);
  };
  for (const occurred of batch) {
    switch (occurred.type) {
      case 'ADDED':
      case 'MODIFIED':
        upsert(occurred.object);
        break;
      case 'DELETED': {
        const { name, uid } = occurred.object.metadata;
        if (next.get(name)?.metadata.uid === uid) next.delete(name);
        break;
      }
      case 'LISTED': {
        const last = new Map(occurred.items.map((object) => [object.metadata.name, object]));
        for (const name of [...next.keys()]) if (!last.has(name)) next.delete(name);
        last.forEach(upsert);
        break;
      }
      default:
    }
  }
  return next;
}

/**
 * Returns true if a batch contains an event about objects. An informer is synced after the first
 * such batch.
 */
export function speaksOfContent(batch: readonly WatchEvent<Pod>[]): boolean {
  return batch.some(({ type }) => type !== 'BOOKMARK');
}

export function bucketOf(state: State, belongs: (pod: Pod) => boolean): readonly Pod[] {
  return [...state.keys()]
    .sort()
    .map((name) => state.get(name) as Pod)
    .filter(belongs);
}
