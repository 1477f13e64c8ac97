import { deployments, informer, services, type KubeClient } from 'rx-informers';
import {
  controller,
  eventRecorder,
  resourceClient,
  silentLogger,
  type LeaderElection,
  type Metrics,
} from 'rx-informers/controller';
import { manager, type Manager, type ManagerOptions } from 'rx-informers/node';
import { asyncScheduler } from 'rxjs';
import { directoryIn } from './directory.js';
import { reconcileWebsite } from './reconcile-website.js';
import { websites } from './website.js';

/** What the operator needs, and what it passes on to its `manager`. */
export interface OperatorOptions extends Pick<
  ManagerOptions,
  'closes' | 'gracePeriod' | 'health' | 'logger' | 'metrics' | 'stop$'
> {
  readonly client: KubeClient;
  /** Decides which replica works. */
  readonly leader: LeaderElection;
  /** Names this replica in events; the name of its pod is best. */
  readonly identity: string;
  /** Where the directory of all websites is (default `default`). */
  readonly namespace?: string;
  /** Only the websites of this namespace (default: of all). */
  readonly watchNamespace?: string | undefined;
  /** What is measured (default: nothing). */
  readonly meters?: Metrics | undefined;
}

const managed = { labelSelector: 'app.kubernetes.io/managed-by=website-operator' };

/**
 * Keeps a Deployment and a Service for each Website, while it leads. Its caches are warm while it does not, so that it can take over
 * at once.
 */
export function websiteOperator(options: OperatorOptions): Manager {
  const { client, identity, namespace = 'default', watchNamespace, closes = [] } = options;
  const { logger = silentLogger, meters } = options;
  const { scheduler, random } = client;
  // The manager keeps the caches running; they go at once when it stops.
  const cached = (name: string) => ({ namespace: watchNamespace, metrics: meters?.listWatch(name), linger: 0 });
  const websiteCache = informer(client, websites, cached('websites'));
  const deploymentCache = informer(client, deployments, { ...cached('deployments'), ...managed });
  const serviceCache = informer(client, services, { ...cached('services'), ...managed });
  for (const [name, cache] of Object.entries({ websiteCache, deploymentCache, serviceCache })) {
    meters?.observe(name, cache);
  }

  const recorder = eventRecorder(client, {
    reportingController: 'example.com/website-operator',
    reportingInstance: identity,
    logger,
    scheduler,
    random,
  });
  const written = { fieldManager: 'website-operator' };
  const websiteController = controller({
    name: 'website',
    for: websiteCache,
    owns: [deploymentCache, serviceCache],
    client,
    reconcile: reconcileWebsite({
      websites: resourceClient(client, websites, written),
      deployments: resourceClient(client, deployments, written),
      services: resourceClient(client, services, written),
      directory: directoryIn(client, namespace),
      recorder,
      clock: scheduler ?? asyncScheduler,
    }),
    concurrency: 4,
    timeout: 60_000,
    logger,
    metrics: meters?.reconcile('website'),
    queueMetrics: meters?.queue('website'),
  });

  return manager({
    ...options,
    controllers: [websiteController],
    // What was recorded is written before the client is closed.
    closes: [recorder, ...closes],
    logger,
  });
}
