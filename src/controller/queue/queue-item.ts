/** The priority of a key that is added without one. */
export const defaultPriority = 0;

/** The priority of work that may wait: objects of an initial list, resyncs of unchanged objects. −100, as in controller-runtime. */
export const lowPriority = -100;

/** One requested run: a key, and everything that was added for it since its last run began. */
export interface QueueItem<Key extends string = string, Reason = unknown> {
  readonly key: Key;
  /** The highest priority that it was added with. */
  readonly priority: number;
  /** The reasons of the additions, oldest first, each once. Of more than `maxReasons` the newest. For logs. */
  readonly reasons: readonly Reason[];
  /** When it began to wait for a worker, in milliseconds of the scheduler. */
  readonly addedAt: number;
}

/** How a key is added. */
export interface AddOptions<Reason = unknown> {
  /** Higher runs sooner. Default 0. A key that is added again with a higher priority moves up, never down. */
  readonly priority?: number | undefined;
  /** Why the key is added. Passed to the run, for logs. */
  readonly reason?: Reason | undefined;
}

/** A request for a run of a key. */
export interface KeyRequest<Key extends string = string, Reason = unknown> extends AddOptions<Reason> {
  readonly key: Key;
  /** Milliseconds to wait first. Default 0. If the key is to run sooner anyway, it runs then, once. */
  readonly delay?: number | undefined;
}

/** The input of `workqueue`: a key, or a request for one. */
export type QueueInput<Key extends string = string, Reason = unknown> = Key | KeyRequest<Key, Reason>;

/** Returns the reasons with one more: each once, and of more than `limit` the newest. */
export function mergeReason<Reason>(
  reasons: readonly Reason[],
  reason: Reason | undefined,
  limit: number,
): readonly Reason[] {
  if (reason === undefined || limit < 1 || reasons.includes(reason)) return reasons;
  return [...reasons, reason].slice(-limit);
}
