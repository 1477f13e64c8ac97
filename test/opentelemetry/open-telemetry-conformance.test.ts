import { openTelemetryMetrics } from 'rx-informers/opentelemetry';
import { describeMetricsConformance } from '../controller/metrics/support/metrics-conformance.js';
import { aMeter } from './support/measured.js';

describeMetricsConformance('openTelemetryMetrics', (scheduler) => {
  const { meter, figures } = aMeter();
  return { metrics: openTelemetryMetrics({ meter, scheduler }), collect: figures };
});
