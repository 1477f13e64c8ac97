import { InvalidKeyError, metaNamespaceKey, type KeyFunction } from './key.js';
import type { KubernetesObject } from './object.js';

/** The two parts of a partitioned key; the partition of an object that came from a source on its own is the empty string. */
export interface PartitionedName {
  readonly partition: string;
  /** The key within the partition, for example `namespace/name`. */
  readonly key: string;
}

/**
 * A key function for merged sources whose objects may have the same namespace and name, such as several clusters:
 * `partition:namespace/name`.
 *
 * **Guarantees**: two objects share a key only if both partition and inner key are the same. The colon that ends the
 * partition is always there and always the first one, because `%`, `:` and `/` are percent-encoded in the partition's
 * name (`arn:aws` becomes `arn%3Aaws`); names may hold colons of their own (`system:node`).
 *
 * @param keyOf the key within a partition (default `metaNamespaceKey`)
 * @example
 * declare const east: KubeClient
 * declare const west: KubeClient
 * const clusters$ = mergeSources({ east: listWatch(east, pods), west: listWatch(west, pods) })
 * informer(clusters$, { keyOf: partitionedKey() }).get('east:web/a')
 */
export function partitionedKey<T extends KubernetesObject>(keyOf: KeyFunction<T> = metaNamespaceKey): KeyFunction<T> {
  return (object, partition) =>
    `${(partition ?? '').replace(/[%:/]/g, encodeURIComponent)}:${keyOf(object, partition)}`;
}

/**
 * The two parts of a key that `partitionedKey` made.
 *
 * **Errors**: `InvalidKeyError` where there is no colon, or the partition's name is not what `partitionedKey` writes.
 *
 * @example
 * splitPartitionedKey('east:web/a') // { partition: 'east', key: 'web/a' }
 */
export function splitPartitionedKey(key: string): PartitionedName {
  const colon = key.indexOf(':');
  const encoded = key.slice(0, colon);
  if (colon < 0 || /\/|%(?!25|3A|2F)/.test(encoded)) throw new InvalidKeyError(key, '"partition:namespace/name"');
  return { partition: encoded.replace(/%(?:25|3A|2F)/g, decodeURIComponent), key: key.slice(colon + 1) };
}
