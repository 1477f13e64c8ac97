import { type Registry, type RegistryContentType, Counter, Gauge, Histogram } from 'prom-client';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { histogramBuckets } from '../controller/metrics/histogram-buckets.js';
import { labelsOf, mapFacts, type Instruments } from '../controller/metrics/instruments.js';
import {
  counters,
  descriptions,
  histograms,
  readMetrics,
  type Fact,
  type MetricDefinition,
} from '../controller/metrics/metric-definitions.js';
import { type Metrics, metricsWith } from '../controller/metrics/metrics.js';
import { RxInformersError } from '../kubernetes/errors.js';

export type { Metrics } from '../controller/metrics/metrics.js';
export type { ObservableInformer } from '../controller/metrics/informer-meters.js';

/** Options of `prometheusMetrics`. */
export interface PrometheusMetricsOptions {
  /** The registry for the metrics: prom-client's `register`, or your own registry. */
  readonly registry: Registry<RegistryContentType>;
  /** The prefix of all names. Default: none, so dashboards for controllers in Go work. */
  readonly prefix?: string | undefined;
  /**
   * The clock by which the age of the last message is computed. Use the scheduler of the informer.
   * Default `asyncScheduler`.
   */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Creates metrics for Prometheus, with the names of client-go and controller-runtime
 * (docs/how-to/metrics.md lists all of them).
 *
 * **Guarantees**: It registers all metrics or none. Gauges are read when the registry is scraped. A
 * second call for the same registry and prefix returns the same metrics, so parts of a program need
 * not pass them to each other. After `registry.clear()`, a call registers new metrics.
 *
 * @param options the registry, and the prefix of all names; see {@link PrometheusMetricsOptions}
 * @returns metrics hooks; pass them to `metrics` and `queueMetrics` options
 * @throws `RXI_METRIC_NAME_TAKEN` if a name is already registered; an error of prom-client if the
 *   prefix is invalid
 * @example
 * import { register } from 'prom-client';
 * import { informer, listWatch, pods } from 'rx-informers';
 * import { prometheusMetrics } from 'rx-informers/prometheus';
 *
 * const metrics = prometheusMetrics({ registry: register });
 * const podInformer = informer(client, pods, { metrics: metrics.listWatch('pods') });
 * metrics.observe('pods', podInformer);
 */
export function prometheusMetrics(options: PrometheusMetricsOptions): Metrics {
  const { registry, prefix = '', scheduler = asyncScheduler } = options;
  const ofRegistry = known.get(registry) ?? new Map<string, Registered>();
  known.set(registry, ofRegistry);
  const names = [counters, histograms, readMetrics].flatMap((metrics) =>
    Object.values(metrics).map(({ prometheus }: MetricDefinition) => prefix + prometheus),
  );
  const registered = (): readonly unknown[] => names.map((name) => registry.getSingleMetric(name));

  const before = ofRegistry.get(prefix);
  const there = registered();
  if (before?.registered.every((metric, position) => metric === there[position])) return before.metrics;
  const taken = names.filter((_, position) => there[position] !== undefined);
  if (taken.length > 0) throw metricNameTakenError(taken);

  const metrics = metricsWith(prometheusInstruments(registry, prefix), scheduler);
  ofRegistry.set(prefix, { metrics, registered: registered() });
  return metrics;
}

interface Registered {
  readonly metrics: Metrics;
  /** The metrics in the registry, to detect that they were removed from the registry. */
  readonly registered: readonly unknown[];
}

const known = new WeakMap<Registry<RegistryContentType>, Map<string, Registered>>();

/** Registers a metric for every measured value (`Fact`). */
function prometheusInstruments(registry: Registry<RegistryContentType>, prefix: string): Instruments {
  const registered = ({ prometheus, labels }: MetricDefinition, fact: Fact) => ({
    name: prefix + prometheus,
    help: descriptions[fact],
    labelNames: Object.keys(labels.prometheus),
    registers: [registry],
  });
  const counterOf = mapFacts(counters, (metric, fact) => new Counter(registered(metric, fact)));
  const histogramOf = mapFacts(
    histograms,
    (metric, fact) => new Histogram({ ...registered(metric, fact), buckets: [...histogramBuckets[fact]] }),
  );
  return {
    count: (fact, value, labels) => counterOf[fact].inc(labelsOf(counters[fact].labels.prometheus, labels), value),
    record: (fact, value, labels) =>
      histogramOf[fact].observe(labelsOf(histograms[fact].labels.prometheus, labels), value),
    read: (fact, samples) => {
      const metric = readMetrics[fact];
      if (fact === 'informerErrors') {
        new Counter({
          ...registered(metric, fact),
          collect() {
            this.reset();
            for (const { value, labels } of samples()) this.inc(labelsOf(metric.labels.prometheus, labels), value);
          },
        });
        return;
      }
      new Gauge({
        ...registered(metric, fact),
        collect() {
          this.reset();
          for (const { value, labels } of samples()) this.set(labelsOf(metric.labels.prometheus, labels), value);
        },
      });
    },
  };
}

function metricNameTakenError(taken: readonly string[]): RxInformersError<'RXI_METRIC_NAME_TAKEN'> {
  const message = `the registry already has metrics named ${taken.join(', ')}; pass another registry, or a prefix`;
  return new RxInformersError('RXI_METRIC_NAME_TAKEN', message, { taken });
}
