import { Counter, Gauge, Histogram, type Registry, type RegistryContentType } from 'prom-client';
import { buckets } from '../controller/metrics/buckets.js';
import type { Instruments, Labels } from '../controller/metrics/instruments.js';
import { mapFacts } from '../controller/metrics/map-facts.js';
import { countedNames, readNames, recordedNames, type MetricName } from './metric-names.js';

/** Registers a metric for every fact. */
export function prometheusInstruments(registry: Registry<RegistryContentType>, prefix: string): Instruments {
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
