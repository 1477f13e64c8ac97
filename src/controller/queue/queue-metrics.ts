import { containedMethods, type CallHook } from '../contained.js';

/** What can be asked of a queue at any moment; reading costs O(runs under way). */
export interface QueueGauges {
  /** Keys that wait for a worker (`workqueue_depth`). */
  readonly depth: number;
  /** Keys that wait for their time: delayed additions and retries. */
  readonly delayed: number;
  /** For how long all runs under way have been under way together, in ms (`workqueue_unfinished_work_seconds`). */
  readonly unfinishedWork: number;
  /** For how long the longest of them has been, in ms (`workqueue_longest_running_processor_seconds`). */
  readonly longestRunning: number;
}

/**
 * What a queue tells whoever measures it (W8). Durations are in milliseconds of the queue's scheduler.
 *
 * Gauges are read when somebody wants to know, so they are exact and need no timer (▲ W8: client-go samples each 500 ms).
 */
export interface QueueMetrics {
  /** The queue exists; its gauges can be read until `closed`. */
  opened(gauges: QueueGauges): void;
  /** A key began to wait for a worker; additions that changed nothing are not told (`workqueue_adds_total`). */
  added(priority: number): void;
  /** A worker took a key that had waited so long (`workqueue_queue_duration_seconds`). */
  taken(waited: number, priority: number): void;
  /** A run ended after so long (`workqueue_work_duration_seconds`). */
  finished(took: number): void;
  /** A key was added with a delay, be it a retry or not (`workqueue_retries_total`). */
  delayed(): void;
  /** The queue was shut down, or has drained: its gauges, those of `opened`, say nothing any more. */
  closed(gauges: QueueGauges): void;
}

/** Returns hooks that call those of `metrics`, and contain what they throw. */
export function containedMetrics(metrics: QueueMetrics, call: CallHook, option = 'metrics'): QueueMetrics {
  if (metrics === noQueueMetrics) return metrics;
  return containedMethods(option, metrics, Object.keys(noQueueMetrics) as (keyof QueueMetrics)[], call);
}

const nothing = (): void => undefined;

/** Measures nothing. */
export const noQueueMetrics: QueueMetrics = {
  opened: nothing,
  added: nothing,
  taken: nothing,
  finished: nothing,
  delayed: nothing,
  closed: nothing,
};
