import { RxInformersError } from './errors.js';
import type { KubernetesObject } from './object.js';

/**
 * Computes the key under which an object is stored; throws where it cannot.
 *
 * @param partition the name of the merged source that the object came from, if any (see `mergeSources`)
 */
export type KeyFunction<T> = (object: T, partition?: string) => string;

/** The two parts of a key; the namespace of a cluster-scoped object is the empty string. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * An object has no usable `metadata.name` or `metadata.namespace`, so it has no key.
 *
 * **What to do**: Pass an object of the Kubernetes API. For objects of another shape give the
 * collection a `keyOf`.
 */
export class InvalidObjectError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_OBJECT';
  override readonly name = 'InvalidObjectError';
  constructor(
    readonly object: unknown,
    /** What is wrong with it, for example `it has no metadata`. */
    readonly problem: string,
  ) {
    super(`the object cannot be identified: ${problem}`);
  }
}

/**
 * A text is not a key of the expected form, such as `namespace/name`.
 *
 * **What to do**: Build keys with `metaNamespaceKey` or `partitionedKey`, and split each with its
 * own counterpart.
 */
export class InvalidKeyError extends RxInformersError {
  static override readonly code = 'RXI_INVALID_KEY';
  override readonly name = 'InvalidKeyError';
  constructor(
    readonly key: string,
    readonly expected: string,
  ) {
    super(`unexpected key ${JSON.stringify(key)}: expected ${expected}`);
  }
}

/**
 * The key of an object: `namespace/name`, or `name` where it has no namespace (K1).
 *
 * uid, kind and resourceVersion are no part of it: an object that is deleted and created again keeps its key.
 *
 * **Errors**: `InvalidObjectError` where there is no metadata or no name, and where name or namespace contain a `/`, which
 * no API server lets through and which would make two objects share a key.
 *
 * @example
 * metaNamespaceKey({ metadata: { namespace: 'web', name: 'a' } }) // 'web/a'
 */
export function metaNamespaceKey(object: KubernetesObject): string {
  const metadata: unknown = (object as KubernetesObject | null | undefined)?.metadata;
  if (typeof metadata !== 'object' || metadata === null) throw new InvalidObjectError(object, 'it has no metadata');
  const { name, namespace: given }: { readonly name?: unknown; readonly namespace?: unknown } = metadata;
  const namespace = given ?? '';
  if (typeof name !== 'string' || name === '') throw new InvalidObjectError(object, 'metadata.name is missing');
  if (name.includes('/')) throw new InvalidObjectError(object, `metadata.name ${JSON.stringify(name)} contains a "/"`);
  if (typeof namespace !== 'string' || namespace.includes('/')) {
    throw new InvalidObjectError(object, `metadata.namespace ${JSON.stringify(namespace)} is not a namespace`);
  }
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * The two parts of a key that `metaNamespaceKey` made (K2).
 *
 * **Errors**: `InvalidKeyError` where there are three parts or more.
 *
 * @example
 * splitMetaNamespaceKey('web/a') // { namespace: 'web', name: 'a' }
 * splitMetaNamespaceKey('worker-1') // { namespace: '', name: 'worker-1' }
 */
export function splitMetaNamespaceKey(key: string): NamespacedName {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0) throw new InvalidKeyError(key, '"namespace/name" or "name"');
  return second === undefined ? { namespace: '', name: first } : { namespace: first, name: second };
}

/** The two parts of a partitioned key; the partition of an object that came from a source on its own is the empty string. */
export interface PartitionedName {
  readonly partition: string;
  /** The key within the partition, for example `namespace/name`. */
  readonly key: string;
}

/**
 * Returns a key function for merged sources whose objects may have the same namespace and name, such as several clusters:
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
 * Returns the two parts of a key that `partitionedKey` made.
 *
 * @throws InvalidKeyError if there is no colon, or the partition's name is not what `partitionedKey` writes
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

/** Returns `namespace/name`, or `undefined` for an object without a name: the key function of the store reports it. */
export function objectKey(object: unknown): string | undefined {
  try {
    return metaNamespaceKey(object as KubernetesObject);
  } catch {
    return undefined;
  }
}

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Returns true for a label of RFC 1123: at most 63 lower-case letters, digits and hyphens. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && dnsLabel.test(text);
}

/** The number of characters that the name of an object may have. */
export const maxNameLength = 253;

/**
 * Returns true for a subdomain of RFC 1123: labels joined by dots, at most 253 characters. Most
 * objects have such names. As in Kubernetes, a label of it may be longer than 63 characters.
 */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= maxNameLength && text.split('.').every((part) => dnsLabel.test(part));
}
