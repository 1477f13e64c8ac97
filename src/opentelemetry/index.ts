import type { Meter, Attributes } from '@opentelemetry/api';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { type Metrics, metricsWith } from '../controller/metrics/metrics.js';
import { buckets, type Instruments, type Labels, mapFacts } from '../controller/metrics/instruments.js';
import { countedNames, readNames, recordedNames, type InstrumentName } from './instrument-names.js';

export type { Metrics } from '../controller/metrics/metrics.js';
export type { ObservableInformer } from '../controller/metrics/informer-meters.js';

/** Options of `openTelemetryMetrics`. */
export interface OpenTelemetryMetricsOptions {
  /** Whose instruments are used; its name is the scope of all of them, for example `metrics.getMeter('web-controller')`. */
  readonly meter: Meter;
  /** The clock by which an informer's last message was so long ago: the informer's own. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Metrics for OpenTelemetry: the facts of `prometheusMetrics` under names, units and attributes that follow OpenTelemetry's
 * conventions (docs/metrics.md lists all). Bucket boundaries are advice; a view of your own overrides them.
 *
 * **Guarantees**: what is read is read when a reader collects, and no more once its subject is gone.
 * **Does not guarantee**: that the SDK forgets an attribute set that is not observed any more: one that reports cumulatively
 * repeats its last value.
 *
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

/** Makes an instrument for every fact. */
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

/** What OpenTelemetry calls the labels of a fact; an attribute that says nothing is left out. */
function attributesOf({ attributes: sources }: InstrumentName, labels: Labels): Attributes {
  const result: Attributes = {};
  for (const attribute in sources) {
    const value = labels[sources[attribute] as keyof Labels];
    if (value) result[attribute] = attribute === statusCode ? Number(value) : value;
  }
  return result;
}

/** An int, by the semantic conventions. */
const statusCode = 'http.response.status_code';
