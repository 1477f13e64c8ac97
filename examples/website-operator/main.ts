/**
 * An operator: a Deployment and a Service for each Website.
 *
 *   npm run operator                              on an embedded API server with two websites
 *   npm run operator -- --context my-cluster      on a cluster (kubectl apply -f examples/website-operator/website-crd.yaml first)
 *   curl localhost:PORT/metrics                   what it is doing; the port is in the first line of the log
 *   curl -i localhost:PORT/healthz                whether it is well, for a liveness probe
 */
import { Registry } from 'prom-client';
import { leader$, type LeaderElection } from 'rx-informers/controller';
import { prometheusMetrics } from 'rx-informers/prometheus';
import { finalize, fromEvent, merge, NEVER, timer } from 'rxjs';
import { stopWith } from '../support/stop-with.js';
import { openCluster } from './cluster.js';
import { jsonLogger } from './json-logger.js';
import { metricsServer } from './metrics-server.js';
import { websiteOperator } from './operator.js';
import { parseOptions } from './options.js';

const { identity, namespace, watchNamespace, duration, metricsPort, ...options } = parseOptions(process.argv);
const cluster = await openCluster(options).catch(stopWith('cannot open the cluster'));
const logger = jsonLogger((line) => {
  console.log(line);
});
const registry = new Registry();
const metrics = prometheusMetrics({ registry });

const election = electLeader();

const server = metricsServer(registry, {
  port: metricsPort,
  isHealthy: () => election.checkHealth() === undefined,
}).subscribe({
  next: (port) => {
    logger.info({ cluster: cluster.title, identity, metrics: `http://localhost:${port}/metrics` }, 'started');
  },
  error: stopWith(`cannot serve metrics on port ${metricsPort}`),
});

websiteOperator({
  client: cluster.client,
  election,
  identity,
  namespace,
  watchNamespace,
  stop$: merge(
    duration === undefined ? NEVER : timer(duration),
    fromEvent(process, 'SIGINT'),
    fromEvent(process, 'SIGTERM'),
  ),
  logger,
  metrics,
})
  .pipe(
    finalize(() => {
      server.unsubscribe();
      void cluster.close();
    }),
  )
  .subscribe({
    complete: () => {
      logger.info({}, 'stopped');
    },
  });

/** Durations that make no sense together are known only here. */
function electLeader(): LeaderElection {
  try {
    return leader$(cluster.client, {
      lease: { namespace, name: 'website-operator' },
      identity,
      leaseDuration: options.leaderElectLeaseDuration,
      renewDeadline: options.leaderElectRenewDeadline,
      retryPeriod: options.leaderElectRetryPeriod,
      metrics: metrics.leaderElection('website-operator'),
    });
  } catch (error) {
    return stopWith('cannot take part in an election')(error);
  }
}
