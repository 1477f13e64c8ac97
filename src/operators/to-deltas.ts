import { filter, map, pipe, type OperatorFunction } from 'rxjs';
import { metaNamespaceKey, type KeyFunction } from '../kubernetes/key.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { WatchEvent } from '../sources/watch-event.js';
import { batchToDeltas } from '../store/stages.js';
import type { Delta } from '../store/delta.js';

/** Options of `toDeltas`. */
export interface ToDeltasOptions<T> {
  /**
   * The key under which an object is stored (default `metaNamespaceKey`). Whatever it leaves out, such as the cluster
   * of a merged source, two objects may share, and then one of them is refused.
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
 * A batch of which nothing is left is not emitted.
 *
 * **Guarantees**: order is kept; partitions are carried along; a failing key function costs its own object only (G4).
 * **Does not guarantee**: that a `Deleted` key was ever there, or an `Added` one was not: only the store knows (D1, D2).
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
  const keyOf = options.keyOf ?? ((object: T) => metaNamespaceKey(object as KubernetesObject));
  return pipe(
    map((input: WatchEvent<T> | readonly WatchEvent<T>[]) => batchToDeltas(isBatch(input) ? input : [input], keyOf)),
    filter((deltas) => deltas.length > 0),
  );
}

function isBatch<T>(input: WatchEvent<T> | readonly WatchEvent<T>[]): input is readonly WatchEvent<T>[] {
  return Array.isArray(input);
}
