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
