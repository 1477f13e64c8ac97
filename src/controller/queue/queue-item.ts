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
