import { type Registry, type RegistryContentType, Counter, Gauge, Histogram } from 'prom-client';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { type Metrics, metricsWith } from '../controller/metrics/metrics.js';
import { metricNames, countedNames, readNames, recordedNames, type MetricName } from './metric-names.js';
import { buckets, type Instruments, type Labels, mapFacts } from '../controller/metrics/instruments.js';
import { RxInformersError } from '../kubernetes/errors.js';

export type { Metrics } from '../controller/metrics/metrics.js';
export type { ObservableInformer } from '../controller/metrics/informer-meters.js';

/** Options of `prometheusMetrics`. */
export interface PrometheusMetricsOptions {
  /** Where the metrics are registered: prom-client's `register`, or a registry of your own. */
  readonly registry: Registry<RegistryContentType>;
  /** Put before every name. Default: nothing, so that dashboards made for controllers in Go find what they look for. */
  readonly prefix?: string | undefined;
  /** The clock by which an informer's last message was so long ago: the informer's own. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Metrics for Prometheus, under the names that client-go and controller-runtime have for them (docs/metrics.md lists all).
 *
 * **Guarantees**: all is registered or nothing; gauges are read when the registry is scraped; asked again for the same registry and
 * prefix, it gives the same metrics, so that parts of a program need not know of each other; `registry.clear()` forgets them.
 * **Errors**: throws `MetricNameTakenError` if one of the names is registered already; prom-client's error for a prefix that
 * cannot begin a name.
 *
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
  const names = Object.values(metricNames).map(({ name }) => prefix + name);
  const registered = (): readonly unknown[] => names.map((name) => registry.getSingleMetric(name));

  const before = ofRegistry.get(prefix);
  const there = registered();
  if (before?.registered.every((metric, position) => metric === there[position])) return before.metrics;
  const taken = names.filter((_, position) => there[position] !== undefined);
  if (taken.length > 0) throw new MetricNameTakenError(taken);

  const metrics = metricsWith(prometheusInstruments(registry, prefix), scheduler);
  ofRegistry.set(prefix, { metrics, registered: registered() });
  return metrics;
}

interface Registered {
  readonly metrics: Metrics;
  /** The metrics in the registry, so that it is noticed when they are there no more. */
  readonly registered: readonly unknown[];
}

const known = new WeakMap<Registry<RegistryContentType>, Map<string, Registered>>();

/** Registers a metric for every fact. */
function prometheusInstruments(registry: Registry<RegistryContentType>, prefix: string): Instruments {
  const registered = ({ name, help, labels }: MetricName) => ({
    name: prefix + name,
    help,
    labelNames: Object.keys(labels),
    registers: [registry],
  });
  const counters = mapFacts(countedNames, (name) => new Counter(registered(name)));
  const histograms = mapFacts(
    recordedNames,
    (name, fact) => new Histogram({ ...registered(name), buckets: [...buckets[fact]] }),
  );
  return {
    count: (fact, value, labels) => counters[fact].inc(labelsOf(countedNames[fact], labels), value),
    record: (fact, value, labels) => histograms[fact].observe(labelsOf(recordedNames[fact], labels), value),
    read: (fact, samples) => {
      const name = readNames[fact];
      if (fact === 'informerErrors') {
        new Counter({
          ...registered(name),
          collect() {
            this.reset();
            for (const { value, labels } of samples()) this.inc(labelsOf(name, labels), value);
          },
        });
        return;
      }
      new Gauge({
        ...registered(name),
        collect() {
          this.reset();
          for (const { value, labels } of samples()) this.set(labelsOf(name, labels), value);
        },
      });
    },
  };
}

/** What Prometheus calls the labels of a fact. */
function labelsOf({ labels: sources }: MetricName, labels: Labels): Record<string, string> {
  const result: Record<string, string> = {};
  for (const label in sources) result[label] = labels[sources[label] as keyof Labels] ?? '';
  return result;
}

/**
 * Thrown by `prometheusMetrics` if the registry already has metrics of these names from another
 * source; nothing was registered.
 *
 * **What to do**: Use another registry or another prefix, or call it once for each registry.
 */
export class MetricNameTakenError extends RxInformersError {
  static override readonly code = 'RXI_METRIC_NAME_TAKEN';
  override readonly name = 'MetricNameTakenError';
  constructor(readonly taken: readonly string[]) {
    super(`the registry already has metrics named ${taken.join(', ')}; give a registry of your own, or a prefix`);
  }
}
