import { Observable, ReplaySubject, type SchedulerLike } from 'rxjs';
import type { Collection } from '../../collections/collection.js';
import { knownInternals } from '../../collections/log-collection.js';
import { invalidOptionError } from '../../kubernetes/errors.js';
import type { AnyKubernetesObject } from '../../kubernetes/object.js';
import { logWarnings } from '../../requests/resource-client/server-warnings.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { Leading } from '../leader-election/leadership.js';
import { UnsettledWork } from '../workqueue/held-keys.js';
import type { ResultOf } from '../workqueue/run.js';
import { type ClientOfPartition, clusterOfRun } from './cluster-of-run.js';
import { checkedControllerOptions, type ControllerOptions } from './controller-options.js';
import { type ControllerRunContext, runOf } from './controller-run.js';
import { RunLog, runPrefix } from './log-events.js';
import { ControllerReadiness, watchedCache, type Readiness } from './readiness.js';
import type { ReconcileEvent } from './reconcile-event.js';
import { runReconcile } from './run-reconcile.js';
import { sourcesOf, type Sources } from './sources.js';
import { StaleCacheGuard } from './stale-cache-guard.js';
import { UnguardedRuns } from './unguarded-runs.js';

/** A stream of events, and properties that can be read without subscribing. */
export interface Controller<Result = unknown> extends Observable<ReconcileEvent<Result>> {
  /** The `name` option. */
  readonly name: string;
  /** The clock of the timers: the option `scheduler`, or else that of the `client`, or of `for`. */
  readonly scheduler: SchedulerLike;
  /** The collections it reads, without duplicates: of `for`, then of `owns` and `watches`. */
  readonly caches: readonly Collection<unknown>[];
  /** True if all caches have synced and it was not stopped; needs no subscription. */
  readonly isReady: boolean;
  /**
   * Emits the readiness to each subscriber at once, and after each change. `ready$` never
   * completes, and does not connect caches: a replica on standby is ready if something else keeps
   * its caches running.
   *
   * A synced cache that has lost its connection is still ready, because it can be read.
   */
  readonly ready$: Observable<Readiness>;
  /**
   * Stops the controller, like a value of `stop$`; a second call ends the grace period. Later
   * subscriptions emit `stopping` and `stopped`, and complete.
   */
  stop(): void;
  /**
   * Returns the same controller as a part of a leadership. If it has a `client`, its keys wait for
   * the writes of the former leader, and its own writes are left to the next one. No run begins
   * after the renew deadline. {@link whileLeading} calls it if the controller is its work.
   */
  within(leadership: Pick<Leading, 'handOver'>): Observable<ReconcileEvent<Result>>;
}

/**
 * Runs `reconcile` for each object of a collection: when the object or one of its owned objects was
 * added, changed or deleted, when another source triggers its key, and again after a failed run.
 * Subscribing starts the controller, unsubscribing aborts it, and `stop$` ends it gracefully.
 *
 * | event | when |
 * | --- | --- |
 * | `waiting`, `recovered` | a cache cannot list or watch; the cache works again |
 * | `sync-timeout` | not all caches have synced within `syncTimeout` |
 * | `synced` | all caches have synced; runs begin |
 * | `started`, `emitted`, then `succeeded`, `failed` or `skipped` | the steps of one run |
 * | `held`, `released` | a key must not run again yet; the key may run again |
 * | `trigger-failed` | `map`, `through` or a source has failed |
 * | `hook-failed` | the logger or a metrics hook has thrown |
 * | `stopping`, `dropped`, `stopped` | the controller stops; a waiting key will not run; all runs have ended. Completion follows |
 *
 * **Guarantees**: nothing is reconciled before all collections have synced. Then each key is
 * reconciled at least once after its last trigger, never twice at the same time, with the object
 * that is in the cache when the run begins. Recent changes are reconciled before the initial list
 * and resyncs (`lowPriority`). Errors of `reconcile`, `map` and `through` become events, and
 * everything else continues. The collections run while the controller is subscribed to; other code
 * may use them too. Unsubscribing aborts the signals of all runs; no timer and no request is left.
 * With `client`, no run begins from a cache that lacks the writes of earlier runs of its key,
 * unless a `released` event was emitted before. A failed key waits for its retry even if the watch
 * shows a write of the failed run.
 *
 * **Does not guarantee**: that a run sees each change, because many changes may lead to one run.
 * The caches may show different moments: an owned object may be in its cache before its owner is in
 * the cache of owners. When a run is aborted, the work behind a promise goes on unless it responds
 * to `signal`.
 *
 * **Collections that end** (`informer.stop()`, a source that completes) end the controller too, at
 * once: runs are aborted, because they would take an empty cache for an empty cluster. If an
 * Observable in `watches` ends, everything else continues. If this Observable may error, add
 * `retry()` to it.
 *
 * @param options the collections, `reconcile`, and the limits; see {@link ControllerOptions}
 * @returns a stream of events, which does not error
 * @throws `RXI_INVALID_OPTION` if an option is invalid
 * @example
 * import {
 *   deployments,
 *   filterUpdates,
 *   generationChanged,
 *   informer,
 *   type Deployment,
 *   type KubeClient,
 *   type KubernetesObject,
 *   type Resource,
 * } from 'rx-informers';
 * import { controller, requeueAfter } from 'rx-informers/controller';
 * import { resourceClient, type AppliedObject } from 'rx-informers/requests';
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
 * const deploymentClient = resourceClient(client, deployments, {
 *   fieldManager: 'website-operator',
 * });
 *
 * controller({
 *   name: 'website',
 *   for: {
 *     source: websiteInformer,
 *     through: filterUpdates(generationChanged),
 *   },
 *   owns: [deploymentInformer],
 *   concurrency: 4,
 *   timeout: 60_000,
 *   stop$: fromEvent(process, 'SIGTERM'),
 *   logger: console,
 *   reconcile: async ({ object: website, signal }) => {
 *       // The website was deleted. The cluster deletes the objects that it owned.
 *     if (!website) return;
 *     const deployment = await deploymentClient.apply(deploymentOf(website), { signal });
 *       // A change of the Deployment triggers the next run. A stuck Deployment does not change.
 *     if (deployment.status?.readyReplicas !== website.spec.replicas) return requeueAfter(60_000);
 *   },
 * }).subscribe();
 */
export function controller<
  T,
  Owned extends readonly AnyKubernetesObject[] | [],
  Watched extends readonly unknown[] | [],
  Output,
  Client extends KubeClient | undefined = undefined,
>(options: ControllerOptions<T, Owned, Watched, Output, Client>): Controller<ResultOf<Output>> {
  const sources = sourcesOf<T>(options);
  const checked = checkedControllerOptions(options, knownInternals(sources.primary.collection)?.scheduler);
  const client = options.client as KubeClient | ClientOfPartition | undefined;
  if (typeof client === 'function' && knownInternals(sources.primary.collection)?.isPartitioned === false) {
    throw invalidOptionError('client', client, 'one client, unless the collection `for` has keyOf: partitionedKey()');
  }
  const { name, scheduler, logger, stop$ } = checked;
  const observed = (took: number): void => checked.metrics?.observed(took);
  const unguarded = new UnguardedRuns(checked.warnings);
  const guarding = { ...checked, caches: sources.collections, unguarded, observed };
  const guard = client && new StaleCacheGuard({ client, ...guarding });
  const log = new RunLog({
    logger,
    // Without a logger, the caches report their errors themselves.
    hasCacheErrors: options.logger !== undefined,
    prefix: runPrefix(scheduler),
    objectOf: (key) => sources.primary.collection.snapshot.get(key),
  });
  const reconcile = unguarded.checkedReads(options.reconcile, sources.collections);
  const run = runReconcile(reconcile, sources, {
    handOverOf: (key, context) => guard?.handOver.runOf(key, context),
    loggerOf: (key) => log.loggerOf(key),
    clientOf: (key, signal) => {
      if (!client || !guard) return undefined as Client;
      const { client: own, partition } = clusterOfRun(client, key);
      const logged = options.logger ? logWarnings(own, log.loggerOf(key), logger) : own;
      return guard.clientOf(logged, { key, partition, signal }) as Client;
    },
  });
  const caches = sources.collections.map(watchedCache);
  const readiness = new ControllerReadiness(caches);
  const stops = new ReplaySubject<void>(1);
  const context: ControllerRunContext = {
    ...checked,
    sources: sources as Sources<unknown>,
    caches,
    readiness,
    run,
    unsettled: new UnsettledWork(scheduler),
    guard,
    stops: [stop$, stops],
    log,
  };
  const stop = (): void => {
    stops.next();
    readiness.stop();
  };
  const collections = sources.collections.map(({ collection }) => collection);
  return new SubscribableController(
    ({ handOver }) => runOf(context, handOver) as Observable<ReconcileEvent<ResultOf<Output>>>,
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
    readonly within: Controller<Result>['within'],
    readonly name: string,
    readonly scheduler: SchedulerLike,
    readonly caches: readonly Collection<unknown>[],
    private readonly readiness: ControllerReadiness,
    readonly stop: () => void,
  ) {
    super((subscriber) => within({}).subscribe(subscriber));
    this.ready$ = readiness.ready$;
  }

  get isReady(): boolean {
    return this.readiness.isReady;
  }
}
