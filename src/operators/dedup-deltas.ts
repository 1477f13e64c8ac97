import { map, type MonoTypeOperatorFunction } from 'rxjs';
import { type DedupMode, dedupOf } from '../store/dedup.js';
import type { Delta } from '../store/delta.js';

/**
 * Drops from each batch the deltas that a later delta of the same batch makes redundant.
 *
 * | in, for one key | `client-go` | `latestOnly` |
 * | --- | --- | --- |
 * | `Added`, `Updated` | both | the `Updated` |
 * | `Updated`, `Deleted` | both | both, because the deletion may belong to an earlier object |
 * | `Deleted` twice in a row | the `Deleted` whose final state is known (Q6) | as `client-go` |
 * | `Deleted`, then `Added` with the same uid | both | the `Added` |
 * | `Deleted`, then `Added` with another uid | both | both |
 * | anything, then a `ReplacedAll` of the same partition | both | the `ReplacedAll`; both if it has `missing` objects |
 * | several `Bookmark`s | all | the last |
 * | `Failed`, `Sync` | all | all |
 *
 * **Guarantees**: never creates or moves a delta, and never compares two batches; the content of
 * the store is the same as without this operator; a batch from which nothing is dropped is emitted
 * unchanged.
 * **Does not guarantee** (`latestOnly`): that subscribers see an object that was added and deleted
 * within one batch.
 *
 * @param mode `client-go` (default) keeps every step; `latestOnly` keeps the net effect, for
 * consumers that need the current state only
 * @returns an operator on batches of deltas
 * @example
 * listWatch(client, pods).pipe(toDeltas(), dedupDeltas(latestOnly), reduceStore())
 */
export function dedupDeltas<T>(mode: DedupMode = 'client-go'): MonoTypeOperatorFunction<readonly Delta<T>[]> {
  return map(dedupOf<T>(mode));
}
