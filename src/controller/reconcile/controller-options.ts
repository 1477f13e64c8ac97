import { NEVER, timer, type Observable, type OperatorFunction } from 'rxjs';
import type { Collection } from '../../informer/collection.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { schedulerOf, type KubeClient } from '../../sources/client/kube-client.js';
import { checkedDuration, steady } from '../../time/clock.js';
import { containedLogger, HookFailures } from '../contained.js';
import { checkFunction, checkObservable } from '../option-checks.js';
import type { ChangeSet } from '../../store/change.js';
import { loggerWith, silentLogger, type Logger } from '../logger.js';
import { containedMetrics, type QueueMetrics } from '../queue/queue-metrics.js';
import { checkedOptions, type WorkqueueOptions } from '../workqueue/workqueue-options.js';
import { debounceKeys, type DebounceOptions } from './debounce-keys.js';
import { containedRunMetrics, type ReconcileMetrics } from './reconcile-metrics.js';
import type { Resource } from '../../kubernetes/resource.js';
import { joinReasons, type ReconcileReason } from './reconcile-event.js';

/** Which changes of a collection trigger anything: `whereChanged`, `filterUpdates`, `resync`, or any operator on change sets. */
export type ChangeFilter<T> = OperatorFunction<ChangeSet<T>, ChangeSet<T>>;

/**
 * A collection, and which of its changes trigger (default: all). What is filtered out is in the cache all the same.
 *
 * Filter by generation (`filterUpdates(generationChanged)`) if only the runs write the status, and give the
 * controller its `client`. Without `client` do not: a run may begin before the cache has the status that the last run wrote, find
 * nothing to write, and only that change leads to the run which corrects it.
 */
export interface FilteredCollection<T> {
  readonly source: Collection<T>;
  /** Subscribed to once; where it errors, again 1 s later, which gives the whole state again. */
  readonly through?: ChangeFilter<NoInfer<T>> | undefined;
}

/** The objects that are reconciled. */
export type PrimarySource<T> = Collection<T> | FilteredCollection<T>;

/** Objects that belong to those that are reconciled, by their owner references. */
export type OwnedSource<T> = Collection<T> | OwnedCollection<T>;

/** `OwnedSource` with all that can be said about it. */
export interface OwnedCollection<T> extends FilteredCollection<T> {
  /** True: every owner is reconciled, not only the one that manages the object (default false: only `controller: true`). */
  readonly everyOwner?: boolean | undefined;
}

/** The result of a mapping function: a key, several, or nothing. */
export type MappedKeys = string | Iterable<string> | null | undefined;

/** Anything else that triggers runs. */
export interface WatchedSource<V> {
  /** A collection, whose objects are mapped (an update: both versions), or an Observable, whose values are. */
  readonly source: Collection<V> | Observable<V>;
  /** Of a collection: which changes count. Not for an Observable, which has operators of its own. */
  readonly through?: ChangeFilter<NoInfer<V>> | undefined;
  /** Gives the keys that are to be reconciled because of this. It may read other caches; before all have synced those may be empty. */
  readonly map: (value: NoInfer<V>) => MappedKeys;
}

/** Options of `controller`. */
export interface ControllerOptions<
  T,
  Owned extends readonly KubernetesObject[] | [] = readonly KubernetesObject[],
  Watched extends readonly unknown[] | [] = readonly unknown[],
  Output = unknown,
  Client extends KubeClient | undefined = KubeClient | undefined,
> extends Pick<
  WorkqueueOptions,
  'concurrency' | 'timeout' | 'rateLimiter' | 'maxRetries' | 'maxPassOvers' | 'scheduler'
> {
  /** What is reconciled; the keys are those of this collection. */
  readonly for: PrimarySource<T>;
  /**
   * What belongs to it: a change of an owned object reconciles its owner, both owners where it was handed over. The primary objects have
   * to be stored under `namespace/name`, or `name`, as they are unless `keyOf` says otherwise; then map them in `watches`.
   */
  readonly owns?: { readonly [Index in keyof Owned]: OwnedSource<Owned[Index]> } | undefined;
  /** What else triggers: other collections, and any Observable (a webhook, a timer, another controller). */
  readonly watches?: { readonly [Index in keyof Watched]: WatchedSource<Watched[Index]> } | undefined;
  /**
   * Brings the cluster to the state that one object describes. Returns nothing, a value, a promise, an Observable or an async
   * iterable, with `requeueAfter(ms)` among the values to run again. What it throws is retried, except for a `TerminalError`.
   */
  readonly reconcile: (request: ReconcileRequest<T, Client>) => Output;
  /**
   * The connection for what runs write. Each run gets it as `client`, and what it writes through it is remembered: its key
   * (not its worker) is held until every cache of the controller that holds the kind has observed the write, so that no
   * run begins without what the key's runs have written. What they wrote is recognised when it comes back through the
   * watch: it does not end the wait of a key that has failed. Default: none; runs may begin from a stale cache.
   */
  readonly client?: Client | undefined;
  /**
   * How long a key is held for a cache that does not show a write, in milliseconds (default 90,000); `Infinity` waits. It
   * ends with a `released` event and a warning, and the key may run from a stale cache. The default is longer than the
   * minute between two bookmarks, by which a live but quiet watch says how far it is, so that it ends the wait only of
   * a watch that is dead or far behind. Shorter, and a slow watch leads to runs on old state.
   */
  readonly observeTimeout?: number | undefined;
  /**
   * Waits until a key has been quiet for so many milliseconds before it is queued (default: it is queued at once). Fewer runs, each later;
   * retries and `requeueAfter` do not wait.
   */
  readonly debounce?: number | DebounceOptions | undefined;
  /**
   * Its first value stops the controller: nothing triggers any more, running and queued keys are finished. Its second value ends
   * the `gracePeriod`. Default: never. Unsubscribing aborts at once.
   */
  readonly stop$?: Observable<unknown> | undefined;
  /** How long finishing may take, in milliseconds (default 30,000, as the grace period of a pod); then runs are aborted. `Infinity` waits. */
  readonly gracePeriod?: number | undefined;
  /**
   * How many milliseconds all collections may take to sync (default 120,000, as controller-runtime's
   * CacheSyncTimeout). Then a `sync-timeout` event and a log line say which have not and why, and the
   * controller goes on waiting. `Infinity`: no such event. Costs one timer until they have synced.
   */
  readonly syncTimeout?: number | undefined;
  /** What it is called in log lines (default `controller`). */
  readonly name?: string | undefined;
  /**
   * Receives log lines; default none. Its life is `info`; a retry, and a cache that it waits for,
   * `warn`; a run `debug`; what is not tried again `error`. Errors of its collections (`errors$`) are
   * `error`, or `debug` if they are `expected` or `waiting` reports them. With `client`, what the API
   * server warns the runs of is `warn`, each text once for each resource. If the logger throws, the
   * first error of each level is a `hook-failed` event.
   */
  readonly logger?: Logger | undefined;
  /** Metrics hooks for runs; default none. The first error that a hook throws is a `hook-failed` event. */
  readonly metrics?: Partial<ReconcileMetrics> | undefined;
  /** Metrics hooks for the queue; default none. The first error that a hook throws is a `hook-failed` event. */
  readonly queueMetrics?: Partial<QueueMetrics> | undefined;
}

/** The argument of `reconcile`: one run. `Client` is `KubeClient` with `controller({ client })`, otherwise `undefined`. */
export interface ReconcileRequest<T, Client extends KubeClient | undefined = KubeClient | undefined> {
  readonly key: string;
  /** The newest version in the cache as the run begins; `undefined` where there is none any more. */
  readonly object: T | undefined;
  /**
   * The resource of the primary collection, `undefined` if that does not know it. Hand it to owner
   * references and events, so that they name the right kind whatever the cache keeps of the object.
   */
  readonly resource: Resource<unknown> | undefined;
  /**
   * The `client` of the controller, for what this run writes: the key does not run again before the
   * caches have observed it. `deploymentClient.via(client)` takes a long-lived client through it.
   */
  readonly client: Client;
  /** All that led to this run, oldest first, each once; of many the newest. For logs: what to do follows from the state. */
  readonly reasons: readonly ReconcileReason[];
  /** 1, or one more than the failures in a row before it. */
  readonly attempt: number;
  /** Aborted if the run takes too long, the grace period is over, or the subscriber leaves. Pass it to everything that the run waits for. */
  readonly signal: AbortSignal;
  /** The controller's logger; its lines say which controller, and which key. */
  readonly logger: Logger;
}

/**
 * Returns the options with their defaults, and their hooks contained.
 *
 * @throws `RangeError` or `TypeError` for options that make no sense
 */
export function checkedControllerOptions<T, Client extends KubeClient | undefined>(
  options: ControllerOptions<T, readonly KubernetesObject[], readonly unknown[], unknown, Client>,
) {
  const { stop$ = NEVER, gracePeriod = 30_000, observeTimeout = 90_000, syncTimeout = 120_000 } = options;
  const { name = 'controller', client } = options;
  checkFunction('reconcile', options.reconcile, ', such as async ({ object, signal }) => { … }');
  checkObservable('stop$', stop$);
  const scheduler = steady(schedulerOf(client ?? {}, options));
  const hooks = new HookFailures();
  const queueMetrics = options.queueMetrics && containedMetrics(options.queueMetrics, hooks.call, 'queueMetrics');
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
    metrics: options.metrics && containedRunMetrics(options.metrics, hooks.call),
    queueOptions: checkedOptions({ ...options, scheduler, metrics: queueMetrics }),
    debounced: debounceKeys(options.debounce ?? 0, { joinReasons, scheduler }),
    logger: loggerWith(containedLogger(options.logger ?? silentLogger, hooks.call), { controller: name }),
  };
}

function timeOf(name: string, milliseconds: number): number {
  return milliseconds === Infinity ? Infinity : checkedDuration(name, milliseconds);
}
