import type { Meter } from '@opentelemetry/api';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import type { Metrics } from '../controller/metrics/metrics.js';
import { metricsWith } from '../controller/metrics/metrics-with.js';
import { openTelemetryInstruments } from './open-telemetry-instruments.js';

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
 * const podInformer = informer(listWatch(client, pods, { metrics: metrics.listWatch('pods') }));
 * metrics.observe('pods', podInformer);
 */
export function openTelemetryMetrics(options: OpenTelemetryMetricsOptions): Metrics {
  const { meter, scheduler = asyncScheduler } = options;
  return metricsWith(openTelemetryInstruments(meter), scheduler);
}
