import { safeMethods, type Safely } from '../../scheduling/safely.js';

/** Gauges of a queue. Reading them costs O(runs under way). */
export interface QueueGauges {
  /** Keys that wait for a worker (`workqueue_depth`). */
  readonly depth: number;
  /** Keys that wait for their time: delayed additions and retries. */
  readonly delayed: number;
  /**
   * Keys whose runs have ended and that cannot run again yet: the caches have not observed a write
   * of the run, or the work goes on.
   */
  readonly held: number;
  /**
   * The sum of the durations of all runs under way, in ms (`workqueue_unfinished_work_seconds`).
   */
  readonly unfinishedWork: number;
  /**
   * The duration of the longest run under way, in ms
   * (`workqueue_longest_running_processor_seconds`).
   */
  readonly longestRunning: number;
}

/**
 * Metrics hooks of a queue (W8). Durations are in milliseconds of the queue's scheduler.
 *
 * Gauges are read at the time of collection, so they are exact and need no timer. client-go samples
 * them every 500 ms instead.
 */
export interface QueueMetrics {
  /** Called when the queue is created. The gauges can be read until `closed`. */
  opened(gauges: QueueGauges): void;
  /**
   * Called when a key becomes ready to run: when it is added without a delay, or when its delay
   * ends (`workqueue_adds_total`). Not called for a key that is ready already.
   */
  added(priority: number): void;
  /**
   * Called when a worker takes a key, with the time for which the key was ready
   * (`workqueue_queue_duration_seconds`).
   */
  taken(waited: number, priority: number): void;
  /** Called when a run has ended, with its duration (`workqueue_work_duration_seconds`). */
  finished(took: number): void;
  /**
   * Called when a key is added with a delay, for a retry or for another reason
   * (`workqueue_retries_total`).
   */
  delayed(): void;
  /**
   * Called with the gauges of `opened` when the queue was shut down or has drained. The gauges must
   * not be read after this call.
   */
  closed(gauges: QueueGauges): void;
}

/** Wraps the hooks of `metrics`, so that `call` catches their errors. Missing hooks do nothing. */
export function safeQueueMetrics(metrics: Partial<QueueMetrics>, call: Safely, option = 'metrics'): QueueMetrics {
  if (metrics === noQueueMetrics) return noQueueMetrics;
  const names = Object.keys(noQueueMetrics) as (keyof QueueMetrics)[];
  return safeMethods(option, metrics, names, call);
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
