import { filter, map, type OperatorFunction, pipe } from 'rxjs';
import type { KeyFunction } from '../kubernetes/keys.js';
import { runSlices } from '../scheduling/slices.js';
import type { WatchEvent } from '../sources/model/watch-event.js';
import type { Delta } from '../store/delta.js';
import { batchToDeltasInSlices } from '../store/stages.js';

/** Options of `toDeltas`. */
export interface ToDeltasOptions<T> {
  /**
   * Returns the key under which an object is stored. Default `metaNamespaceKey`. If two objects of
   * a merged source have the same key, one of them is refused; use `partitionedKey()` for such
   * sources.
   */
  readonly keyOf?: KeyFunction<T> | undefined;
}

/**
 * Turns each batch of watch events into one batch of keyed deltas. A single event is a batch of
 * one.
 *
 * | in | out |
 * | --- | --- |
 * | `ADDED` `MODIFIED` `DELETED` | `Added` `Updated` `Deleted` |
 * | `LISTED` | one `ReplacedAll`, then a `Failed` for each item without a key |
 * | `BOOKMARK` | `Bookmark` |
 * | `ERROR` | `Failed` |
 * | `STATUS` | nothing |
 * | an object whose key cannot be computed | `Failed` with an `RXI_KEY` |
 *
 * A batch that becomes empty is not emitted. An informer has three stages: this operator,
 * `dedupDeltas` and `reduceStore`, which decides what a list has deleted or replaced.
 *
 * **Guarantees**: order is kept; partitions are kept; an object whose key function fails does not
 * affect other objects (G4).
 * **Does not guarantee**: that the key of a `Deleted` was in the store, or that the key of an
 * `Added` was not in the store (D1, D2).
 *
 * @param options how keys are computed
 * @returns an operator from events, or batches of events, to batches of deltas
 * @example
 * listWatch(client, pods)
 *   .pipe(toDeltas())
 *   .subscribe((deltas) => console.log(deltas.map(({ type }) => type)));
 */
// In a pipe, `T` is inferred from the stream and not from a key function, which may accept a wider
// type.
export function toDeltas<T>(
  options?: ToDeltasOptions<NoInfer<T>>,
): OperatorFunction<WatchEvent<T> | readonly WatchEvent<T>[], readonly Delta<T>[]>;
export function toDeltas<T>(
  options: ToDeltasOptions<T>,
): OperatorFunction<WatchEvent<T> | readonly WatchEvent<T>[], readonly Delta<T>[]>;
export function toDeltas<T>(
  options: ToDeltasOptions<T> = {},
): OperatorFunction<WatchEvent<T> | readonly WatchEvent<T>[], readonly Delta<T>[]> {
  const { keyOf } = options;
  return pipe(
    map((input: WatchEvent<T> | readonly WatchEvent<T>[]) =>
      runSlices(batchToDeltasInSlices(isBatch(input) ? input : [input], keyOf)),
    ),
    filter((deltas) => deltas.length > 0),
  );
}

function isBatch<T>(input: WatchEvent<T> | readonly WatchEvent<T>[]): input is readonly WatchEvent<T>[] {
  return Array.isArray(input);
}
