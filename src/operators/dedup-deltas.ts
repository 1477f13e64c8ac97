import { map, type MonoTypeOperatorFunction } from 'rxjs';
import type { DedupMode } from '../sources/dedup-mode.js';
import { collapseDeletions } from '../store/stages.js';
import type { Delta } from '../store/delta.js';
import { keepLatest } from '../store/keep-latest.js';

/**
 * Drops from each batch what it says twice about one key.
 *
 * | in, for one key | `client-go` | `latest` |
 * | --- | --- | --- |
 * | `Added`, `Updated` | both | the `Updated` |
 * | `Updated`, `Deleted` | both | both: the deletion may be a late one, of an earlier object |
 * | `Deleted` twice in a row | the one whose final state is known (Q6) | the same |
 * | `Deleted`, then `Added` with the same uid | both | the `Added` |
 * | `Deleted`, then `Added` with another uid | both | both |
 * | anything, then a `ReplacedAll` of its partition | both | the `ReplacedAll`; both if it has `missing` objects |
 * | several `Bookmark`s | all | the last |
 * | `Failed`, `Sync` | all | all |
 *
 * **Guarantees**: never makes a delta, never moves one, and never looks across batches; the store holds the same
 * content afterwards, whatever it held before; a batch of which nothing is dropped is passed on as it is.
 * **Does not guarantee** (`latest`): that an object is noticed that came and went within one batch.
 *
 * @param mode `client-go` (default) keeps every step; `latest` suits consumers that only care for how things are, and
 * saves them the steps
 * @example
 * listWatch(client, pods).pipe(toDeltas(), dedupDeltas('latest'), reduceStore())
 */
export function dedupDeltas<T>(mode: DedupMode = 'client-go'): MonoTypeOperatorFunction<readonly Delta<T>[]> {
  return map(mode === 'latest' ? keepLatest : collapseDeletions);
}
