import type { SchedulerLike } from 'rxjs';
import { invalidOptionError } from '../kubernetes/errors.js';
import { dropManagedFields, type KubernetesObject, type PartialObjectMetadata } from '../kubernetes/object.js';
import type { Resource } from '../kubernetes/resource.js';
import { type LabelSelector, matchesLabelSelector } from '../kubernetes/selector.js';
import type { NamespaceSet } from './merge/in-namespaces.js';
import { type Backoff, exponentialBackoff } from './model/backoff.js';
import { checkedChoice, checkNames } from './model/checked-options.js';
import type { Selection } from './model/source.js';
import type { ListWatchMetrics } from './reflector/metrics.js';
import type { ReflectorConfig } from './reflector/protocol.js';
import type { Dedup } from './reflector/read-watch.js';

/** Determines what the server sends: whole objects, or with `metadataOnly` their metadata. */
export type ReceivedObject<T, MetadataOnly extends boolean = false> = MetadataOnly extends true
  ? PartialObjectMetadata
  : T;

/** Omits `transform`: the server's objects are stored, so their type cannot be chosen. */
export interface WithoutTransform {
  readonly transform?: undefined;
}

/**
 * Options of `listWatch`. Durations are milliseconds unless stated otherwise.
 *
 * `T` is the type of the resource's objects. `R` is the type that `transform` returns; objects of
 * this type are stored. All type parameters are inferred from the arguments.
 */
export interface ListWatchOptions<T, MetadataOnly extends boolean = false, R = ReceivedObject<T, MetadataOnly>> {
  /**
   * The namespace to read, or a set from `inNamespaces`, which may change during the watch.
   * Default: all namespaces (`''` means the same).
   */
  readonly namespace?: string | NamespaceSet | undefined;
  /**
   * Selects objects by their labels, for LIST and WATCH, as text (`app=web,tier!=cache`) or in the
   * object form of `meta/v1`. Default: all objects. If an object stops matching, the source emits
   * DELETED. If an object starts to match, the source emits ADDED.
   */
  readonly labelSelector?: LabelSelector | undefined;
  /**
   * Selects objects by fields (`spec.nodeName=n1`), for LIST and WATCH. Default: all objects. Each
   * kind supports only few fields.
   */
  readonly fieldSelector?: string | undefined;
  /**
   * Reads `metadata` only. Default false. Saves most of the traffic and memory if you need only
   * names, labels and owners of large objects. The objects' type is then `PartialObjectMetadata`.
   * Their kind and apiVersion come from the descriptor of the resource. If the descriptor has no
   * kind, they come from the response: `PartialObjectMetadata` of `meta.k8s.io/v1`. Never pass such
   * an object to `update`, because that would delete all other fields; use `edit`, `patch` or
   * `apply`.
   */
  readonly metadataOnly?: MetadataOnly | undefined;
  /**
   * How lists are read. Default `stream`: the server sends the objects one by one (Kubernetes 1.32
   * and later). If the server cannot do that, the source detects it and lists in pages. `pages`
   * saves this attempt on servers that are known to be older.
   *
   * `auto` begins with a stream. If the link is slow, the source lists in pages from then on. A
   * link is slow if it delivers less than 1 MiB in the first second, and the server does not
   * compress the stream (Kubernetes 1.37 and later compress streams). On a slow link, pages are
   * faster, because servers compress them. The objects received before the switch are read again.
   * The switch happens once per subscription, and the source never goes back to streams. A pause of
   * more than 100 ms between two reads counts as 100 ms, because a longer pause means that the
   * server or this process was busy. On a fast link, `auto` costs nothing. `auto` is not the
   * default, because an overloaded server looks like a slow link, and lists in pages would add to
   * its load. `auto` needs a client that accepts gzip.
   */
  readonly initialList?: 'stream' | 'pages' | 'auto' | undefined;
  /**
   * The number of objects in one page, a positive integer. Default: as in client-go (500, but no
   * limit if a limit would make the server bypass its cache). Smaller pages cost more requests;
   * larger pages cost the server more work at once.
   */
  readonly pageSize?: number | undefined;
  /**
   * The consistency of the first paged list. Default `any`: the content of the API server's cache,
   * which may be some seconds old, but is never older than the last version that this source has
   * seen. `most-recent` makes the server ask etcd each time, which is expensive in large clusters.
   * The first streaming list is always most recent.
   */
  readonly listConsistency?: 'any' | 'most-recent' | undefined;
  /**
   * Transforms each object once, deleted objects included, before it is stored or emitted. Default
   * `dropManagedFields`; `identity` keeps everything. The function may change the object in place,
   * or return an object of another type; the returned object is stored. It must not change name,
   * namespace or uid.
   *
   * With the default, managed fields are not parsed, which saves a third of the time of a list. The
   * `Accept` header also asks the server to leave them out (`drop=metadata.managedFields`,
   * KEP-5958, alpha in 1.38), which saves a third to half of the bytes. Older servers ignore this
   * parameter and send the managed fields. Your own transform should drop managed fields too,
   * because they are large. They are then still sent and parsed.
   *
   * With the default, an informer also does not parse an object of a list that it already holds in
   * the same bytes, nor a `spec` that an event leaves unchanged. With your own transform,
   * everything is parsed, and each list compares every object with its stored content. So the
   * function must return equal content for equal objects. If it returns a time or a random number,
   * every list announces every object as updated; in development, a warning then says so.
   */
  readonly transform?: ((object: ReceivedObject<T, MetadataOnly>) => R) | undefined;
  /**
   * Lets an object of a list share equal parts with the object before it, after `transform`.
   * Labels, containers and tolerations of one workload's pods are then stored once. Default true.
   * Set it to false if your program changes objects in place. Then no two objects share a part, and
   * everything is parsed. Without sharing, reading a list takes some 15 % less time, and the
   * objects take up to twice the memory.
   */
  readonly shareAcrossObjects?: boolean | undefined;
  /**
   * Deduplicates events of one network read before they are parsed. Default `client-go`: the source
   * drops nothing, because the store drops repeated deletions. `latestOnly` drops an ADDED or
   * MODIFIED if the same read has a later event of the same object (namespace, name and uid). A
   * dropped event is neither parsed nor transformed. This nearly halves the work when many statuses
   * change. Subscribers do not see the intermediate states.
   *
   * **Guarantees** (`latestOnly`): after each batch, a store holds the same objects as without this
   * option. If any event of a read fails, the whole read is delivered. **Does not guarantee**: that
   * a problem in a dropped event is reported.
   */
  readonly dedup?: 'client-go' | Dedup | undefined;
  /**
   * The shortest and the longest duration of a watch, in seconds. Each watch requests a random
   * duration between the two. After this duration, the server ends the watch. Default [300, 600]. A
   * dead connection is detected after at most the longest duration plus `grace`. Shorter times cost
   * more requests.
   */
  readonly watchTimeout?: readonly [shortest: number, longest: number] | undefined;
  /**
   * The time to wait for the end of a watch after its timeout. After this time, the connection
   * counts as dead. Default 30,000.
   */
  readonly grace?: number | undefined;
  /**
   * The longest silence within a list. Default 30,000. If the server sends nothing for this time,
   * the list fails and is tried again.
   */
  readonly listSilence?: number | undefined;
  /**
   * The longest silence within a watch that has a heartbeat. Default 12,000. API servers send no
   * heartbeat, but most send a bookmark about once a minute: after two such bookmarks, 132 s of
   * silence end a watch. Without bookmarks, a dead connection is detected only after
   * `watchTimeout`. A proxy can send empty lines between events as a heartbeat; the dashboard's
   * server does so every five seconds. If a watch has received an empty line and is then silent for
   * this time, it is opened again from the last version, and `errors$` emits a
   * `RXI_SILENT_CONNECTION`. Raise this time for a proxy with a slower heartbeat; `Infinity`
   * ignores heartbeats.
   */
  readonly watchSilence?: number | undefined;
  /**
   * The waits between failed attempts. Default `exponentialBackoff()`: about 1 second at first, 30
   * to 60 seconds in the end.
   */
  readonly backoff?: Backoff | undefined;
  /**
   * The upper limit for a wait that the server requests with `Retry-After`. Default 300,000; API
   * servers request only some seconds. The limit protects the cache from a proxy that requests a
   * wait of a day by mistake. Raise it for a gateway with long maintenance. With a lower value, an
   * overloaded server receives requests earlier than it asked for.
   */
  readonly maxRetryAfter?: number | undefined;
  /** Metrics hooks for lists and watches. Default: none, which costs nothing. */
  readonly metrics?: ListWatchMetrics | undefined;
  /**
   * The scheduler for all timers. Default: the clock of the client, otherwise `asyncScheduler`.
   * With a `TestScheduler`, the source runs in virtual time.
   */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1) for timeouts and backoff. Default: the client's, or `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The defaults of `listWatch` that are plain values. Limits without an option: `alarm.ts`. */
export const listWatchDefaults = {
  namespace: '',
  metadataOnly: false,
  initialList: 'stream',
  pageSize: 500,
  listConsistency: 'any',
  transform: dropManagedFields,
  shareAcrossObjects: true,
  dedup: 'client-go',
  watchTimeout: [300, 600],
  grace: 30_000,
  listSilence: 30_000,
  watchSilence: 12_000,
  maxRetryAfter: 300_000,
} as const;

/** Returns the options of the protocol with their defaults. Throws `RXI_INVALID_OPTION`. */
export function protocolOptions(
  options: ListWatchOptions<never, boolean, unknown>,
): Omit<ReflectorConfig, 'requestLine'> {
  const { watchTimeout = listWatchDefaults.watchTimeout, pageSize } = options;
  const {
    initialList = listWatchDefaults.initialList,
    listConsistency = listWatchDefaults.listConsistency,
    dedup = listWatchDefaults.dedup,
  } = options;
  checkNames<ListWatchOptions<never>>('an option of listWatch', options, () => ({
    ...listWatchDefaults,
    ...{ labelSelector: 1, fieldSelector: 1, backoff: 1, metrics: 1, scheduler: 1, random: 1 },
  }));
  if (typeof dedup === 'string' && (dedup as string) !== 'client-go') {
    throw invalidOptionError('dedup', dedup, '"client-go" or the value latestOnly of rx-informers');
  }
  const [shortest, longest] = watchTimeout;
  if (!(shortest >= 1 && longest >= shortest && longest < Infinity)) {
    throw invalidOptionError('watchTimeout', watchTimeout, '[shortest, longest] in seconds, each at least 1');
  }
  if (pageSize !== undefined && !(Number.isInteger(pageSize) && pageSize > 0)) {
    throw invalidOptionError('pageSize', pageSize, 'a whole number of at least 1');
  }
  return {
    initialList: checkedChoice('initialList', initialList, 'stream', 'pages', 'auto'),
    listConsistency: checkedChoice('listConsistency', listConsistency, 'any', 'most-recent'),
    pageSize: pageSize ?? listWatchDefaults.pageSize,
    isPageSizeSet: pageSize !== undefined,
    watchTimeout,
    grace: milliseconds('grace', options.grace ?? listWatchDefaults.grace),
    listSilence: milliseconds('listSilence', options.listSilence ?? listWatchDefaults.listSilence),
    watchSilence: milliseconds('watchSilence', options.watchSilence ?? listWatchDefaults.watchSilence),
    maxRetryAfter: milliseconds('maxRetryAfter', options.maxRetryAfter ?? listWatchDefaults.maxRetryAfter),
    backoff: options.backoff ?? exponentialBackoff(),
  };
}

function milliseconds(option: string, value: number): number {
  if (value > 0) return value;
  throw invalidOptionError(option, value, 'above 0 ms');
}

/**
 * Returns a predicate that is true for objects that `listWatch` delivers: by namespaces and
 * label selector, but not by a field selector or changing namespaces. An object of another kind
 * (the `Scale` of a Deployment) counts as selected, because its labels are not the Deployment's.
 */
export function selectionFor(
  resource: Resource<unknown>,
  { namespace = '', labelSelector = '' }: ListWatchOptions<never, boolean, unknown>,
): Selection {
  const names = typeof namespace === 'object' ? namespace.names : [namespace];
  // The empty string stands for all namespaces, also as one of several.
  const known = Array.isArray(names) && !names.includes('') ? new Set<unknown>(names) : undefined;
  const matches = matchesLabelSelector(labelSelector);
  return (object) => {
    const { kind, metadata } = object as KubernetesObject;
    if (known && !known.has(metadata?.namespace)) return false;
    const isOther = kind !== undefined && resource.kind !== undefined && kind !== resource.kind;
    return isOther || matches(metadata?.labels);
  };
}
