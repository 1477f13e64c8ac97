export { MetricNameTakenError } from './metric-name-taken-error.js';
export { prometheusMetrics, type PrometheusMetricsOptions } from './prometheus-metrics.js';
export type { Metrics, ObservableInformer } from '../controller/metrics/metrics.js';
