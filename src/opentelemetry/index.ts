import type { Meter, Attributes } from '@opentelemetry/api';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { histogramBuckets } from '../controller/metrics/histogram-buckets.js';
import { labelsOf, mapFacts, type Instruments } from '../controller/metrics/instruments.js';
import {
  counters,
  descriptions,
  histograms,
  readMetrics,
  type Fact,
  type LabelNames,
  type LabelValues,
  type MetricDefinition,
} from '../controller/metrics/metric-definitions.js';
import { type Metrics, metricsWith } from '../controller/metrics/metrics.js';

export type { Metrics } from '../controller/metrics/metrics.js';
export type { ObservableInformer } from '../controller/metrics/informer-meters.js';

/** Options of `openTelemetryMetrics`. */
export interface OpenTelemetryMetricsOptions {
  /**
   * The meter that creates the instruments, for example `metrics.getMeter('web-controller')`. The
   * name of the meter is the scope of all instruments.
   */
  readonly meter: Meter;
  /**
   * The clock by which the age of the last message is computed. Use the scheduler of the informer.
   * Default `asyncScheduler`.
   */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Creates metrics for OpenTelemetry. They record the same values as `prometheusMetrics`, with
 * names, units and attributes by OpenTelemetry's conventions (docs/how-to/metrics.md lists all of
 * them). The bucket boundaries are only advice; define a view to override them.
 *
 * **Guarantees**: Gauges are read when a reader collects. After a queue, controller or informer has
 * ended, its gauges are no longer reported.
 *
 * **Does not guarantee**: that the SDK drops an attribute set that is no longer observed. With
 * cumulative temporality, the SDK repeats the last value.
 *
 * @param options the meter, and the clock; see {@link OpenTelemetryMetricsOptions}
 * @returns metrics hooks; pass them to `metrics` and `queueMetrics` options
 * @example
 * import { metrics as openTelemetry } from '@opentelemetry/api';
 * import { informer, listWatch, pods } from 'rx-informers';
 * import { openTelemetryMetrics } from 'rx-informers/opentelemetry';
 *
 * const metrics = openTelemetryMetrics({ meter: openTelemetry.getMeter('web-controller') });
 * const podInformer = informer(client, pods, { metrics: metrics.listWatch('pods') });
 * metrics.observe('pods', podInformer);
 */
export function openTelemetryMetrics(options: OpenTelemetryMetricsOptions): Metrics {
  const { meter, scheduler = asyncScheduler } = options;
  return metricsWith(openTelemetryInstruments(meter), scheduler);
}

/** Creates an instrument for each measured value (`Fact`). */
function openTelemetryInstruments(meter: Meter): Instruments {
  const described = ({ unit }: MetricDefinition, fact: Fact) => ({ unit, description: descriptions[fact] });
  const counterOf = mapFacts(counters, (metric, fact) =>
    meter.createCounter(metric.openTelemetry, described(metric, fact)),
  );
  const histogramOf = mapFacts(histograms, (metric, fact) =>
    meter.createHistogram(metric.openTelemetry, {
      ...described(metric, fact),
      advice: { explicitBucketBoundaries: [...histogramBuckets[fact]] },
    }),
  );
  return {
    count: (fact, value, labels) =>
      counterOf[fact].add(value, attributesOf(counters[fact].labels.openTelemetry, labels)),
    record: (fact, value, labels) =>
      histogramOf[fact].record(value, attributesOf(histograms[fact].labels.openTelemetry, labels)),
    read: (fact, samples) => {
      const metric = readMetrics[fact];
      const create = fact === 'informerErrors' ? 'createObservableCounter' : 'createObservableGauge';
      meter[create](metric.openTelemetry, described(metric, fact)).addCallback((result) => {
        for (const { value, labels } of samples())
          result.observe(value, attributesOf(metric.labels.openTelemetry, labels));
      });
    },
  };
}

/** Returns labels as attributes of OpenTelemetry. Empty labels are left out. */
function attributesOf(names: LabelNames, labels: LabelValues): Attributes {
  const present = Object.entries(labelsOf(names, labels)).filter(([, value]) => value !== '');
  return Object.fromEntries(present.map(([name, value]) => [name, name === statusCode ? Number(value) : value]));
}

/** The attribute with the HTTP status, which must be an integer by the semantic conventions. */
const statusCode = 'http.response.status_code';
