import type { Collection } from '../../collections/collection.js';
import { invalidOptionError } from '../../kubernetes/errors.js';
import type { ObjectMeta } from '../../kubernetes/object.js';
import { resourceName, type Resource } from '../../kubernetes/resource.js';
import type { CheckedSelector, LabelSelector } from '../../kubernetes/selector.js';

/** An object's key (`namespace/name`, or `name` for cluster scope), or the object itself. */
export type Target = string | { readonly metadata?: ObjectMeta<string | Date> | undefined };

/** An object to create. Fields that the server sets may be omitted. */
export type NewObject<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
  /** Default: the apiVersion of the resource. */
  readonly apiVersion?: string | undefined;
  /** Default: the kind of the resource, if its descriptor has one. */
  readonly kind?: string | undefined;
  readonly metadata: StatedMetadata<T>;
};

/** An object for server-side apply: only the fields that the field manager wants to own. */
export type AppliedObject<T> = DeepPartial<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & {
  /** Default: the apiVersion of the resource. */
  readonly apiVersion?: string | undefined;
  /** Default: the kind of the resource, if its descriptor has one. */
  readonly kind?: string | undefined;
  readonly metadata: StatedMetadata<T> & { readonly name: string };
};

/** The metadata of `T`, with all fields optional. */
type StatedMetadata<T> = T extends { readonly metadata?: infer Metadata } ? Partial<NonNullable<Metadata>> : ObjectMeta;

/** Any part of `T`; the items of arrays may be partial too. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;

/** A cache that a call reads instead of the server, for example an informer. */
export type ReadCache<T> = Pick<Collection<T>, 'hasSynced' | 'snapshot' | 'resource'>;

/** Returns the cache. Throws `RXI_INVALID_OPTION` if it is known to have another resource. */
export function checkedCache<T>(
  cache: ReadCache<T> | undefined,
  resource: Resource<unknown>,
): ReadCache<T> | undefined {
  const cachedResource = cache?.resource && resourceName(cache.resource);
  if (cachedResource === undefined || cachedResource === resourceName(resource)) return cache;
  throw invalidOptionError('from', cachedResource, `a cache of ${resourceName(resource)}`);
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. Within a run, pass the `signal` of the run. */
  readonly signal?: AbortSignal | undefined;
  /** The subresource, for example `status` or `scale`. Default: the object itself. */
  readonly subresource?: string | undefined;
}

/** Options of calls that change something. */
export interface WriteOptions extends CallOptions {
  /**
   * Recorded as the owner of the changed fields. Default: the field manager of the client; without
   * one, the server derives a name from the user agent.
   */
  readonly fieldManager?: string | undefined;
  /**
   * If true, the server checks the write and responds, but stores nothing (default false).
   */
  readonly dryRun?: boolean | undefined;
  /**
   * How the server treats unknown fields (default `Warn`). With `Warn` and `Ignore`, it drops them;
   * with `Warn`, it also responds with a warning. With `Strict`, it refuses the write with a 400,
   * or a patch with a 422. Servers before 1.27 may not support this option.
   */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  /**
   * If true (default), the next run of a key waits until the caches have observed this write, if a
   * run sent it through its own `client`. If false, the next run may have a cache without it.
   */
  readonly waitForCache?: boolean | undefined;
}

/** Options of `patch`. */
export interface PatchOptions extends WriteOptions {
  /** Default: `json` for an array, else `merge`. Only built-in kinds support `strategic`. */
  readonly type?: 'json' | 'merge' | 'strategic' | undefined;
}

/** Options of `apply`. */
export interface ApplyOptions<T = unknown> extends WriteOptions {
  /**
   * If true (default), takes over fields of other managers, as Kubernetes recommends for
   * controllers. If false, fails with a 409 if another manager owns a field with a different value.
   */
  readonly force?: boolean | undefined;
  /**
   * A cache of this resource. It is used to skip calls that would change nothing. Default: every
   * call is sent.
   *
   * A call is skipped, and the cached object is returned, if two conditions hold. First, the last
   * call for this object with this cache and field manager applied an equal configuration. Second,
   * only the status, or fields that the server writes, have changed since that call. If the cache
   * has not observed the last apply yet, the call is skipped too, and the result of that apply is
   * returned.
   *
   * All other calls are sent: the first call of a process, a call with a changed configuration, and
   * a call for an object that was deleted or created again. If another writer changes more than the
   * status, one call is sent, even if the change is in fields that this manager does not own. If
   * the cache keeps only a part of its objects (`metadataOnly`, `transform`), one call is sent for
   * each newer version, because the removed parts cannot be compared.
   *
   * If another writer changes a field and changes it back before the cache is read, the changes are
   * not detected. The field has the correct value then, but the other manager may own or share the
   * field.
   *
   * This option costs memory: the applied configuration of each object is kept as text. The object
   * itself is shared with the cache. The cache must store objects under `namespace/name`, or
   * `name`. A dry run is always sent.
   */
  readonly from?: ReadCache<T> | undefined;
}

/** Options of `delete`. */
export interface DeleteOptions extends Omit<WriteOptions, 'fieldManager' | 'fieldValidation' | 'subresource'> {
  /** What happens to dependents. Default: the policy of the kind, usually `Background`. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  /** Seconds. Default: as in the pod's spec. 0 deletes the pod without waiting for the kubelet. */
  readonly gracePeriodSeconds?: number | undefined;
  /** The call fails with a 409 if the object has another `uid` or `resourceVersion`. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

/** Selects objects of a resource. */
export interface SelectionOptions<S extends LabelSelector = LabelSelector> {
  /** The namespace of the objects. Default: all namespaces; `''` means the same. */
  readonly namespace?: string | undefined;
  /** Labels, as text (`app=web,tier!=cache`) or in the object form of `meta/v1`. Default: all. */
  readonly labelSelector?: CheckedSelector<S> | undefined;
  /** For example `spec.nodeName=n1`; each kind supports only a few fields. Default: all. */
  readonly fieldSelector?: string | undefined;
}

/** Options of `list` and `list$`. */
export interface ListOptions<S extends LabelSelector = LabelSelector> extends SelectionOptions<S> {
  /** Objects in a page, which is one request (default 500). Larger ones take the server longer. */
  readonly limit?: number | undefined;
  /** Aborts the call. Within a run, pass the `signal` of the run. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `deleteCollection`. */
export interface DeleteCollectionOptions<S extends LabelSelector = LabelSelector>
  extends SelectionOptions<S>, DeleteOptions {
  /** Required for a namespaced resource: the API server deletes in one namespace at a time. */
  readonly namespace?: string | undefined;
  /** Allows selecting everything (default false): a missing field of an object is no selector. */
  readonly all?: boolean | undefined;
}
