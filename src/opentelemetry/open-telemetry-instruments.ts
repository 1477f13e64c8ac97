import type { Attributes, Meter } from '@opentelemetry/api';
import { buckets } from '../controller/metrics/buckets.js';
import type { Instruments, Labels } from '../controller/metrics/instruments.js';
import { mapFacts } from '../controller/metrics/map-facts.js';
import { countedNames, readNames, recordedNames, type InstrumentName } from './instrument-names.js';

/** Makes an instrument for every fact. */
export function openTelemetryInstruments(meter: Meter): Instruments {
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
