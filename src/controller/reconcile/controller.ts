import { filter, identity, map, merge, NEVER, Observable, ReplaySubject, Subject, takeUntil, timer } from 'rxjs';
import type { Collection } from '../../informer/collection.js';
import { steady, wallTime, checkedDuration } from '../../time/clock.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { logWarnings } from '../api/server-warnings.js';
import { containedLogger, HookFailures } from '../contained.js';
import { silentLogger, type Logger, loggerWith } from '../logger.js';
import { checkFunction, checkObservable } from '../option-checks.js';
import { containedMetrics } from '../queue/queue-metrics.js';
import type { ResultOf, RunContext } from '../workqueue/run.js';
import { checkedOptions } from '../workqueue/workqueue-options.js';
import { UnsettledWork } from '../workqueue/held-keys.js';
import { runKeys } from '../workqueue/workqueue.js';
import { watchedCache, ControllerReadiness, type Readiness } from './readiness.js';
import { caches, lifeStep, type LifeEffect, type LifeInput, type LifePhase, stopInputs, StopTally } from './life.js';
import type { ControllerOptions, ReconcileRequest } from './controller-options.js';
import { debounceKeys } from './debounce-keys.js';
import { fromQueueEvent, type ReconcileEvent, joinReasons, reasonsOfRun, type ReasonText } from './reconcile-event.js';
import { logCacheErrors, RunLog } from './log-events.js';
import { measureRuns, containedRunMetrics } from './reconcile-metrics.js';
import { sourcesOf, type Sources } from './sources.js';
import { StaleCacheGuard } from './stale-cache-guard.js';
import { triggers } from './triggers.js';
import { watchCaches } from './watch-caches.js';
import { RxInformersError } from '../../kubernetes/errors.js';

/** What `controller` returns: a stream of events, and what a process needs to know about it without subscribing. */
export interface Controller<Result = unknown> extends Observable<ReconcileEvent<Result>> {
  /** The `name` option. */
  readonly name: string;
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
 * Runs `reconcile` for every object of a collection: when it came, changed or went, when something that it owns did, when anything else
 * says so; and again until it succeeds. Subscribing starts it, unsubscribing aborts it, `stop$` ends it gracefully.
 *
 * It tells what happens: `waiting` and `recovered` for a cache that cannot list or watch; `synced`, then `started`,
 * `emitted`, and `succeeded` or `failed` for each run; `trigger-failed` where a `map` or a source fails; and in the end
 * `stopping`, `dropped` for each key that was waiting, `stopped`, and completion.
 *
 * **Guarantees**: nothing is reconciled before all collections have synced; then each key is at least once after the last thing that
 * triggered it, never twice at once, with the newest object in the cache as the run begins; what just changed goes before the initial
 * list and resyncs (`lowPriority`). Whatever `reconcile`, `map` and `through` throw is an event, and everything else goes on. Its
 * collections run while it is subscribed to, shared with whoever else uses them. Unsubscribing aborts the signals of all runs; no
 * timer and no request is left.
 * With `client`, no run begins from a cache that lacks what the runs of its key have written, or the end of that wait was announced; and a
 * key that has failed waits for its retry although its own write comes back.
 * **Does not guarantee**: that a run sees each change: many are one run. That the caches are of one moment: an owned object may be
 * known before its owner. That work behind a promise is over when its run was aborted: it has to heed `signal`.
 * **Collections that end** (`informer.stop()`, a source that completes) end it too, at once: runs are aborted, because they would
 * take an empty cache for an empty cluster. An Observable in `watches` that ends is just over; give it a `retry()` to survive its errors.
 * **Errors**: a `RangeError` or `TypeError` at once for options that make no sense. The stream itself does not error.
 *
 * @example
 * import { deployments, informer, listWatch, whereChanged, type Deployment, type KubeClient, type KubernetesObject, type Resource } from 'rx-informers';
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
 * const websiteInformer = informer(listWatch(client, websites));
 * const deploymentInformer = informer(listWatch(client, deployments));
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
  const scheduler = steady(options.scheduler);
  const { stop$ = NEVER, gracePeriod = 30_000, name = 'controller' } = options;
  checkFunction('reconcile', options.reconcile, ', such as async ({ object, signal }) => { … }');
  checkObservable('stop$', stop$);
  const sources = sourcesOf<T>(options);
  const hooks = new HookFailures();
  const queueMetrics = options.queueMetrics && containedMetrics(options.queueMetrics, hooks.call, 'queueMetrics');
  const metrics = options.metrics && containedRunMetrics(options.metrics, hooks.call);
  const queueOptions = checkedOptions({ ...options, metrics: queueMetrics });
  const debounced = debounceKeys(options.debounce ?? 0, { joinReasons, scheduler });
  const graceIsOver$ = gracePeriod === Infinity ? NEVER : timer(checkedDuration('gracePeriod', gracePeriod), scheduler);
  const logger = loggerWith(containedLogger(options.logger ?? silentLogger, hooks.call), { controller: name });
  const unsettled = new UnsettledWork(scheduler);
  const { client, observeTimeout } = options;
  const guard = client && new StaleCacheGuard({ caches: sources.collections, observeTimeout, scheduler, logger });
  const log =
    options.logger &&
    new RunLog({
      logger,
      prefix: wallTime(scheduler).toString(36),
      objectOf: (key) => sources.primary.collection.snapshot.get(key),
    });
  const clientOf = (key: string) =>
    (client && guard?.clientOf(log ? logWarnings(client, log.loggerOf(key), logger) : client, key)) as Client;
  const run = runReconcile(options.reconcile, sources, {
    loggerOf: (key) => log?.loggerOf(key) ?? silentLogger,
    clientOf,
  });
  const stops = new ReplaySubject<void>(1);
  const watchedCaches = sources.collections.map(watchedCache);
  const readiness = new ControllerReadiness(watchedCaches);
  const syncTimeout = checkedSyncTimeout(options.syncTimeout);

  // Runs end first, while the caches that they read are there; then nothing triggers any more; then the caches may go.
  const events$ = new Observable<ReconcileEvent<ResultOf<Output>>>((subscriber) => {
    const runsStart = new Subject<void>();
    const intakeStops = new ReplaySubject<void>(1);
    const drainEnds = new ReplaySubject<void>(1);
    const tally = new StopTally();
    const meter = metrics && measureRuns(metrics, queueOptions);
    let phase: LifePhase = 'syncing';

    const tell = (event: ReconcileEvent<ResultOf<Output>>): void => {
      if (subscriber.closed) return;
      tally.count(event, scheduler.now());
      if (event.type === 'stopping') readiness.stopping();
      meter?.count(event);
      log?.write(event);
      subscriber.next(event);
      for (const failed of hooks.take()) {
        log?.write(failed);
        subscriber.next(failed);
      }
    };
    const effects: Readonly<Record<LifeEffect, (input: LifeInput) => void>> = {
      tell,
      'start-runs': () => runsStart.next(),
      'stop-intake': () => intakeStops.next(),
      'end-drain': () => drainEnds.next(),
    };
    const happen = (input: LifeInput): void => {
      const step = lifeStep(phase, input);
      phase = step.phase;
      for (const effect of step.effects) effects[effect](input);
    };

    const inputs$ = merge(NEVER, triggers(sources, { report: tell, scheduler })).pipe(takeUntil(intakeStops));
    const guarded = guard?.begin(tell);
    const runs$ = inputs$.pipe(
      guarded?.triggers ?? identity,
      debounced,
      (keys$) => {
        const drainUntil = merge(graceIsOver$, drainEnds);
        return runKeys(keys$, run, { ...queueOptions, startWhen: runsStart, drainUntil }, { unsettled, ...guarded });
      },
      guarded?.events() ?? identity,
      filter((event) => event.type !== 'refused'),
      map(fromQueueEvent),
    );
    const error = (cause: unknown): void => {
      subscriber.error(cause);
    };
    const complete = (): void => {
      tell(tally.stopped(scheduler.now()));
      subscriber.complete();
    };
    readiness.begin();
    subscriber.add(() => {
      meter?.end();
      readiness.end();
    });
    if (options.logger) subscriber.add(logCacheErrors(sources.collections, logger));
    subscriber.add(stopInputs(stop$).subscribe(happen));
    subscriber.add(stopInputs(stops).subscribe(happen));
    const waiting$ = watchCaches(watchedCaches, { syncTimeout, scheduler });
    subscriber.add(waiting$.pipe(takeUntil(intakeStops)).subscribe(tell));
    subscriber.add(runs$.subscribe({ next: tell, error, complete }));
    // Whoever was to stop before he began connects nothing.
    if (!subscriber.closed) subscriber.add(caches(sources.collections, scheduler).subscribe(happen));
  });
  const stop = (): void => {
    stops.next();
    readiness.stop();
  };
  const collections = sources.collections.map(({ collection }) => collection);
  return new SubscribableController(events$, name, collections, readiness, stop);
}

function checkedSyncTimeout(syncTimeout = 120_000): number {
  return syncTimeout === Infinity ? Infinity : checkedDuration('syncTimeout', syncTimeout);
}

class SubscribableController<Result> extends Observable<ReconcileEvent<Result>> implements Controller<Result> {
  readonly ready$: Observable<Readiness>;

  constructor(
    events$: Observable<ReconcileEvent<Result>>,
    readonly name: string,
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

/**
 * A key was about to be reconciled after one of the controller's collections had stopped: an empty
 * cache is no statement about the cluster.
 *
 * **What to do**: Stop the controller before its informers.
 *
 * **Expected**: during shutdown, if informers stop first.
 */
export class CollectionEndedError extends RxInformersError {
  static override readonly code = 'RXI_COLLECTION_ENDED';
  override readonly name = 'CollectionEndedError';
  constructor(
    readonly key: string,
    /** Which one: `for`, `owns[0]`, `watches[2]`. */
    readonly trigger: string,
  ) {
    super(`${key} was not reconciled, because the collection of ${trigger} was stopped`);
  }
}

/** What the requests carry. */
export interface RunReconcileContext<Client> {
  /** Returns the logger of a run. */
  readonly loggerOf: (key: string) => Logger;
  /** Returns the client of a run. */
  readonly clientOf: (key: string) => Client;
}

/** What the queue runs: `reconcile`, with what the caches say now. */
export function runReconcile<T, Client extends KubeClient | undefined, Output>(
  reconcile: (request: ReconcileRequest<T, Client>) => Output,
  { primary, collections }: Sources<T>,
  { loggerOf, clientOf }: RunReconcileContext<Client>,
): (key: string, context: RunContext<ReasonText>) => Output {
  return (key, { signal, attempt, reasons: texts }) => {
    const ended = collections.find(({ collection }) => !collection.hasSynced);
    if (ended) throw new CollectionEndedError(key, ended.trigger);
    const object = primary.collection.snapshot.get(key);
    const reasons = reasonsOfRun(texts, attempt);
    const { resource } = primary.collection;
    const client = clientOf(key);
    return reconcile({ key, object, resource, client, reasons, attempt, signal, logger: loggerOf(key) });
  };
}
