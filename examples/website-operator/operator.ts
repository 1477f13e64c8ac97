import { configMaps, deployments, informer, services, type KubeClient } from 'rx-informers';
import { controller, eventRecorder, silentLogger, type LeaderElection, type Metrics } from 'rx-informers/controller';
import { manager, type Manager, type ManagerOptions } from 'rx-informers/node';
import { resourceClient } from 'rx-informers/requests';
import { asyncScheduler } from 'rxjs';
import { directoryIn, directoryName, websitesIn } from './directory.js';
import { reconcileWebsite } from './reconcile-website.js';
import { websites } from './website.js';

/** The options of the operator, and those that it passes to its `manager`. */
export interface OperatorOptions extends Pick<
  ManagerOptions,
  'closes' | 'gracePeriod' | 'health' | 'logger' | 'metrics' | 'stop$'
> {
  readonly client: KubeClient;
  /** Decides which replica is active. */
  readonly leader: LeaderElection;
  /** The name of this replica in Events; preferably the name of its pod. */
  readonly identity: string;
  /** The namespace of the directory of all websites; default: `default`. */
  readonly namespace?: string;
  /** The only namespace whose websites are handled; default: all. */
  readonly watchNamespace?: string | undefined;
  /** The metrics to record; default: none. */
  readonly meters?: Metrics | undefined;
}

const managed = { labelSelector: 'app.kubernetes.io/managed-by=website-operator' };

/**
 * Keeps a Deployment and a Service for each Website while this replica is the leader. A standby
 * replica keeps its caches up to date, so that it can take over at once.
 */
export function websiteOperator(options: OperatorOptions): Manager {
  const { client, identity, namespace = 'default', watchNamespace, closes = [] } = options;
  const { logger = silentLogger, meters } = options;
  const { scheduler, random } = client;
  // The manager keeps the caches running. They stop at once when the manager stops.
  const cached = (name: string) => ({ namespace: watchNamespace, metrics: meters?.listWatch(name), linger: 0 });
  const websiteCache = informer(client, websites, cached('websites'));
  const deploymentCache = informer(client, deployments, { ...cached('deployments'), ...managed });
  const serviceCache = informer(client, services, { ...cached('services'), ...managed });
  const directoryCache = informer(client, configMaps, {
    ...cached('directory'),
    namespace,
    fieldSelector: `metadata.name=${directoryName}`,
  });
  meters?.observe('websites', websiteCache);
  meters?.observe('deployments', deploymentCache);
  meters?.observe('services', serviceCache);
  meters?.observe('directory', directoryCache);

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
    // No owner reference leads from the directory to its websites. A former leader that was
    // suspended may write an entry at any time, so an entry without a website starts a run.
    watches: [
      {
        source: directoryCache,
        map: (directory) => websitesIn(directory).filter((key) => websiteCache.get(key) === undefined),
      },
    ],
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
    // Writes the recorded Events before the client is closed.
    closes: [recorder, ...closes],
    logger,
  });
}
