import { NEVER, timer, type Observable, type OperatorFunction, type SchedulerLike } from 'rxjs';
import type { Collection } from '../../collections/collection.js';
import { isDevelopment } from '../../kubernetes/development.js';
import type { AnyKubernetesObject, KubernetesObject } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import { silentLogger, type Logger } from '../../requests/logger.js';
import type { ResourceClient, ResourceClientOptions } from '../../requests/resource-client/resource-client.js';
import { checkedDuration, steady } from '../../scheduling/clock.js';
import { randomOf, type ClientClock, type KubeClient } from '../../sources/client/kube-client.js';
import { checkNames } from '../../sources/model/checked-options.js';
import type { ChangeSet } from '../../store/change.js';
import type { RunHandOver } from '../lease/written-versions.js';
import { consoleWarnings, loggerWith } from '../logger.js';
import { checkFunction, checkObservable } from '../option-checks.js';
import { safeQueueMetrics, type QueueMetrics } from '../queue/queue-metrics.js';
import { HookFailures, safeLogger } from '../safe-hooks.js';
import { checkedWorkqueueOptions, type WorkqueueOptions } from '../workqueue/workqueue-options.js';
import { debounceKeys, type DebounceOptions } from './debounce-keys.js';
import { joinReasons, type ReconcileReason } from './reconcile-event.js';
import { safeRunMetrics, type ReconcileMetrics } from './reconcile-metrics.js';

/**
 * An operator that selects the changes of a collection that trigger runs: `filterUpdates`,
 * `filterUpdates`, `resync`, or any operator on change sets.
 */
export type ChangeFilter<T> = OperatorFunction<ChangeSet<T>, ChangeSet<T>>;

/**
 * A collection with a filter for the changes that trigger runs (default: all changes). Changes that
 * are filtered out still reach the cache.
 *
 * Filter by generation (`filterUpdates(generationChanged)`) only if nothing but the runs writes the
 * status, and pass `client` to the controller. Do not filter without `client`. A run may then start
 * before the cache has the status that the last run has written, and find nothing to write. The
 * change of that status would trigger another run, but the filter drops it.
 */
export interface FilteredCollection<T> {
  readonly source: Collection<T>;
  /**
   * Selects the changes that trigger runs. If the filtered stream errors, the collection is
   * subscribed to again 1 s later, and emits its whole state again.
   */
  readonly through?: ChangeFilter<NoInfer<T>> | undefined;
}

/** The objects that are reconciled. */
export type PrimarySource<T> = Collection<T> | FilteredCollection<T>;

/** Objects whose owner references name reconciled objects. */
export type OwnedSource<T> = Collection<T> | OwnedCollection<T>;

/** An owned collection with its options. */
export interface OwnedCollection<T> extends FilteredCollection<T> {
  /** If true, all owners; default false: only the managing owner (`controller: true`). */
  readonly everyOwner?: boolean | undefined;
}

/** The result of a mapping function: a key, several keys, or nothing. */
export type MappedKeys = string | Iterable<string> | null | undefined;

/** A further source that triggers runs: a collection or an Observable. */
export interface WatchedSource<V> {
  /** `map` receives objects (both versions of an update), or an Observable's values. */
  readonly source: Collection<V> | Observable<V>;
  /** Selects triggering changes of a collection. Apply operators to an Observable instead. */
  readonly through?: ChangeFilter<NoInfer<V>> | undefined;
  /** Returns the keys to reconcile. May read other caches, which may be empty at first. */
  readonly map: (value: NoInfer<V>) => MappedKeys;
}

/** Options of `controller`. */
export interface ControllerOptions<
  T,
  Owned extends readonly AnyKubernetesObject[] | [] = readonly KubernetesObject[],
  Watched extends readonly unknown[] | [] = readonly unknown[],
  Output = unknown,
  Client extends KubeClient | undefined = KubeClient | undefined,
> extends Pick<WorkqueueOptions, 'concurrency' | 'timeout' | 'rateLimiter' | 'maxRetries' | 'scheduler' | 'random'> {
  /** The objects to reconcile. Runs use the keys of this collection. */
  readonly for: PrimarySource<T>;
  /**
   * Collections of owned objects. A change of an owned object reconciles its owner. If the object
   * gets another owner, both owners are reconciled. Primary objects must be stored under
   * `namespace/name`, or `name`, which is the default, or under keys of `partitionedKey()`. If
   * `keyOf` sets other keys, use `watches` with a `map` instead.
   */
  readonly owns?: { readonly [Index in keyof Owned]: OwnedSource<Owned[Index]> } | undefined;
  /** Further triggers: collections, and any Observable (a webhook, a timer, a controller). */
  readonly watches?: { readonly [Index in keyof Watched]: WatchedSource<Watched[Index]> } | undefined;
  /**
   * Called to bring the cluster to the state that one object describes. Returns nothing, a value, a
   * promise, an Observable or an async iterable. To run again later, return or emit
   * `requeueAfter(ms)`. A run that throws is retried, except for a `TerminalError`.
   */
  readonly reconcile: (request: ReconcileRequest<T, Client>) => Output;
  /**
   * The client for the writes of runs. Each run receives it as `client`, and its writes are
   * recorded. After the run, its key (not its worker) is held until all caches of the controller
   * with objects of the written kind have observed the writes. So no run begins from a cache that
   * lacks the writes of earlier runs of its key. The controller also recognises its own writes when
   * the watch shows them: they do not end the wait of a key that has failed. Default: none; runs
   * may begin from a stale cache.
   *
   * For several clusters, pass a function that returns the client of a partition. A run then writes
   * to the cluster of its key, and waits for the caches of that cluster only. Without a client for
   * the partition, requests fail with `RXI_UNKNOWN_PARTITION`, and the run is retried. All
   * collections with written objects need `keyOf: partitionedKey()` and the same partitions.
   */
  readonly client?: Client | ((partition: string) => Client | undefined) | undefined;
  /**
   * How long a key is held if a cache does not show a write, in milliseconds (default 90,000).
   * `Infinity` means no limit. When this time has passed, a `released` event and a warning follow,
   * and the key may run from a stale cache. The default is longer than the minute between two
   * bookmarks, which show the progress of a quiet watch. So the timeout ends the wait only if a
   * watch is dead or far behind. With a shorter time, a slow watch leads to runs on old state.
   */
  readonly observeTimeout?: number | undefined;
  /**
   * Queues a key only when it has not been triggered for this number of milliseconds (default: at
   * once). This leads to fewer and later runs. Retries and `requeueAfter` do not wait.
   */
  readonly debounce?: number | DebounceOptions | undefined;
  /**
   * The first value stops the controller: triggers are ignored, and running and queued keys are
   * finished. The second value ends the `gracePeriod`. Default: never. Unsubscribing aborts all
   * runs at once.
   */
  readonly stop$?: Observable<unknown> | undefined;
  /**
   * Milliseconds in which a stopping controller finishes its runs before they are aborted (default
   * 30,000, as for a pod; `Infinity`: no limit).
   */
  readonly gracePeriod?: number | undefined;
  /**
   * How many milliseconds all collections may take to sync (default 120,000, like
   * controller-runtime's CacheSyncTimeout). When this time has passed, a `sync-timeout` event and a
   * log line name the collections that have not synced, and the reasons. The controller continues
   * to wait. `Infinity` disables the event. The option costs one timer until all collections have
   * synced.
   */
  readonly syncTimeout?: number | undefined;
  /** The name of the controller in log lines (default `controller`). */
  readonly name?: string | undefined;
  /**
   * Receives log lines. Default: `warn` and `error` lines are written on the console, each as one
   * line, at most ten in a minute; the collections report their errors themselves. The levels are:
   * `info` for start and stop; `debug` for a run;
   * `warn` for a retry, and for a cache that the controller waits for; `error` for a failure that
   * is not retried, a trigger that failed, and a stop that was not requested. Errors of the
   * collections (`errors$`) are logged as `error`, or as `debug` if they are `expected` or if a
   * `waiting` event reports them. With `client`, warnings of the API server in responses to runs
   * are logged as `warn`, each text once for each resource. If the logger throws, the first error
   * of each level is emitted as a `hook-failed` event.
   *
   * Without a logger, `warn` lines about runs that read collections which are not listed, or that
   * write without their client, are written in development only.
   */
  readonly logger?: Logger | undefined;
  /** Of runs; default none. The first error of each hook is emitted as `hook-failed`. */
  readonly metrics?: Partial<ReconcileMetrics> | undefined;
  /** Of the queue; default none. The first error of each hook is emitted as `hook-failed`. */
  readonly queueMetrics?: Partial<QueueMetrics> | undefined;
}

/** Returns a resource client that sends its requests through the `client` of a run. */
export interface ClientOfRun {
  <T>(resource: Resource<T>, options?: ResourceClientOptions): ResourceClient<T>;
  /** Returns a copy of `client` with the same options, as `client.via` does. */
  <T>(client: ResourceClient<T>): ResourceClient<T>;
}

/** One run. `Client` is `KubeClient` with `controller({ client })`, else `undefined`. */
export interface ReconcileRequest<T, Client extends KubeClient | undefined = KubeClient | undefined> {
  readonly key: string;
  /** The version in the cache at the start of the run; `undefined` if there is none. */
  readonly object: T | undefined;
  /**
   * Of the primary collection, if it has one. Pass it to owner references and events: the objects
   * of a cache may not have their kind.
   */
  readonly resource: Resource<unknown> | undefined;
  /**
   * The `client` of the controller, for the writes of this run. The key does not run again before
   * the caches have observed these writes. After the run was unsubscribed from, for example because
   * leadership has ended, writes fail with `RXI_RUN_STOPPED` and are not sent. For the client of
   * one resource, call `clientOf`.
   */
  readonly client: Client;
  /**
   * Returns a resource client for this run: `clientOf(deployments, { fieldManager })`, or
   * `clientOf(deploymentClient)` for a long-lived one. Undefined without `client`.
   */
  readonly clientOf: Client extends KubeClient ? ClientOfRun : undefined;
  /**
   * The reasons for this run, each once, oldest first. If there are too many, only the newest are
   * kept. Use the reasons for logs only, and derive the work from the state of the objects.
   */
  readonly reasons: readonly ReconcileReason[];
  /** The number of the attempt: 1 plus the number of consecutive failures before it. */
  readonly attempt: number;
  /** Aborted after a timeout, the grace period or unsubscribing. Pass it to all awaited work. */
  readonly signal: AbortSignal;
  /** The controller's logger. Its lines have the name of the controller and the key. */
  readonly logger: Logger;
  /** Lets `whileOwned` hand the key over between replicas. Undefined without `client`. */
  readonly handOver?: RunHandOver | undefined;
}

const contentNames = { for: 1, owns: 1, watches: 1, reconcile: 1, client: 1, name: 1, logger: 1, queueMetrics: 1 };
const runNames = { observeTimeout: 1, debounce: 1, stop$: 1, gracePeriod: 1, syncTimeout: 1 };

/**
 * Adds defaults, and catches errors of hooks. Throws `RXI_INVALID_OPTION`.
 *
 * @param clockOfCollection the clock of the reconciled objects, if it is known
 */
export function checkedControllerOptions<T, Client extends KubeClient | undefined>(
  options: ControllerOptions<T, readonly AnyKubernetesObject[], readonly unknown[], unknown, Client>,
  clockOfCollection: SchedulerLike | undefined,
) {
  const { stop$ = NEVER, gracePeriod = 30_000, observeTimeout = 90_000, syncTimeout = 120_000 } = options;
  const { name = 'controller', client } = options;
  checkNames<Omit<ControllerOptions<never>, keyof WorkqueueOptions>>('an option of controller', options, () => ({
    ...contentNames,
    ...runNames,
  }));
  checkFunction('reconcile', options.reconcile, ', such as async ({ object, signal }) => { … }');
  checkObservable('stop$', stop$);
  const clock: ClientClock = typeof client === 'object' ? client : {};
  const scheduler = steady(options.scheduler ?? clock.scheduler ?? clockOfCollection);
  const hooks = new HookFailures();
  const queueMetrics = options.queueMetrics && safeQueueMetrics(options.queueMetrics, hooks.call, 'queueMetrics');
  const safe = (logger: Logger): Logger => loggerWith(safeLogger(logger, hooks.call), { controller: name });
  const logger = safe(options.logger ?? consoleWarnings(name, scheduler));
  const graceTime = timeOf('gracePeriod', gracePeriod);
  return {
    name,
    scheduler,
    hooks,
    stop$,
    graceIsOver$: graceTime === Infinity ? NEVER : timer(graceTime, scheduler),
    syncTimeout: timeOf('syncTimeout', syncTimeout),
    // Longer than the minute between two bookmarks of a watch.
    observeTimeout: timeOf('observeTimeout', observeTimeout),
    metrics: options.metrics && safeRunMetrics(options.metrics, hooks.call),
    queueOptions: checkedWorkqueueOptions({
      ...options,
      scheduler,
      random: randomOf(clock, options),
      metrics: queueMetrics,
    }),
    debounced: debounceKeys(options.debounce ?? 0, { joinReasons, scheduler }),
    logger,
    warnings: options.logger || isDevelopment() ? logger : silentLogger,
  };
}

function timeOf(name: string, milliseconds: number): number {
  return milliseconds === Infinity ? Infinity : checkedDuration(name, milliseconds);
}
