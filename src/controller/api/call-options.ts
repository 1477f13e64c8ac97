import type { Collection } from '../../informer/collection.js';
import type { ObjectMeta } from '../../kubernetes/object.js';
import { resourceName, type Resource } from '../../kubernetes/resource.js';
import type { LabelSelector } from '../../kubernetes/selector.js';
import { InvalidOptionError } from '../../sources/model/errors.js';

/** An object's key (`namespace/name`, or `name` for cluster scope), or the object itself. */
export type Target = string | { readonly metadata?: ObjectMeta | undefined };

/** An object as it is handed in to be created: what the server fills in need not be there. */
export type NewObject<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'> & {
  /** Default: that of the resource. */
  readonly apiVersion?: string | undefined;
  /** Default: that of the resource, where its descriptor says it. */
  readonly kind?: string | undefined;
  readonly metadata: StatedMetadata<T>;
};

/** An object as it is handed in for server-side apply: what the field manager wants to have a say in, and nothing else. */
export type AppliedObject<T> = DeepPartial<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & {
  /** Default: that of the resource. */
  readonly apiVersion?: string | undefined;
  /** Default: that of the resource, where its descriptor says it. */
  readonly kind?: string | undefined;
  readonly metadata: StatedMetadata<T> & { readonly name: string };
};

/** The metadata that a caller states, in whatever type `T` has it. */
export type StatedMetadata<T> = T extends { readonly metadata?: infer Metadata }
  ? Partial<NonNullable<Metadata>>
  : ObjectMeta;

/** Any part of `T`; the items of arrays may be partial too. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> | undefined }
    : T;

/** A cache that a call reads instead of the server: an informer, or any other collection of the same resource. */
export type ReadCache<T> = Pick<Collection<T>, 'hasSynced' | 'snapshot' | 'resource'>;

/** Returns the cache; throws `InvalidOptionError` if it is known to hold another resource. */
export function checkedCache<T>(
  cache: ReadCache<T> | undefined,
  resource: Resource<unknown>,
): ReadCache<T> | undefined {
  const held = cache?.resource && resourceName(cache.resource);
  if (held === undefined || held === resourceName(resource)) return cache;
  throw new InvalidOptionError('from', held, `a cache of ${resourceName(resource)}`);
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call; a run's `signal` belongs here. */
  readonly signal?: AbortSignal | undefined;
  /** A part of the object that has a path of its own, for example `status` or `scale`. */
  readonly subresource?: string | undefined;
}

/** Options of calls that change something. */
export interface WriteOptions extends CallOptions {
  /** Under which name the server notes who owns the changed fields (default: the client's, or what the server makes of the user agent). */
  readonly fieldManager?: string | undefined;
  /** True: the server checks the write and answers as if it had done it. */
  readonly dryRun?: boolean | undefined;
  /** What becomes of fields that the kind does not have (default `Warn`: they are dropped without an error); `Strict`: the write is refused (400, a patch 422). Servers before 1.27 may not know it. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  /**
   * Whether the key of a run that writes this through its `client` is held until the caches have
   * observed it (default true). False: the key may run again at once, from a cache that does not have the write yet.
   */
  readonly waitForCache?: boolean | undefined;
}

/** Options of `patch`. */
export interface PatchOptions extends WriteOptions {
  /** What kind of patch it is (default: `json` for an array, `merge` for an object); `strategic` only for built-in kinds. */
  readonly type?: 'json' | 'merge' | 'strategic' | undefined;
}

/** Options of `apply`. */
export interface ApplyOptions<T = unknown> extends WriteOptions {
  /** Whether fields that others own are taken over (default true, as the Kubernetes documentation recommends to controllers); false: a 409. */
  readonly force?: boolean | undefined;
  /**
   * A cache of this resource, which says whether there is anything to apply. Default: every call is sent.
   *
   * Nothing is sent, and the object is returned as it is known, if the last call with this cache and field manager applied exactly
   * the same to it, and nothing has changed since then but the status and what only the server writes. A cache that has not seen the
   * last apply yet does not lead to another one.
   *
   * Everything else is sent: the first call of a process, any other configuration, an object that is gone or was created again, and
   * any change of another writer to more than the status, once for each, even if it concerns other fields. If the cache keeps only a
   * part of its objects (`metadataOnly`, `transform`), each newer version is applied once, because the rest cannot be compared.
   *
   * It does not notice what another writer changed and changed back before the cache was looked at: the value is as it should be,
   * but the other manager may own the field now, or own it too. It costs memory: for each object, what was applied as text; the
   * object itself is that of the cache. Objects must be stored under `namespace/name`, or `name`. A dry run is always sent.
   */
  readonly from?: ReadCache<T> | undefined;
}

/** Options of `delete`. */
export interface DeleteOptions extends Omit<WriteOptions, 'fieldManager' | 'fieldValidation' | 'subresource'> {
  /** What becomes of what the object owns (default: what the kind wants, mostly `Background`: deleted afterwards). */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  /** Seconds that a pod has to end (default: what its spec says); 0 is now, without waiting for the kubelet. */
  readonly gracePeriodSeconds?: number | undefined;
  /** The delete is a 409 where the object is another one (`uid`) or another version of it (`resourceVersion`). */
  readonly preconditions?:
    { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
}

/** Which objects of a resource a call is about. */
export interface SelectionOptions {
  /** Default: all namespaces (also `''`). */
  readonly namespace?: string | undefined;
  /** Only objects with these labels, as text (`app=web,tier!=cache`) or in the object form of `meta/v1`. Default: all. */
  readonly labelSelector?: LabelSelector | undefined;
  /** Only objects with these fields (`spec.nodeName=n1`). Default: all. Each kind supports few. */
  readonly fieldSelector?: string | undefined;
}

/** Options of `list` and `list$`. */
export interface ListOptions extends SelectionOptions {
  /**
   * The number of objects in one page, which is one request. Default 500. Larger pages are longer work for the server; smaller ones
   * are more requests.
   */
  readonly limit?: number | undefined;
  /** Aborts the call; a run's `signal` belongs here. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `deleteCollection`. */
export interface DeleteCollectionOptions extends SelectionOptions, Omit<DeleteOptions, 'waitForCache'> {
  /** Must be given for a namespaced resource: the API server deletes in one namespace at a time. */
  readonly namespace?: string | undefined;
}
