import fc from 'fast-check';
import { concat, NEVER, of } from 'rxjs';
import {
  informer,
  InvalidOptionError,
  mergeSources,
  partitionedKey,
  splitPartitionedKey,
  type KubernetesObject,
  type Pod,
  type Source,
  type WatchEventBatch,
  watchEvent,
} from 'rx-informers';
import { aPod } from 'rx-informers/testing';

const { listed } = watchEvent;

/** Texts of few characters, of which those that separate or escape are many. */
const anyName = fc.string({ unit: fc.constantFrom('a', 'x', '/', ':', '%', '2', 'F', '\ud800', 'é'), maxLength: 4 });
const keyByName = ({ metadata }: KubernetesObject): string => metadata?.name ?? '';

describe('partitionedKey', () => {
  it('gives no two objects of different partitions or keys the same key, and both parts can be read again', () => {
    const keyOf = partitionedKey(keyByName);
    fc.assert(
      fc.property(anyName, anyName, anyName, anyName, (partition, name, otherPartition, otherName) => {
        const key = keyOf({ metadata: { name } }, partition);
        const other = keyOf({ metadata: { name: otherName } }, otherPartition);
        expect(key === other).toBe(partition === otherPartition && name === otherName);
        expect(splitPartitionedKey(key)).toEqual({ partition, key: name });
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the names of merged sources', () => {
  const source = (name: string): Source<Pod> =>
    concat(of<WatchEventBatch<Pod>>([listed([aPod({ namespace: 'web', name, resourceVersion: 1 })], '1')]), NEVER);

  it('are refused where two sources make the same partition: a/x, and x in a', () => {
    let failure: unknown;
    mergeSources({ 'a/x': source('p'), a: mergeSources({ x: source('q') }) }).subscribe({
      error: (error: unknown) => (failure = error),
    });

    expect(failure).toBeInstanceOf(InvalidOptionError);
    expect((failure as Error).message).toContain('"a/x"');
  });

  it('are free as long as each source has a partition of its own: an ARN has colons and slashes', () => {
    const arn = 'arn:aws:eks:eu-west-1:1:cluster/a';
    const podInformer = informer(mergeSources({ [arn]: source('p'), a: mergeSources({ x: source('q') }) }), {
      keyOf: partitionedKey(),
    });
    podInformer.connect();

    expect(podInformer.keys().map(splitPartitionedKey)).toEqual([
      { partition: 'a/x', key: 'web/q' },
      { partition: arn, key: 'web/p' },
    ]);
    podInformer.stop();
  });

  it('never make one object replace another, however sources are nested: all are there, or the source fails', () => {
    const name = fc.constantFrom('a', 'x', 'a/x', 'x/a', 'a/x/a', '', '/', '%2F', ':');
    const set = fc.uniqueArray(fc.tuple(name, fc.option(fc.uniqueArray(name, { minLength: 1, maxLength: 3 }))), {
      selector: ([outer]) => outer,
      minLength: 1,
      maxLength: 4,
    });
    let failed = 0;
    fc.assert(
      fc.property(set, (members) => {
        let count = 0;
        const leaf = (): Source<Pod> => {
          count += 1;
          return source('same');
        };
        const merged = mergeSources(
          Object.fromEntries(
            members.map(([outer, inner]) => [
              outer,
              inner === null ? leaf() : mergeSources(Object.fromEntries(inner.map((each) => [each, leaf()]))),
            ]),
          ),
        );
        let failure: unknown;
        let listed = 0;
        const subscription = merged.subscribe({
          next: (batch) => (listed += batch.filter(({ type }) => type === 'LISTED').length),
          error: (error: unknown) => (failure = error),
        });
        subscription.unsubscribe();
        const paths = members.flatMap(([outer, inner]) => inner?.map((each) => `${outer}/${each}`) ?? [outer]);
        const collides = new Set(paths).size < paths.length;
        failed += collides ? 1 : 0;
        expect(failure instanceof InvalidOptionError).toBe(collides);
        expect(listed).toBe(collides ? 0 : count);
      }),
      { numRuns: 500 },
    );
    expect(failed).toBeGreaterThan(0);
  });
});
