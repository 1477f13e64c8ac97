import { safeMethods, type Safely } from '../../scheduling/safely.js';

/** Gauges of a queue. Reading them costs O(runs under way). */
export interface QueueGauges {
  /** Keys that wait for a worker (`workqueue_depth`). */
  readonly depth: number;
  /** Keys that wait for their time: delayed additions and retries. */
  readonly delayed: number;
  /** Keys after their run whose writes are not observed yet, or whose work goes on. */
  readonly held: number;
  /** The sum of the durations of runs under way, in ms (`workqueue_unfinished_work_seconds`). */
  readonly unfinishedWork: number;
  /** The longest run under way, in ms (`workqueue_longest_running_processor_seconds`). */
  readonly longestRunning: number;
}

/**
 * Metrics hooks of a queue (W8), in milliseconds of its scheduler. Gauges are read at collection,
 * so they are exact and need no timer; client-go samples them every 500 ms.
 */
export interface QueueMetrics {
  /** Called when the queue is created. The gauges can be read until `closed`. */
  opened(gauges: QueueGauges): void;
  /**
   * Called when a key becomes ready to run: when it is added without a delay, or when its delay
   * ends (`workqueue_adds_total`). Not called for a key that is ready already.
   */
  added(priority: number): void;
  /** A worker took a key that was ready for `waited` ms (`workqueue_queue_duration_seconds`). */
  taken(waited: number, priority: number): void;
  /** Called when a run has ended, with its duration (`workqueue_work_duration_seconds`). */
  finished(took: number): void;
  /** A key was added with a delay, for a retry or not (`workqueue_retries_total`). */
  delayed(): void;
  /** The queue was shut down or has drained. The gauges must not be read after this call. */
  closed(gauges: QueueGauges): void;
}

/** Wraps the hooks of `metrics`, so that `call` catches their errors. Missing hooks do nothing. */
export function safeQueueMetrics(metrics: Partial<QueueMetrics>, call: Safely, option = 'metrics'): QueueMetrics {
  if (metrics === noQueueMetrics) return noQueueMetrics;
  const names = Object.keys(noQueueMetrics) as (keyof QueueMetrics)[];
  return safeMethods(option, metrics, names, call);
}

const nothing = (): void => undefined;

export const noQueueMetrics: QueueMetrics = {
  opened: nothing,
  added: nothing,
  taken: nothing,
  finished: nothing,
  delayed: nothing,
  closed: nothing,
};
