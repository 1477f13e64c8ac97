import { RxInformersError } from './errors.js';
import { type AnyKubernetesObject, type KubernetesObject } from './object.js';

/** Computes the key under which an object is stored. Throws if the object has no key. */
export interface KeyFunction<T> {
  /**
   * @param partition the name of the merged source from which the object came, if any (see
   *   `mergeSources`)
   */
  (object: T, partition?: string): string;
  /**
   * True if all keys have the form that {@link partitionedKey} makes. Derived collections then keep
   * partitions apart. Set it on a key function of your own that makes such keys.
   */
  readonly isPartitioned?: boolean | undefined;
}

/** The two parts of a key. The namespace of a cluster-scoped object is the empty string. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

export function invalidObjectError(object: unknown, problem: string): RxInformersError<'RXI_INVALID_OBJECT'> {
  return new RxInformersError('RXI_INVALID_OBJECT', `the object cannot be identified: ${problem}`, { object, problem });
}

export function invalidKeyError(key: string, expected: string): RxInformersError<'RXI_INVALID_KEY'> {
  const message = `invalid key ${JSON.stringify(key)}: it must have the form ${expected}`;
  return new RxInformersError('RXI_INVALID_KEY', message, { key, expected });
}

/**
 * Returns the key of an object: `namespace/name`, or `name` if it has no namespace (K1).
 *
 * uid, kind and resourceVersion are not part of the key: an object that is deleted and created
 * again keeps its key.
 *
 * @param object an object with a name
 * @returns for example `web/shop-7d4b`
 * @throws `RXI_INVALID_OBJECT` if the object has no metadata or no name, or if name or namespace
 *   contain a `/`. API servers refuse such names, and two objects could have the same key
 * @example
 * metaNamespaceKey({ metadata: { namespace: 'web', name: 'a' } }) // 'web/a'
 */
export function metaNamespaceKey(object: AnyKubernetesObject): string;
// `createIndexer(metaNamespaceKey)` infers the type of its objects from the last signature.
export function metaNamespaceKey(object: KubernetesObject, partition?: string): string;
export function metaNamespaceKey(object: AnyKubernetesObject): string {
  const metadata: unknown = (object as KubernetesObject | null | undefined)?.metadata;
  if (typeof metadata !== 'object' || metadata === null) throw invalidObjectError(object, 'it has no metadata');
  const { name, namespace: ownNamespace }: { readonly name?: unknown; readonly namespace?: unknown } = metadata;
  const namespace = ownNamespace ?? '';
  if (typeof name !== 'string' || name === '') throw invalidObjectError(object, 'metadata.name is missing');
  if (name.includes('/')) throw invalidObjectError(object, `metadata.name ${JSON.stringify(name)} contains a "/"`);
  if (typeof namespace !== 'string' || namespace.includes('/')) {
    throw invalidObjectError(object, `metadata.namespace ${JSON.stringify(namespace)} is not a namespace`);
  }
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * Splits a key of `metaNamespaceKey` into its two parts (K2).
 *
 * @param key a key of `metaNamespaceKey`, for example `web/shop-7d4b`
 * @returns namespace and name; the namespace is `''` if the key has none
 * @throws `RXI_INVALID_KEY` for a key with three or more parts
 * @example
 * splitMetaNamespaceKey('web/a') // { namespace: 'web', name: 'a' }
 * splitMetaNamespaceKey('worker-1') // { namespace: '', name: 'worker-1' }
 */
export function splitMetaNamespaceKey(key: string): NamespacedName {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0) throw invalidKeyError(key, '"namespace/name" or "name"');
  return second === undefined ? { namespace: '', name: first } : { namespace: first, name: second };
}

/** Without a merged source, the partition is the empty string. */
export interface PartitionedName {
  readonly partition: string;
  /** The key within the partition, for example `namespace/name`. */
  readonly key: string;
}

/**
 * Returns a key function for merged sources, such as several clusters, whose objects may have the
 * same namespace and name. The keys have the form `partition:namespace/name`.
 *
 * **Guarantees**: two objects share a key only if both partition and inner key are the same. The
 * first colon of the key always ends the partition, because `%`, `:` and `/` are percent-encoded in
 * the partition's name (`arn:aws` becomes `arn%3Aaws`). Names of objects may contain colons
 * (`system:node`).
 *
 * @param keyOf the key within a partition (default `metaNamespaceKey`)
 * @returns a function for the option `keyOf`; it adds the partition of the event to the inner key
 * @example
 * declare const east: KubeClient
 * declare const west: KubeClient
 * const clusters$ = mergeSources({ east: listWatch(east, pods), west: listWatch(west, pods) })
 * informer(clusters$, { keyOf: partitionedKey() }).get('east:web/a')
 */
export function partitionedKey<T extends AnyKubernetesObject>(
  keyOf: KeyFunction<T> = metaNamespaceKey,
): KeyFunction<T> {
  const partitioned = (object: T, partition?: string): string =>
    `${(partition ?? '').replace(/[%:/]/g, encodeURIComponent)}:${keyOf(object, partition)}`;
  return Object.assign(partitioned, { isPartitioned: true });
}

/** Returns the partition of a key as the key contains it, and the colon. */
export function partitionPrefix(key: string): string {
  return key.slice(0, key.indexOf(':') + 1);
}

/**
 * Returns the two parts of a key that `partitionedKey` made.
 *
 * @param key a key of `partitionedKey`, for example `eu:web/shop-7d4b`
 * @returns the partition and the inner key
 * @throws `RXI_INVALID_KEY` if there is no colon, or the partition's name is not encoded as
 *   `partitionedKey` encodes it
 * @example
 * splitPartitionedKey('east:web/a') // { partition: 'east', key: 'web/a' }
 */
export function splitPartitionedKey(key: string): PartitionedName {
  const colon = key.indexOf(':');
  const encoded = key.slice(0, colon);
  if (colon < 0 || /\/|%(?!25|3A|2F)/.test(encoded)) throw invalidKeyError(key, '"partition:namespace/name"');
  return { partition: encoded.replace(/%(?:25|3A|2F)/g, decodeURIComponent), key: key.slice(colon + 1) };
}

/**
 * Returns `namespace/name`, or `undefined` for an object without a name. It does not throw, because
 * the key function of the store reports such an object.
 */
export function objectKey(object: unknown): string | undefined {
  try {
    return metaNamespaceKey(object as KubernetesObject);
  } catch {
    return undefined;
  }
}
