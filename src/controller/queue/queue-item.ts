/** The priority of a key that is added without a priority. */
export const defaultPriority = 0;

/**
 * The priority of work that may wait: objects of an initial list, resyncs of unchanged objects. The
 * value is −100, as in controller-runtime.
 */
export const lowPriority = -100;

/** One requested run: a key, and everything that was added for it since its last run began. */
export interface QueueItem<Key extends string = string, Reason = unknown> {
  readonly key: Key;
  /** The highest priority with which the key was added. */
  readonly priority: number;
  /**
   * The distinct reasons of the additions, oldest first. Only the newest `maxReasons` are kept. Use
   * them for logs.
   */
  readonly reasons: readonly Reason[];
  /**
   * When the key became ready to run, in milliseconds of the scheduler. For a dropped delayed key:
   * when it was added.
   */
  readonly addedAt: number;
}

/** How a key is added. */
export interface AddOptions<Reason = unknown> {
  /**
   * Keys of a higher priority run first. Default 0. Adding a waiting key again may raise its
   * priority, never lower it.
   */
  readonly priority?: number | undefined;
  /** Why the key is added. Passed to the run, for logs. */
  readonly reason?: Reason | undefined;
}

/** A request for a run of a key. */
export interface KeyRequest<Key extends string = string, Reason = unknown> extends AddOptions<Reason> {
  readonly key: Key;
  /**
   * Milliseconds to wait before the run. Default 0. If the key is already due sooner, it runs once,
   * at the earlier time.
   */
  readonly delay?: number | undefined;
}

/** The input of `workqueue`: a key, or a request for a run of a key. */
export type QueueInput<Key extends string = string, Reason = unknown> = Key | KeyRequest<Key, Reason>;

/** Adds a reason, unless the list has it already, and keeps only the newest `limit` reasons. */
export function mergeReason<Reason>(
  reasons: readonly Reason[],
  reason: Reason | undefined,
  limit: number,
): readonly Reason[] {
  if (reason === undefined || limit < 1 || reasons.includes(reason)) return reasons;
  return [...reasons, reason].slice(-limit);
}
