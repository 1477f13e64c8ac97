import { scan, type OperatorFunction } from 'rxjs';
import { runSlices } from '../scheduling/slices.js';
import type { Commit } from '../store/change.js';
import type { Delta } from '../store/delta.js';
import type { Indexers } from '../store/index-functions.js';
import { emptySnapshot } from '../store/indexed-snapshot.js';
import { keepingOf, type SnapshotOptions } from '../store/snapshot-draft.js';
import { type IndexedCommit, reduceInSlices } from '../store/stages.js';

/** Options of `reduceStore`. */
export interface ReduceStoreOptions<T, I extends string> extends SnapshotOptions {
  /** Index functions by name, each called for each added or updated object. Default: none. */
  readonly indexers?: Indexers<T, I> | undefined;
}

/**
 * Applies each batch of deltas to an immutable, indexed store, and emits the commit.
 *
 * | in | out |
 * | --- | --- |
 * | a batch | one commit: the new snapshot, the changes, the errors |
 * | a batch that changes nothing | a commit without changes, whose snapshot has the same version |
 *
 * **Guarantees**: each subscription has its own store, which is empty at first; a snapshot never
 * changes.
 * **Errors**: `commit.errors` holds the errors of index functions; the stream continues.
 *
 * @param options the index functions, and how objects are kept
 * @returns an operator from batches of deltas to commits
 * @example
 * listWatch(client, pods).pipe(
 *   toDeltas(),
 *   dedupDeltas(),
 *   reduceStore({ indexers: { node: indexByNode } }),
 * );
 */
// In a pipe, `T` is inferred from the stream and not from an index function, which may accept a
// wider type.
export function reduceStore<T, I extends string = never>(
  options?: ReduceStoreOptions<NoInfer<T>, I>,
): OperatorFunction<readonly Delta<T>[], Commit<T, I>>;
export function reduceStore<T, I extends string = never>(
  options: ReduceStoreOptions<T, I>,
): OperatorFunction<readonly Delta<T>[], Commit<T, I>>;
export function reduceStore<T, I extends string>(
  options: ReduceStoreOptions<T, I> = {},
): OperatorFunction<readonly Delta<T>[], Commit<T, I>> {
  const keeping = keepingOf(options);
  return scan<readonly Delta<T>[], IndexedCommit<T, I>, Store<T, I>>(
    ({ snapshot }, deltas) => runSlices(reduceInSlices(snapshot, deltas, keeping)),
    { snapshot: emptySnapshot(options.indexers) },
  );
}

/** What one commit leaves to the next one. */
type Store<T, I extends string> = Pick<IndexedCommit<T, I>, 'snapshot'>;
