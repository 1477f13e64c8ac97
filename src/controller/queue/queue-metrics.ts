import { containedMethods, type CallHook } from '../contained.js';

/** Gauges of a queue. Reading them costs O(runs under way). */
export interface QueueGauges {
  /** Keys that wait for a worker (`workqueue_depth`). */
  readonly depth: number;
  /** Keys that wait for their time: delayed additions and retries. */
  readonly delayed: number;
  /** The sum of the durations of all runs under way, in ms (`workqueue_unfinished_work_seconds`). */
  readonly unfinishedWork: number;
  /** The duration of the longest run under way, in ms (`workqueue_longest_running_processor_seconds`). */
  readonly longestRunning: number;
}

/**
 * Metrics hooks of a queue (W8). Durations are in milliseconds of the queue's scheduler.
 *
 * Gauges are read at the time of collection, so they are exact and need no timer. client-go samples
 * them every 500 ms instead.
 */
export interface QueueMetrics {
  /** Called when the queue is created. Its gauges can be read until `closed`. */
  opened(gauges: QueueGauges): void;
  /** Called when a key begins to wait for a worker (`workqueue_adds_total`). Additions that change nothing are not reported. */
  added(priority: number): void;
  /** Called when a worker takes a key, with how long the key has waited (`workqueue_queue_duration_seconds`). */
  taken(waited: number, priority: number): void;
  /** Called when a run has ended, with its duration (`workqueue_work_duration_seconds`). */
  finished(took: number): void;
  /** Called when a key is added with a delay, for a retry or for another reason (`workqueue_retries_total`). */
  delayed(): void;
  /** Called with the gauges of `opened` when the queue was shut down or has drained. They must not be read any more. */
  closed(gauges: QueueGauges): void;
}

/** Returns hooks that call those of `metrics`, and contain what they throw. Hooks that are left out do nothing. */
export function containedMetrics(metrics: Partial<QueueMetrics>, call: CallHook, option = 'metrics'): QueueMetrics {
  if (metrics === noQueueMetrics) return noQueueMetrics;
  const names = Object.keys(noQueueMetrics) as (keyof QueueMetrics)[];
  return containedMethods(option, metrics as QueueMetrics, names, call);
}

const nothing = (): void => undefined;

/** Metrics hooks that do nothing. */
export const noQueueMetrics: QueueMetrics = {
  opened: nothing,
  added: nothing,
  taken: nothing,
  finished: nothing,
  delayed: nothing,
  closed: nothing,
};
