import { RxInformersError } from './errors.js';

/** What every object that the Kubernetes API returns has in common, as far as this library reads it. */
export interface KubernetesObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
}

/** The part of `metadata` that identity, versions, selectors and owner indexes are read from. */
export interface ObjectMeta {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
}

/** An object of any kind of which only the metadata was asked for (`metadataOnly`). */
export interface PartialObjectMetadata {
  /** That of the object's resource; `meta.k8s.io/v1` if the resource's descriptor does not say its kind. */
  readonly apiVersion: string;
  /** The object's kind; `PartialObjectMetadata` if the resource's descriptor does not say it. */
  readonly kind: string;
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp?: string | undefined;
    readonly deletionTimestamp?: string | undefined;
    readonly deletionGracePeriodSeconds?: number | undefined;
    readonly generateName?: string | undefined;
  };
}

/** One entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
}

/**
 * `T` as it comes over the wire and stands in the cache: dates are RFC 3339 strings, nothing may be changed, and what has
 * no type (`any`) has to be examined before it is used (`unknown`).
 *
 * client-node's types say `Date` where the API server sends a string, because its deserialiser turns one into the
 * other; this library hands out the parsed JSON as it is.
 */
export type Raw<T> = 0 extends 1 & T
  ? unknown
  : T extends Date
    ? string
    : T extends (...parameters: never[]) => unknown
      ? T
      : T extends readonly (infer Item)[]
        ? readonly Raw<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]: Raw<T[Key]> }
          : T;

/**
 * An object of a built-in kind as a source emits it: `Raw`, and with the fields that every object from the API server
 * has (`listWatch` stamps `apiVersion` and `kind` on list items, which carry none).
 *
 * The built-in kinds are typed by `@kubernetes/client-node`. Without it they would be `any`, and nothing would be checked; they are a
 * text that says so instead, and using one does not compile. Kinds that you declare yourself do not need it.
 */
export type Live<T extends { metadata?: unknown }> = [unknown] extends [T]
  ? 'install @kubernetes/client-node: it has the types of the built-in kinds'
  : Raw<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: Raw<NonNullable<T['metadata']>> & {
        readonly name: string;
        readonly uid: string;
        readonly resourceVersion: string;
      };
    };

/** The `Status` object (meta/v1) with which the API server explains a failure. */
export interface KubernetesStatus {
  readonly kind?: 'Status';
  readonly apiVersion?: string;
  readonly status?: 'Success' | 'Failure';
  readonly message?: string;
  /** Machine-readable, for example `NotFound`, `Expired`, `Forbidden`. */
  readonly reason?: string;
  readonly code?: number;
  /** In a 410 about a page of a list: `continue` reads the rest in the most recent state. */
  readonly metadata?: { readonly continue?: string };
  readonly details?: KubernetesStatusDetails;
}

export interface KubernetesStatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
}

/** RFC 3339 with a fraction of a second of any length, as Kubernetes writes `MicroTime`; any offset is read. */
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Returns milliseconds since 1970 in the form of Kubernetes' `MicroTime`: UTC, six digits after the second. */
export function formatMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}

/** Returns the milliseconds since 1970 of a Kubernetes `MicroTime`, rounded down; `undefined` for anything else. */
export function parseMicroTime(text: string): number | undefined {
  if (!microTime.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** A decimal integer of any length, without a leading zero: what every kube-apiserver gives, and nothing else does by accident. */
const integer = /^[1-9][0-9]*$/;

/**
 * Compares two resourceVersions of one resource. Returns a negative number if `one` is the earlier, 0 if they are equal, a positive
 * number if `one` is the later, and `undefined` if the versions cannot be compared.
 *
 * Kubernetes 1.35 documents versions of one resource type as integers that only grow, for everything that kube-apiserver serves (KEP-5504;
 * they always were). Extension API servers may give something else: that is compared for equality only. `''` is no version.
 *
 * **Does not guarantee**: any meaning for versions of two resources, or of two clusters.
 *
 * @example
 * import { compareResourceVersions } from 'rx-informers';
 *
 * compareResourceVersions('9', '10'); // negative
 * compareResourceVersions('v9', 'v10'); // undefined
 */
export function compareResourceVersions(one: string, other: string): number | undefined {
  if (one === '' || other === '') return undefined;
  if (one === other) return 0;
  if (!integer.test(one) || !integer.test(other)) return undefined;
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : 1;
}

interface WithManagedFields {
  readonly metadata?: { readonly managedFields?: unknown } | null | undefined;
}

/**
 * Returns the object without `metadata.managedFields`: the default `transform` of `listWatch`.
 *
 * Field ownership is a third of a typical object, and only clients that use server-side apply need it.
 * `metadata` is copied, because deleting a field makes V8 store the object as a slow dictionary.
 *
 * **Guarantees**: the given object is not changed; an object without managed fields is returned as it is.
 *
 * @example
 * import { dropManagedFields } from 'rx-informers';
 *
 * const light = dropManagedFields({ kind: 'Pod', metadata: { name: 'a', managedFields: [] } });
 */
export function dropManagedFields<T>(object: T): T {
  const { metadata } = object as WithManagedFields;
  if (metadata?.managedFields === undefined) return object;
  const { managedFields: _dropped, ...kept } = metadata;
  return { ...object, metadata: kept };
}

/** Returns a field of an object's metadata. Metadata that throws when it is read count as missing, so that they affect no other object (G4). */
function metadataOf(object: unknown, field: 'uid' | 'resourceVersion'): string | undefined {
  try {
    return (object as KubernetesObject | null | undefined)?.metadata?.[field];
  } catch {
    return undefined;
  }
}

/** Returns the version of an object, `undefined` if it has none. */
export function resourceVersionOf(object: unknown): string | undefined {
  const resourceVersion = metadataOf(object, 'resourceVersion');
  return resourceVersion === '' ? undefined : resourceVersion;
}

/** Returns the uid of an object, `undefined` if it has none. */
export function uidOf(object: unknown): string | undefined {
  return metadataOf(object, 'uid');
}

/** Returns true if two objects under one key have different uids: the first was deleted, and another one created (D9 ▲). */
export function isAnotherIncarnation(previous: unknown, next: unknown): boolean {
  const previousUid = uidOf(previous);
  const nextUid = uidOf(next);
  return previousUid !== undefined && nextUid !== undefined && previousUid !== nextUid;
}

/** Returns true if two objects have the same resourceVersion; false for objects without one (I10 ▲). */
export function isSameVersion(previous: unknown, next: unknown): boolean {
  const resourceVersion = resourceVersionOf(next);
  return resourceVersion !== undefined && resourceVersion === resourceVersionOf(previous);
}

/**
 * Computes the key under which an object is stored. Throws if it cannot.
 *
 * @param partition the name of the merged source from which the object came, if any (see
 *   `mergeSources`)
 */
export type KeyFunction<T> = (object: T, partition?: string) => string;

/** The two parts of a key. The namespace of a cluster-scoped object is the empty string. */
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
 * Returns the key of an object: `namespace/name`, or `name` if it has no namespace (K1).
 *
 * uid, kind and resourceVersion are not part of it: an object that is deleted and created again
 * keeps its key.
 *
 * @throws InvalidObjectError if the object has no metadata or no name, or if name or namespace
 *   contain a `/`, which no API server accepts and which would give two objects the same key
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
 * Splits a key of `metaNamespaceKey` into its two parts (K2).
 *
 * @throws InvalidKeyError for three parts or more
 * @example
 * splitMetaNamespaceKey('web/a') // { namespace: 'web', name: 'a' }
 * splitMetaNamespaceKey('worker-1') // { namespace: '', name: 'worker-1' }
 */
export function splitMetaNamespaceKey(key: string): NamespacedName {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0) throw new InvalidKeyError(key, '"namespace/name" or "name"');
  return second === undefined ? { namespace: '', name: first } : { namespace: first, name: second };
}

/**
 * The two parts of a partitioned key. The partition of an object from a source that is not merged
 * is the empty string.
 */
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
