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

/** What the server sends of objects of type `T`: all of them, or with `metadataOnly` their metadata. */
export type Received<T, MetadataOnly extends boolean = false> = MetadataOnly extends true ? PartialObjectMetadata : T;

/** Options of which `transform` is left out: what is stored is what the server sends, and no caller can claim another type. */
export interface WithoutTransform {
  readonly transform?: undefined;
}

/**
 * What `listWatch` reads and how; durations are milliseconds unless they say otherwise.
 *
 * `T` is the type of the resource's objects, `R` what `transform` returns: what is stored. All three are inferred from the arguments.
 */
export interface ListWatchOptions<T, MetadataOnly extends boolean = false, R = Received<T, MetadataOnly>> {
  /** Which namespaces: one, or those of `inNamespaces`, which may change while they are watched. Default: all (also `''`). */
  readonly namespace?: string | NamespaceSet | undefined;
  /**
   * Only objects with these labels, for LIST and WATCH alike, as text (`app=web,tier!=cache`) or in the object form of `meta/v1`. Default: all.
   * An object that changes out of the selection is a DELETED, one that changes into it an ADDED.
   */
  readonly labelSelector?: LabelSelector | undefined;
  /** Only objects with these fields (`spec.nodeName=n1`), for LIST and WATCH alike. Default: all. Each kind supports few. */
  readonly fieldSelector?: string | undefined;
  /**
   * Makes this source one of several that together see every object exactly once (`shardOf`); each object is one shard's for as long as it lives.
   * Default: all objects. A server that knows `shardSelector` (Kubernetes 1.36 with `ShardedListAndWatch`) sends this shard only; every
   * other sends everything, and what is not of the shard is dropped before `transform`, mostly without being parsed: right on both, but only
   * there less to read.
   *
   * **Guarantees**: the hash is the server's own, and what it sends is filtered all the same. **Does not guarantee**: anything about
   * two sources that are given different counts; while replicas change their number, an object may be seen by two or by none.
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
   * How the first list is read, and every later one. Default `stream`: the server sends each object by itself (Kubernetes 1.32
   * and later); where it cannot, the source notices and lists in pages. `pages` saves that try on servers known to be older.
   */
  readonly initialList?: 'stream' | 'pages' | undefined;
  /**
   * Objects in one page. Default: client-go's rules (500, except where a limit would make the server bypass its cache). Smaller
   * pages are more requests; larger ones longer work for the server. A positive integer.
   */
  readonly pageSize?: number | undefined;
  /**
   * What the first paged list may show. Default `any`: whatever the API server has in its cache, maybe some seconds old, and
   * never older than what this source has seen. `most-recent` asks etcd, each time, which large clusters feel. A streaming list
   * is always most recent at first.
   */
  readonly listConsistency?: 'any' | 'most-recent' | undefined;
  /**
   * Runs once for each object (also for deleted ones) before anything else sees it. Default `dropManagedFields`; `identity`
   * keeps everything. It may change the object in place, or return one of another type, which is then the type of what is stored. It must
   * not change name, namespace or uid. Managed fields that the default
   * would drop are mostly not even parsed, which saves a third of the time a list takes: a transform of your own had better drop
   * them too, for what they weigh, but cannot save that.
   */
  readonly transform?: ((object: Received<T, MetadataOnly>) => R) | undefined;
  /**
   * Lets an object of a list share its equal parts with the object before it, after `transform`: labels, containers and tolerations of
   * one workload's pods then exist once. Default true. Without it, reading a list takes some 15 % less, and its objects weigh up to twice
   * as much; but none holds a part of another, for programs that change objects.
   */
  readonly shareAcrossObjects?: boolean | undefined;
  /**
   * Deduplication within one network read. Default `client-go`: none, because the store drops doubled deletions. `latestOnly` drops an ADDED
   * or MODIFIED that a later event of the same object (namespace, name and uid) in the same read supersedes, unparsed and before
   * `transform`. It nearly halves the work when statuses change in storms. Subscribers do not see the steps between.
   *
   * **Guarantees** (`latestOnly`): after each batch, a store holds the same as without it; if anything of a read fails, all of the read is
   * delivered. **Does not guarantee**: that a problem in an event that was dropped is reported.
   */
  readonly dedup?: 'client-go' | LineDedup | undefined;
  /**
   * Shortest and longest time after which the server ends a watch, in seconds; each watch asks for a random one in between.
   * Default [300, 600]. A dead connection is noticed after at most the longest plus `grace`; shorter means more requests.
   */
  readonly watchTimeout?: readonly [shortest: number, longest: number] | undefined;
  /** How long after its timeout the end of a watch is waited for before the connection counts as dead. Default 30,000. */
  readonly grace?: number | undefined;
  /** How long the head of a response may take. Default 60,000. Lower than what a busy server needs for a list is a list never read. */
  readonly openTimeout?: number | undefined;
  /** How long a list may be silent once it began. Default 30,000. */
  readonly listSilence?: number | undefined;
  /**
   * How long a streaming list may take to say that it is complete, from the last object that existed at its beginning. Default 30,000.
   * Then the source lists in pages, as it does after 3 s without a byte: the server ignores `sendInitialEvents`, or a proxy swallows
   * bookmarks. All later lists of the client for this API group are in pages too. Shorter than a busy server needs means that lists
   * are read in pages, which costs the server memory.
   */
  readonly bookmarkDeadline?: number | undefined;
  /** The waits between failed tries. Default `exponentialBackoff()`: about 1 second at first, 30 to 60 at last. */
  readonly backoff?: Backoff | undefined;
  /**
   * The longest wait in milliseconds that a server may ask for with `Retry-After`; what it asks for
   * beyond is not honoured. Default
   * 300,000: API servers ask for seconds, and a proxy that asks for a day by mistake must not leave
   * the cache stale for a day.
   * Longer is more patient with a gateway in maintenance; shorter asks an overloaded server sooner
   * than it wants.
   */
  readonly maxRetryAfter?: number | undefined;
  /** Metrics hooks for lists and watches. Default: none, which costs nothing. */
  readonly metrics?: ListWatchMetrics | undefined;
  /** Default: the clock of the client, otherwise `asyncScheduler`; a `TestScheduler` makes all of it run in virtual time. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1) for timeouts and backoff. Default: those of the client, otherwise `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The defaults of `listWatch`, where they are values. */
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
 * Returns which objects `listWatch` delivers with these options, as far as that can be known without the API server:
 * namespaces, label selector and shard are evaluated. A field selector is not, nor are namespaces that change.
 *
 * An object of another kind (the `Scale` of a Deployment) says nothing about labels and counts as selected.
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

/** A text that this library cannot read goes to the server as it is; then nothing is known about labels. */
function matcher(selector: NonNullable<ListWatchOptions<never>['labelSelector']>) {
  try {
    return matchesLabelSelector(selector);
  } catch (error) {
    if (typeof selector === 'string') return () => true;
    throw error;
  }
}
