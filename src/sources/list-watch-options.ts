import type { SchedulerLike } from 'rxjs';
import { dropManagedFields, type KubernetesObject, type PartialObjectMetadata } from '../kubernetes/object.js';
import type { Resource } from '../kubernetes/resource.js';
import { matchesLabelSelector, type LabelSelector } from '../kubernetes/selector.js';
import type { NamespaceSet } from './merge/merge-sources.js';
import type { Backoff } from './model/backoff.js';
import type { Selection } from './model/source.js';
import type { ListWatchMetrics } from './reflector/metrics.js';
import type { LineDedup } from './reflector/read-watch.js';
import type { SourceShard } from './reflector/shard.js';

/**
 * The objects that the server sends for a resource of type `T`: whole objects, or with
 * `metadataOnly` their metadata.
 */
export type Received<T, MetadataOnly extends boolean = false> = MetadataOnly extends true ? PartialObjectMetadata : T;

/**
 * Options without `transform`: the stored objects are those of the server, and no caller can claim
 * another type.
 */
export interface WithoutTransform {
  readonly transform?: undefined;
}

/**
 * Options of `listWatch`. Durations are milliseconds unless stated otherwise.
 *
 * `T` is the type of the resource's objects, and `R` the type that `transform` returns, which is
 * stored. All three types are inferred from the arguments.
 */
export interface ListWatchOptions<T, MetadataOnly extends boolean = false, R = Received<T, MetadataOnly>> {
  /**
   * The namespace to read, or the namespaces of `inNamespaces`, which may change while they are
   * watched. Default: all namespaces (also `''`).
   */
  readonly namespace?: string | NamespaceSet | undefined;
  /**
   * Selects objects by their labels, for LIST and WATCH, as text (`app=web,tier!=cache`) or in the
   * object form of `meta/v1`. Default: all. An object that leaves the selection is a DELETED, one
   * that enters it an ADDED.
   */
  readonly labelSelector?: LabelSelector | undefined;
  /**
   * Selects objects by fields (`spec.nodeName=n1`), for LIST and WATCH. Default: all. Each kind
   * supports only few fields.
   */
  readonly fieldSelector?: string | undefined;
  /**
   * Makes this source one of several that together see every object exactly once (`shardOf`). An
   * object belongs to one shard for its whole life. Default: all objects.
   *
   * A server with `shardSelector` (Kubernetes 1.36 with `ShardedListAndWatch`) sends only this
   * shard. Any other server sends everything, and the source drops the other shards before
   * `transform`, mostly without parsing them: the result is the same, but only the former reads
   * less.
   *
   * **Guarantees**: the hash is that of the server, and the source also filters what a server with
   * `shardSelector` sends. **Does not guarantee**: anything for two sources with different counts.
   * While the number of replicas changes, two sources may see an object, or none.
   */
  readonly shard?: SourceShard | undefined;
  /**
   * Asks for `metadata` only. Default false. Saves most of the traffic and the memory for large objects of which only names,
   * labels and owners matter. The objects' type is then `PartialObjectMetadata`. Their kind and apiVersion are those of the
   * resource; if its descriptor has no kind, they are what the server says: `PartialObjectMetadata` of `meta.k8s.io/v1`.
   * Never hand such an object to `update`, which deletes what is missing from it: use `edit`, `patch` or `apply`.
   */
  readonly metadataOnly?: MetadataOnly | undefined;
  /**
   * How lists are read. Default `stream`: the server sends each object by itself (Kubernetes 1.32
   * and later). If the server cannot do that, the source detects it and lists in pages. `pages`
   * saves this attempt on servers that are known to be older.
   */
  readonly initialList?: 'stream' | 'pages' | undefined;
  /**
   * The number of objects in one page, a positive integer. Default: client-go's rules (500, unless
   * a limit would make the server bypass its cache). Smaller pages cost more requests; larger ones
   * cost the server more work at once.
   */
  readonly pageSize?: number | undefined;
  /**
   * The consistency of the first paged list. Default `any`: the content of the API server's cache,
   * which may be some seconds old, but is never older than what this source has seen. `most-recent`
   * makes the server ask etcd each time, which is expensive in large clusters. The first streaming
   * list is always most recent.
   */
  readonly listConsistency?: 'any' | 'most-recent' | undefined;
  /**
   * Transforms each object once, deleted objects included, before anything else sees it. Default
   * `dropManagedFields`; `identity` keeps everything. It may change the object in place, or return
   * an object of another type, which is then the type of the stored objects. It must not change
   * name, namespace or uid.
   *
   * The default mostly does not even parse managed fields, which saves a third of the time of a
   * list. Your own transform should drop them too, for their size, but cannot save that time.
   */
  readonly transform?: ((object: Received<T, MetadataOnly>) => R) | undefined;
  /**
   * Lets an object of a list share its equal parts with the previous object, after `transform`:
   * labels, containers and tolerations of one workload's pods then exist once. Default true. If
   * false, reading a list takes some 15 % less time and its objects take up to twice the memory,
   * but no two objects share a part, for programs that change objects.
   */
  readonly shareAcrossObjects?: boolean | undefined;
  /**
   * Deduplicates events within one network read. Default `client-go`: no deduplication here,
   * because the store drops doubled deletions. `latestOnly` drops an ADDED or MODIFIED that a later
   * event of the same object (namespace, name and uid) in the same read supersedes, unparsed and
   * before `transform`. It nearly halves the work when many statuses change. Subscribers do not see
   * the steps between.
   *
   * **Guarantees** (`latestOnly`): after each batch, a store holds the same as without it. If any
   * event of a read fails, the whole read is delivered. **Does not guarantee**: that a problem in a
   * dropped event is reported.
   */
  readonly dedup?: 'client-go' | LineDedup | undefined;
  /**
   * The shortest and the longest time after which the server ends a watch, in seconds; each watch
   * asks for a random time in between. Default [300, 600]. A dead connection is detected at the
   * latest after the longest time plus `grace`. Shorter times cost more requests.
   */
  readonly watchTimeout?: readonly [shortest: number, longest: number] | undefined;
  /**
   * How long to wait for the end of a watch after its timeout, before the connection counts as
   * dead. Default 30,000.
   */
  readonly grace?: number | undefined;
  /**
   * The timeout for the head of a response. Default 60,000. If this is shorter than a busy server
   * needs to start responding, the list never succeeds.
   */
  readonly openTimeout?: number | undefined;
  /**
   * The longest silence within a list. Default 30,000. If the server sends nothing for this time,
   * the list fails and is tried again.
   */
  readonly listSilence?: number | undefined;
  /**
   * The timeout for the bookmark that completes a streaming list, counted from the last object that
   * existed at its beginning. Default 30,000.
   *
   * After it, the source lists in pages, as it does after 3 s without a byte: the server ignores
   * `sendInitialEvents`, or a proxy swallows bookmarks. All later lists of the client for this API
   * group are in pages too, which cost the server more memory. Do not set it lower than a busy
   * server needs.
   */
  readonly bookmarkDeadline?: number | undefined;
  /**
   * The waits between failed attempts. Default `exponentialBackoff()`: about 1 second at first, 30
   * to 60 seconds in the end.
   */
  readonly backoff?: Backoff | undefined;
  /**
   * The longest wait that is honoured if the server asks for one with `Retry-After`. Default
   * 300,000: API servers ask for seconds, and a proxy that asks for a day by mistake must not leave
   * the cache stale for a day. A longer time is more patient with a gateway in maintenance; a
   * shorter one sends requests to an overloaded server earlier than it asks for.
   */
  readonly maxRetryAfter?: number | undefined;
  /** Metrics hooks for lists and watches. Default: none, which costs nothing. */
  readonly metrics?: ListWatchMetrics | undefined;
  /** Default: the clock of the client, otherwise `asyncScheduler`; a `TestScheduler` makes all of it run in virtual time. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1) for timeouts and backoff. Default: those of the client, otherwise `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The defaults of `listWatch` that are plain values. */
export const listWatchDefaults = {
  namespace: '',
  metadataOnly: false,
  initialList: 'stream',
  listConsistency: 'any',
  transform: dropManagedFields,
  shareAcrossObjects: true,
  dedup: 'client-go',
  watchTimeout: [300, 600],
  grace: 30_000,
  openTimeout: 60_000,
  listSilence: 30_000,
  bookmarkDeadline: 30_000,
  maxRetryAfter: 300_000,
} as const;

/**
 * Returns a predicate for the objects that `listWatch` delivers with these options, as far as they
 * can be known without the API server. It evaluates namespaces, label selector and shard. It does
 * not evaluate a field selector, nor namespaces that change.
 *
 * An object of another kind (the `Scale` of a Deployment) has no labels to compare, and counts as
 * selected.
 */
export function selectionFor(
  resource: Resource<unknown>,
  { namespace = '', labelSelector = '', shard }: ListWatchOptions<never, boolean, unknown>,
): Selection {
  const names = typeof namespace === 'object' ? namespace.names : namespace === '' ? undefined : [namespace];
  const known = Array.isArray(names) ? new Set<unknown>(names) : undefined;
  const matches = matcher(labelSelector);
  const owns = shard?.filter.owns;
  return (object) => {
    const { kind, metadata } = object as KubernetesObject;
    if (known && !known.has(metadata?.namespace)) return false;
    if (owns && !owns(object as KubernetesObject)) return false;
    const isOther = kind !== undefined && resource.kind !== undefined && kind !== resource.kind;
    return isOther || matches(metadata?.labels);
  };
}

/**
 * Returns a predicate for a label selector. A text that this library cannot parse is sent to the
 * server as it is; then nothing is known about labels.
 */
function matcher(selector: NonNullable<ListWatchOptions<never>['labelSelector']>) {
  try {
    return matchesLabelSelector(selector);
  } catch (error) {
    if (typeof selector === 'string') return () => true;
    throw error;
  }
}
