/**
 * Runs an operator that keeps a Deployment and a Service for each Website.
 *
 *   npm start                                on an embedded API server with two websites
 *   npm start -- --context my-cluster        on a cluster (kubectl apply -f website-crd.yaml first)
 *   npm start -- --in-cluster                in a pod, with the rights of its ServiceAccount
 *   curl localhost:PORT/metrics              its metrics; the first lines of the log contain the port
 *   curl localhost:PORT/readyz               whether its caches have synced; if not, the reason
 *
 * In the root of the repository of rx-informers, the command is `npm run operator`.
 */
import { register } from 'prom-client';
import { leader$, type LeaderElection } from 'rx-informers/controller';
import { consoleLogger } from 'rx-informers/node';
import { prometheusMetrics } from 'rx-informers/prometheus';
import { NEVER, timer } from 'rxjs';
import { openCluster } from './cluster.js';
import { websiteOperator } from './operator.js';
import { parseOptions, stopWith } from './options.js';

const { identity, namespace, watchNamespace, duration, metricsPort, ...options } = parseOptions();
const cluster = await openCluster(options).catch(stopWith('cannot open the cluster'));
const logger = consoleLogger();
const meters = prometheusMetrics({ registry: register });
logger.info({ cluster: cluster.title, identity }, 'starting');

await websiteOperator({
  client: cluster.client,
  leader: electLeader(),
  identity,
  namespace,
  watchNamespace,
  health: { port: metricsPort },
  metrics: register,
  meters,
  closes: [cluster],
  logger,
  stop$: duration === undefined ? NEVER : timer(duration),
}).run();

/**
 * Creates the election. It checks its durations together, so an invalid combination is reported
 * here.
 */
function electLeader(): LeaderElection {
  try {
    return leader$(cluster.client, {
      lease: { namespace, name: 'website-operator' },
      identity,
      leaseDuration: options.leaderElectLeaseDuration,
      renewDeadline: options.leaderElectRenewDeadline,
      retryPeriod: options.leaderElectRetryPeriod,
      logger,
      metrics: meters.leaderElection('website-operator'),
    });
  } catch (error) {
    return stopWith('cannot take part in an election')(error);
  }
}
