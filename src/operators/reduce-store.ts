import { defer, map, type OperatorFunction } from 'rxjs';
import type { Commit } from '../store/change.js';
import type { Delta } from '../store/delta.js';
import type { Indexers } from '../store/indexing.js';
import { emptySnapshot } from '../store/indexed-snapshot.js';
import { reduceDeltas } from '../store/stages.js';
import type { KeepOptions } from '../store/snapshot-draft.js';

/** Options of `reduceStore`. */
export interface ReduceStoreOptions<T, I extends string> extends KeepOptions {
  /** Index functions by name (default none). Each costs one call for every object that comes in. */
  readonly indexers?: Indexers<T, I> | undefined;
}

/**
 * Scans batches of deltas into commits over an immutable, indexed store.
 *
 * | in | out |
 * | --- | --- |
 * | a batch | one commit: the new snapshot, what changed, what failed |
 * | a batch that changes nothing | a commit without changes, whose snapshot has the same version |
 *
 * **Guarantees**: each subscription has a store of its own, empty at first; every snapshot stays readable for as long as it is held.
 * **Errors**: those of index functions stand in `commit.errors`; the stream goes on.
 *
 * @example
 * listWatch(client, pods).pipe(toDeltas(), dedupDeltas(), reduceStore({ indexers: { node: indexByNode } }))
 */
// In a pipe the stream says what T is, not an index function that accepts more.
export function reduceStore<T, I extends string = never>(
  options?: ReduceStoreOptions<NoInfer<T>, I>,
): OperatorFunction<readonly Delta<T>[], Commit<T, I>>;
export function reduceStore<T, I extends string = never>(
  options: ReduceStoreOptions<T, I>,
): OperatorFunction<readonly Delta<T>[], Commit<T, I>>;
export function reduceStore<T, I extends string>(
  options: ReduceStoreOptions<T, I> = {},
): OperatorFunction<readonly Delta<T>[], Commit<T, I>> {
  return (deltas$) =>
    defer(() => {
      let snapshot = emptySnapshot<T, I>(options.indexers);
      return deltas$.pipe(
        map((deltas) => {
          const commit = reduceDeltas(snapshot, deltas, options);
          snapshot = commit.snapshot;
          return commit;
        }),
      );
    });
}
