export { openTelemetryMetrics, type OpenTelemetryMetricsOptions } from './open-telemetry-metrics.js';
export type { Metrics, ObservableInformer } from '../controller/metrics/metrics.js';
