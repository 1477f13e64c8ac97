import type { Meter, Attributes } from '@opentelemetry/api';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { buckets, type Instruments, type Labels, mapFacts } from '../controller/metrics/instruments.js';
import { type Metrics, metricsWith } from '../controller/metrics/metrics.js';
import { countedNames, readNames, recordedNames, type InstrumentName } from './instrument-names.js';

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
  const counters = mapFacts(countedNames, (name) => meter.createCounter(name.name, name));
  const histograms = mapFacts(recordedNames, (name, fact) =>
    meter.createHistogram(name.name, { ...name, advice: { explicitBucketBoundaries: [...buckets[fact]] } }),
  );
  return {
    count: (fact, value, labels) => counters[fact].add(value, attributesOf(countedNames[fact], labels)),
    record: (fact, value, labels) => histograms[fact].record(value, attributesOf(recordedNames[fact], labels)),
    read: (fact, samples) => {
      const name = readNames[fact];
      const instrument =
        fact === 'informerErrors'
          ? meter.createObservableCounter(name.name, name)
          : meter.createObservableGauge(name.name, name);
      instrument.addCallback((result) => {
        for (const { value, labels } of samples()) result.observe(value, attributesOf(name, labels));
      });
    },
  };
}

/**
 * Returns the labels of a measured value as attributes of OpenTelemetry. Empty labels are left out.
 */
function attributesOf({ attributes: sources }: InstrumentName, labels: Labels): Attributes {
  const result: Attributes = {};
  for (const attribute in sources) {
    const value = labels[sources[attribute] as keyof Labels];
    if (value) result[attribute] = attribute === statusCode ? Number(value) : value;
  }
  return result;
}

/** The attribute with the HTTP status, which must be an integer by the semantic conventions. */
const statusCode = 'http.response.status_code';
