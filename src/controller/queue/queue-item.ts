export const defaultPriority = 0;

/** For work that may wait: initial lists, unchanged objects. As in controller-runtime. */
export const lowPriority = -100;

/** One requested run: a key, and everything that was added for it since its last run began. */
export interface QueueItem<Key extends string = string, Reason = unknown> {
  readonly key: Key;
  /** The highest priority with which the key was added. */
  readonly priority: number;
  /** Distinct, oldest first; only the newest 16 are kept. For logs only. */
  readonly reasons: readonly Reason[];
  /** When the key became ready, in ms of the scheduler; if it never did, when it was added. */
  readonly addedAt: number;
}

/** How a key is added. */
export interface AddOptions<Reason = unknown> {
  /** Higher runs first (default 0). Adding a waiting key again may raise it, never lower it. */
  readonly priority?: number | undefined;
  /** Why the key is added. Passed to the run, for logs. */
  readonly reason?: Reason | undefined;
}

/** A request for a run of a key. */
export interface KeyRequest<Key extends string = string, Reason = unknown> extends AddOptions<Reason> {
  readonly key: Key;
  /** Milliseconds to wait (default 0). A key that is due sooner runs once, at the earlier time. */
  readonly delay?: number | undefined;
}

/** The input of `workqueue`: a key, or a request for a run of a key. */
export type QueueInput<Key extends string = string, Reason = unknown> = Key | KeyRequest<Key, Reason>;

/** Reasons cost memory for each waiting key. */
const maxReasons = 16;

/** Adds a reason, unless the list has it already. Keeps only the newest `maxReasons` reasons. */
export function mergeReason<Reason>(reasons: readonly Reason[], reason: Reason | undefined): readonly Reason[] {
  return reason === undefined || reasons.includes(reason) ? reasons : [...reasons, reason].slice(-maxReasons);
}
