import { deployments, informer, listWatch, services, type InformerError, type KubeClient } from 'rx-informers';
import {
  controller,
  eventRecorder,
  resourceClient,
  silentLogger,
  whileLeading,
  type LeaderElection,
  type Logger,
  type Metrics,
  type ReconcileEvent,
} from 'rx-informers/controller';
import {
  asyncScheduler,
  concat,
  defer,
  finalize,
  ignoreElements,
  merge,
  NEVER,
  share,
  Subscription,
  tap,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { directoryIn } from './directory.js';
import { reconcileWebsite } from './reconcile-website.js';
import { websites } from './website.js';

export interface OperatorOptions {
  readonly client: KubeClient;
  /** Whether this replica leads. The operator ends when it has given leadership back. */
  readonly election: LeaderElection;
  /** This replica among those that run; the name of its pod is best. */
  readonly identity: string;
  /** Where the directory of all websites is (default `default`). */
  readonly namespace?: string;
  /** Only the websites of this namespace (default: of all). */
  readonly watchNamespace?: string | undefined;
  /** Its first value stops the operator: what it is doing is finished, then the lease is given back. The second one hurries it. */
  readonly stop$?: Observable<unknown>;
  readonly logger?: Logger;
  readonly metrics?: Metrics | undefined;
  readonly scheduler?: SchedulerLike;
  readonly random?: () => number;
}

const managed = { labelSelector: 'app.kubernetes.io/managed-by=website-operator' };

/**
 * Keeps a Deployment and a Service for each Website, while it leads. Its caches are warm while it does not, so that it can take over
 * at once.
 */
export function websiteOperator(options: OperatorOptions): Observable<ReconcileEvent> {
  const { client, election, identity, namespace = 'default', watchNamespace, stop$ = NEVER } = options;
  const { logger = silentLogger, metrics, scheduler = asyncScheduler, random = Math.random } = options;
  const time = { scheduler, random };
  // The operator stays connected while it runs, and lets go at once when it is stopped. The controller logs the
  // errors of its caches; a replica that does not lead has no controller.
  const cached = {
    linger: 0,
    onUnobservedError: (error: InformerError, cache: string) => {
      logger.error({ cache, error }, 'a cache reported an error');
    },
    ...time,
  };

  const listed = (name: string) => ({ namespace: watchNamespace, metrics: metrics?.listWatch(name), ...time });
  const websiteCache = informer(listWatch(client, websites, listed('websites')), cached);
  const deploymentCache = informer(listWatch(client, deployments, { ...listed('deployments'), ...managed }), cached);
  const serviceCache = informer(listWatch(client, services, { ...listed('services'), ...managed }), cached);

  return defer(() => {
    const recorder = eventRecorder(client, {
      reportingController: 'example.com/website-operator',
      reportingInstance: identity,
      logger,
      ...time,
    });
    const warm = new Subscription();
    for (const [name, cache] of Object.entries({ websiteCache, deploymentCache, serviceCache })) {
      warm.add(cache.connect());
      warm.add(metrics?.observe(name, cache));
    }

    const stopping$ = stop$.pipe(share());
    const written = { fieldManager: 'website-operator', scheduler };
    const reconciled$ = controller({
      name: 'website',
      // Its own status too is a reason to look again: a cache may be late, and what was decided on it is put right then.
      for: websiteCache,
      owns: [deploymentCache, serviceCache],
      reconcile: reconcileWebsite({
        websites: resourceClient(client, websites, written),
        deployments: resourceClient(client, deployments, written),
        services: resourceClient(client, services, written),
        directory: directoryIn(client, namespace, scheduler),
        recorder,
        clock: scheduler,
      }),
      concurrency: 4,
      timeout: 60_000,
      stop$: stopping$,
      logger,
      metrics: metrics?.reconcile('website'),
      queueMetrics: metrics?.queue('website'),
      scheduler,
    });

    const events$ = election.pipe(
      tap(({ type, ...details }) => {
        logger.info({ identity, ...details }, type);
      }),
      whileLeading(reconciled$, { stop$: stopping$ }),
    );
    // What was recorded is written, and the lease given back, before it is over; whoever unsubscribes does not wait for that.
    const atLast$ = merge(recorder.close(), election.released$).pipe(ignoreElements());
    return concat(events$, atLast$).pipe(
      finalize(() => {
        recorder.unsubscribe();
        warm.unsubscribe();
      }),
    );
  });
}
