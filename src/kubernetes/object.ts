/**
 * The fields of every Kubernetes object that this library reads.
 *
 * @typeParam Time the type of timestamps: strings, as the API server sends them
 */
export interface KubernetesObject<Time = string> {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta<Time> | undefined;
}

/**
 * Timestamps are strings, or `Date`s as in the classes of client-node. `Readonly` changes nothing,
 * but lets the compiler write this type into declarations without its name.
 */
export type AnyKubernetesObject = Readonly<KubernetesObject<string | Date>>;

/** The metadata of an object. */
export interface ObjectMeta<Time = string> {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  /** The prefix from which the server made the name. */
  readonly generateName?: string | undefined;
  readonly creationTimestamp?: Time | undefined;
  /** The end of the grace period; `undefined` if nothing has deleted the object. */
  readonly deletionTimestamp?: Time | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  /** The fields that each client owns. Absent with the default `transform` of `listWatch`. */
  readonly managedFields?: readonly ManagedFieldsEntry<Time>[] | undefined;
}

/** One entry of `metadata.managedFields`: the fields that one client owns. */
export interface ManagedFieldsEntry<Time = string> {
  readonly apiVersion?: string | undefined;
  readonly fieldsType?: string | undefined;
  readonly fieldsV1?: unknown;
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly subresource?: string | undefined;
  readonly time?: Time | undefined;
}

/** An object of any kind, if only its metadata was requested (`metadataOnly`). */
export interface PartialObjectMetadata {
  /** Of the object's resource; `meta.k8s.io/v1` if its descriptor has no kind. */
  readonly apiVersion: string;
  /** The object's kind; `PartialObjectMetadata` if the resource's descriptor has no kind. */
  readonly kind: string;
  readonly metadata: ObjectMeta & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

/** One entry of `metadata.ownerReferences`. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

/**
 * `T` as it is sent over the wire and held in the cache: dates are RFC 3339 strings, everything is
 * read-only, and untyped values (`any`) are `unknown`, so that you check them before use.
 *
 * The types of client-node have a `Date` where the API server sends a string, because client-node's
 * deserialiser converts strings to dates. This library returns the parsed JSON unchanged.
 */
export type JsonForm<T> = 0 extends 1 & T
  ? unknown
  : T extends Date
    ? string
    : T extends (...parameters: never[]) => unknown
      ? T
      : T extends readonly (infer Item)[]
        ? readonly JsonForm<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]: JsonForm<T[Key]> }
          : T;

/**
 * An object of a built-in kind as a source emits it: `JsonForm`, with the fields that every object
 * has. (The API server omits `apiVersion` and `kind` in list items; `listWatch` sets them.)
 *
 * The types of the built-in kinds come from `@kubernetes/client-node`. Without that package they
 * would be `any`, and nothing would be checked. To prevent this, the type of each field is then a
 * text that names the missing package, so that code that uses the field does not compile. Kinds
 * that you declare yourself do not need the package.
 */
export type ObjectFromServer<T extends { metadata?: unknown }> = [unknown] extends [T]
  ? Readonly<Record<'metadata' | 'spec' | 'status', 'install @kubernetes/client-node: it has the types of the kinds'>>
  : JsonForm<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: JsonForm<NonNullable<T['metadata']>> & {
        readonly name: string;
        readonly uid: string;
        readonly resourceVersion: string;
      };
    };

/** The `Status` object (meta/v1) with which the API server explains a failure. */
export type KubernetesStatus = Readonly<{
  kind?: 'Status';
  apiVersion?: string;
  status?: 'Success' | 'Failure';
  message?: string;
  /** The machine-readable reason, for example `NotFound`, `Expired`, `Forbidden`. */
  reason?: string;
  code?: number;
  /** Set in a 410 for a page: `continue` reads the rest of the list in its newest state. */
  metadata?: { readonly continue?: string };
  details?: KubernetesStatusDetails;
}>;

/** The details of an error of the API server: the object, the causes, and when to try again. */
export type KubernetesStatusDetails = Readonly<{
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  retryAfterSeconds?: number;
  causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
}>;

/** RFC 3339 with a fraction of any length and any offset, as Kubernetes writes `MicroTime`. */
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Formats ms since 1970 as Kubernetes' `MicroTime`: UTC, six digits after the second. */
export function formatMicroTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000Z');
}

/** Returns milliseconds since 1970, rounded down; `undefined` if it is no `MicroTime`. */
export function parseMicroTime(text: string): number | undefined {
  if (!microTime.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** A decimal integer without leading zeros, as the versions of every kube-apiserver. */
const integer = /^[1-9][0-9]*$/;

/**
 * Compares two resourceVersions of one resource. Returns a negative number if `one` is the earlier,
 * 0 if they are equal, a positive number if `one` is the later, and `undefined` if the versions
 * cannot be compared.
 *
 * For every resource type that kube-apiserver serves, versions are integers that only grow
 * (documented since Kubernetes 1.35, KEP-5504; true in all earlier versions). Extension API servers
 * may use other texts, which are compared for equality only. `''` is not a version.
 *
 * **Does not guarantee**: any meaning for versions of two resources, or of two clusters.
 *
 * @param one a version of an object or of a list
 * @param other a version of the same resource and cluster
 * @returns a number whose sign is the order; `undefined` if the versions cannot be compared
 * @example
 * import { compareResourceVersions } from 'rx-informers/resources';
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
 * Managed fields are a third of a typical object, and only clients that use server-side apply need
 * them. `metadata` is copied, because deleting a field makes V8 store the object as a slow
 * dictionary.
 *
 * **Guarantees**: the given object is not changed; an object without managed fields is returned as
 * it is.
 *
 * @param object any object of Kubernetes
 * @returns a copy, or the same object
 * @example
 * import { dropManagedFields } from 'rx-informers/resources';
 *
 * const light = dropManagedFields({ kind: 'Pod', metadata: { name: 'a', managedFields: [] } });
 */
export function dropManagedFields<T>(object: T): T {
  const { metadata } = object as WithManagedFields;
  if (metadata?.managedFields === undefined) return object;
  const { managedFields: _dropped, ...kept } = metadata;
  return { ...object, metadata: kept };
}

/**
 * Returns the version of an object, `undefined` if it has none. A getter that throws counts as
 * missing, to spare other objects (G4).
 */
export function resourceVersionOf(object: unknown): string | undefined {
  try {
    return (object as KubernetesObject | null | undefined)?.metadata?.resourceVersion || undefined;
  } catch {
    return undefined;
  }
}

/** Returns the uid of an object, `undefined` if it has none, or if reading it throws (G4). */
export function uidOf(object: unknown): string | undefined {
  try {
    return (object as KubernetesObject | null | undefined)?.metadata?.uid;
  } catch {
    return undefined;
  }
}

/**
 * Returns true if the uids are equal, false if another object was created under the key (D9 ▲), and
 * `undefined` if one of the objects has no uid.
 */
export function isSameIncarnation(one: unknown, other: unknown): boolean | undefined {
  const uid = uidOf(one);
  const otherUid = uidOf(other);
  return uid === undefined || otherUid === undefined ? undefined : uid === otherUid;
}

/**
 * Returns true if two objects have the same resourceVersion; false for objects without one. Their
 * content may differ nevertheless: the server applies defaults, pruning and conversion on reading.
 */
export function isSameVersion(previous: unknown, next: unknown): boolean {
  const resourceVersion = resourceVersionOf(next);
  return resourceVersion !== undefined && resourceVersion === resourceVersionOf(previous);
}

/** Returns the name of an object for a message: `ConfigMap web/a`, or `web/a` without a kind. */
export function withKind(key: string, kind: string | undefined): string {
  return kind === undefined ? key : `${kind} ${key}`;
}

/** Returns the kind that an object states, or `undefined`. Like `objectKey`, it never throws. */
export function statedKind(object: unknown): string | undefined {
  try {
    const kind: unknown = (object as { readonly kind?: unknown } | null | undefined)?.kind;
    return typeof kind === 'string' ? kind : undefined;
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
 * objects have such names. As in Kubernetes, a single label may be longer than 63 characters.
 */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= maxNameLength && text.split('.').every((part) => dnsLabel.test(part));
}
