import { filter, map, pipe, type OperatorFunction } from 'rxjs';
import type { KeyFunction } from '../kubernetes/object.js';
import type { WatchEvent } from '../sources/model/watch-event.js';
import { runSlices } from '../store/slices.js';
import { deltaStage } from '../store/stages.js';
import type { Delta } from '../store/delta.js';

/** Options of `toDeltas`. */
export interface ToDeltasOptions<T> {
  /**
   * Returns the key under which an object is stored. Default `metaNamespaceKey`. If two objects of a
   * merged source have the same key, one of them is refused: use `partitionedKey()` there.
   */
  readonly keyOf?: KeyFunction<T> | undefined;
}

/**
 * Turns watch events into keyed deltas, one batch into one batch; an event on its own is a batch of one.
 *
 * | in | out |
 * | --- | --- |
 * | `ADDED` `MODIFIED` `DELETED` | `Added` `Updated` `Deleted` |
 * | `LISTED` | one `ReplacedAll`, then a `Failed` for each item without a key |
 * | `BOOKMARK` | `Bookmark` |
 * | `ERROR` | `Failed` |
 * | `STATUS` | nothing |
 * | an object whose key cannot be computed | `Failed` with a `KeyError` |
 *
 * A batch that becomes empty is not emitted. It is the first stage of an informer; `dedupDeltas` and
 * `reduceStore` are the others.
 *
 * **Guarantees**: order is kept; partitions are kept; an object whose key function fails does not affect the others (G4).
 * **Does not guarantee**: that a `Deleted` key was in the store, or that an `Added` one was not (D1, D2).
 *
 * @example
 * listWatch(client, pods).pipe(toDeltas()).subscribe((deltas) => console.log(deltas.map(({ type }) => type)))
 */
// In a pipe the stream says what T is, not a key function that accepts more.
export function toDeltas<T>(
  options?: ToDeltasOptions<NoInfer<T>>,
): OperatorFunction<WatchEvent<T> | readonly WatchEvent<T>[], readonly Delta<T>[]>;
export function toDeltas<T>(
  options: ToDeltasOptions<T>,
): OperatorFunction<WatchEvent<T> | readonly WatchEvent<T>[], readonly Delta<T>[]>;
export function toDeltas<T>(
  options: ToDeltasOptions<T> = {},
): OperatorFunction<WatchEvent<T> | readonly WatchEvent<T>[], readonly Delta<T>[]> {
  const stage = deltaStage(options.keyOf);
  return pipe(
    map((input: WatchEvent<T> | readonly WatchEvent<T>[]) => runSlices(stage(isBatch(input) ? input : [input]))),
    filter((deltas) => deltas.length > 0),
  );
}

function isBatch<T>(input: WatchEvent<T> | readonly WatchEvent<T>[]): input is readonly WatchEvent<T>[] {
  return Array.isArray(input);
}
