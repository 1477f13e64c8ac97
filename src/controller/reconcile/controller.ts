import { Observable, ReplaySubject, type SchedulerLike } from 'rxjs';
import type { Collection } from '../../informer/collection.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { wallTime } from '../../time/clock.js';
import { logWarnings } from '../api/server-warnings.js';
import { silentLogger } from '../logger.js';
import { UnsettledWork } from '../workqueue/held-keys.js';
import type { ResultOf } from '../workqueue/run.js';
import { checkedControllerOptions, type ControllerOptions } from './controller-options.js';
import { lifeOf } from './life.js';
import { RunLog } from './log-events.js';
import { ControllerReadiness, watchedCache, type Readiness } from './readiness.js';
import type { ReconcileEvent } from './reconcile-event.js';
import { runReconcile, sourcesOf, type Sources } from './sources.js';
import { StaleCacheGuard } from './stale-cache-guard.js';

/** What `controller` returns: a stream of events, and what a process needs to know about it without subscribing. */
export interface Controller<Result = unknown> extends Observable<ReconcileEvent<Result>> {
  /** The `name` option. */
  readonly name: string;
  /** The clock of its timers: the option `scheduler`, or that of its `client`. */
  readonly scheduler: SchedulerLike;
  /** The collections it reads, each once: that of `for`, then those of `owns` and `watches`. */
  readonly caches: readonly Collection<unknown>[];
  /** True if all its caches have synced and it was not stopped, whether it is subscribed to or not. */
  readonly isReady: boolean;
  /**
   * Emits the readiness to each subscriber at once, and after each change. It never completes, and
   * connects nothing: a replica on standby is ready if something else keeps its caches running.
   *
   * A cache that has synced and lost its connection is still ready: it serves what it has.
   */
  readonly ready$: Observable<Readiness>;
  /**
   * Stops it, like a value of `stop$`; a second call ends the grace period. It stays stopped: each
   * later subscription emits `stopping` and `stopped`, and completes.
   */
  stop(): void;
}

/**
 * Runs `reconcile` for every object of a collection: when it was added, changed or deleted, when an object that it owns was, when
 * another source triggers it, and again until it succeeds. Subscribing starts it, unsubscribing aborts it, `stop$` ends it gracefully.
 *
 * It emits what happens: `waiting` and `recovered` for a cache that cannot list or watch; `synced`, then `started`, `emitted`, and
 * `succeeded` or `failed` for each run; `trigger-failed` if a `map` or a source fails; and in the end `stopping`, `dropped` for each
 * waiting key, `stopped`, and completion.
 *
 * **Guarantees**: nothing is reconciled before all collections have synced. Then each key is reconciled at least once after the last
 * thing that triggered it, never twice at once, with the newest object in the cache as the run begins. Recent changes go before the
 * initial list and resyncs (`lowPriority`). What `reconcile`, `map` and `through` throw is an event, and everything else goes on. Its
 * collections run while it is subscribed to, shared with their other users. Unsubscribing aborts the signals of all runs; no timer
 * and no request is left. With `client`, no run begins from a cache that lacks what the runs of its key have written, unless the end
 * of that wait was announced; and a key that has failed waits for its retry although its own write comes back.
 *
 * **Does not guarantee**: that a run sees each change: many are one run. That the caches are of one moment: an owned object may be
 * known before its owner. That work behind a promise is over when its run was aborted: it has to heed `signal`.
 *
 * **Collections that end** (`informer.stop()`, a source that completes) end the controller too, at once: runs are aborted, because
 * they would take an empty cache for an empty cluster. If an Observable in `watches` ends, everything else goes on; give it a
 * `retry()` to survive its errors.
 *
 * @returns a stream of events, which does not error
 * @throws `RangeError` or `TypeError` for options that make no sense
 * @example
 * import { deployments, informer, whereChanged, type Deployment, type KubeClient, type KubernetesObject, type Resource } from 'rx-informers';
 * import { controller, requeueAfter, resourceClient, type AppliedObject } from 'rx-informers/controller';
 * import { fromEvent } from 'rxjs';
 *
 * interface Website extends KubernetesObject {
 *   readonly spec: { readonly replicas: number };
 * }
 * declare const client: KubeClient;
 * declare const websites: Resource<Website>;
 * declare function deploymentOf(website: Website): AppliedObject<Deployment>;
 *
 * const websiteInformer = informer(client, websites);
 * const deploymentInformer = informer(client, deployments);
 * const deploymentClient = resourceClient(client, deployments, { fieldManager: 'website-operator' });
 *
 * controller({
 *   name: 'website',
 *   for: { source: websiteInformer, through: whereChanged((website) => website.metadata?.generation) },
 *   owns: [deploymentInformer],
 *   concurrency: 4,
 *   timeout: 60_000,
 *   stop$: fromEvent(process, 'SIGTERM'),
 *   logger: console,
 *   reconcile: async ({ object: website, signal }) => {
 *     // Gone: what it owned is collected by the cluster.
 *     if (!website) return;
 *     const deployment = await deploymentClient.apply(deploymentOf(website), { signal });
 *     // A change of the Deployment triggers the next run; this is for the case that nothing changes any more.
 *     if (deployment.status?.readyReplicas !== website.spec.replicas) return requeueAfter(60_000);
 *   },
 * }).subscribe();
 */
export function controller<
  T,
  Owned extends readonly KubernetesObject[] | [],
  Watched extends readonly unknown[] | [],
  Output,
  Client extends KubeClient | undefined = undefined,
>(options: ControllerOptions<T, Owned, Watched, Output, Client>): Controller<ResultOf<Output>> {
  const sources = sourcesOf<T>(options);
  const checked = checkedControllerOptions(options);
  const { client } = options;
  const { name, scheduler, logger, observeTimeout, stop$ } = checked;
  const guard = client && new StaleCacheGuard({ caches: sources.collections, observeTimeout, scheduler, logger });
  const log =
    options.logger &&
    new RunLog({
      logger,
      prefix: wallTime(scheduler).toString(36),
      objectOf: (key) => sources.primary.collection.snapshot.get(key),
    });
  const run = runReconcile(options.reconcile, sources, {
    loggerOf: (key) => log?.loggerOf(key) ?? silentLogger,
    clientOf: (key) =>
      (client && guard?.clientOf(log ? logWarnings(client, log.loggerOf(key), logger) : client, key)) as Client,
  });
  const caches = sources.collections.map(watchedCache);
  const readiness = new ControllerReadiness(caches);
  const stops = new ReplaySubject<void>(1);
  const events$ = lifeOf({
    ...checked,
    sources: sources as Sources<unknown>,
    caches,
    readiness,
    run,
    unsettled: new UnsettledWork(scheduler),
    guard,
    stops: [stop$, stops],
    log,
  });
  const stop = (): void => {
    stops.next();
    readiness.stop();
  };
  const collections = sources.collections.map(({ collection }) => collection);
  return new SubscribableController(
    events$ as Observable<ReconcileEvent<ResultOf<Output>>>,
    name,
    scheduler,
    collections,
    readiness,
    stop,
  );
}

class SubscribableController<Result> extends Observable<ReconcileEvent<Result>> implements Controller<Result> {
  readonly ready$: Observable<Readiness>;

  constructor(
    events$: Observable<ReconcileEvent<Result>>,
    readonly name: string,
    readonly scheduler: SchedulerLike,
    readonly caches: readonly Collection<unknown>[],
    private readonly readiness: ControllerReadiness,
    readonly stop: () => void,
  ) {
    super((subscriber) => events$.subscribe(subscriber));
    this.ready$ = readiness.ready$;
  }

  get isReady(): boolean {
    return this.readiness.isReady;
  }
}
