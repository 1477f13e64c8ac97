/** The priority of what nobody gave one. */
export const defaultPriority = 0;

/** The priority of work that may wait: the objects of an initial list, resyncs of unchanged ones (−100, as controller-runtime). */
export const lowPriority = -100;

/** One run that is asked for: a key, and everything that was added for it since its last run began. */
export interface QueueItem<Key extends string = string, Reason = unknown> {
  readonly key: Key;
  /** The highest priority that it was added with. */
  readonly priority: number;
  /** What the additions said, oldest first, each reason once, at most `maxReasons` (then the oldest are missing). For logs. */
  readonly reasons: readonly Reason[];
  /** When it began to wait for a worker, in milliseconds of the scheduler. */
  readonly addedAt: number;
}

/** How a key is added. */
export interface AddOptions<Reason = unknown> {
  /** Higher runs sooner (default 0). Added again with a higher one, a key moves up; never down. */
  readonly priority?: number | undefined;
  /** Why: handed to the run, for logs. */
  readonly reason?: Reason | undefined;
}

/** A key that shall run, with all that can be said about it. */
export interface KeyRequest<Key extends string = string, Reason = unknown> extends AddOptions<Reason> {
  readonly key: Key;
  /** Milliseconds to wait first (default none); where the key is to run sooner anyway, it does, once. */
  readonly delay?: number | undefined;
}

/** What `workqueue` takes: a key, or a request. */
export type QueueInput<Key extends string = string, Reason = unknown> = Key | KeyRequest<Key, Reason>;

/** The reasons with one more: each once, at most `limit`, the newest where there are more. */
export function mergeReason<Reason>(
  reasons: readonly Reason[],
  reason: Reason | undefined,
  limit: number,
): readonly Reason[] {
  if (reason === undefined || limit < 1 || reasons.includes(reason)) return reasons;
  return [...reasons, reason].slice(-limit);
}
