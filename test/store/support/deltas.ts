import type { Indexers } from 'rx-informers';
import {
  type SnapshotOptions,
  type DeletedDelta,
  type Delta,
  type ReplacedAllDelta,
  type UpsertDelta,
  emptySnapshot,
  type IndexedSnapshot,
  reduceDeltas,
  type IndexedCommit,
} from 'rx-informers/store';
import type { Pod } from '../../fixtures/pods.js';

export const upsert = (object: Pod, partition?: string): UpsertDelta<Pod> => ({
  type: 'Updated',
  key: object.metadata.name,
  object,
  ...(partition !== undefined && { partition }),
});

export const removal = (object: Pod, partition?: string): DeletedDelta<Pod> => ({
  type: 'Deleted',
  key: object.metadata.name,
  object,
  finalStateUnknown: false,
  ...(partition !== undefined && { partition }),
});

export const list = (
  pods: readonly Pod[],
  rest: Partial<Omit<ReplacedAllDelta<Pod>, 'items' | 'type'>> = {},
): ReplacedAllDelta<Pod> => ({
  type: 'ReplacedAll',
  items: pods.map((object) => ({ key: object.metadata.name, object })),
  resourceVersion: '1',
  ...rest,
});

/**
 * The indexes of most tests. The first returns at most one value for an object, the second any
 * number.
 */
export const indexers = {
  node: (pod: Pod) => pod.spec.nodeName,
  values: (pod: Pod) => pod.spec.values,
};

/**
 * Returns the commits that result from applying batches of deltas, one after another, to an empty
 * store.
 */
export function commitsOf<I extends string>(
  input: Indexers<Pod, I>,
  batches: readonly (readonly Delta<Pod>[])[],
  options: SnapshotOptions = {},
): readonly IndexedCommit<Pod, I>[] {
  let snapshot: IndexedSnapshot<Pod, I> = emptySnapshot<Pod, I>(input);
  return batches.map((batch) => {
    const commit = reduceDeltas(snapshot, batch, options);
    snapshot = commit.snapshot;
    return commit;
  });
}

/** Returns a store that has received a list of these pods. */
export function storeOf(...pods: readonly Pod[]): IndexedSnapshot<Pod, 'node' | 'values'> {
  return reduceDeltas(emptySnapshot(indexers), [list(pods)]).snapshot;
}

/** Returns all buckets of an index by their keys, as one value to compare. */
export function bucketsOf<I extends string>(
  snapshot: IndexedSnapshot<Pod, I>,
  name: I,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(snapshot.indexValues(name).map((value) => [value, snapshot.indexKeys(name, value)]));
}
