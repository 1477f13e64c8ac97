import { Registry } from 'prom-client';
import { prometheusMetrics } from 'rx-informers/prometheus';
import { describeMetricsConformance } from '../controller/metrics/support/metrics-conformance.js';
import { figuresOf } from './support/figures-of-text.js';

describeMetricsConformance('prometheusMetrics', (scheduler) => {
  const registry = new Registry();
  const metrics = prometheusMetrics({ registry, scheduler });
  return { metrics, collect: async () => figuresOf(await registry.metrics()) };
});
