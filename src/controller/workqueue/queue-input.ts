import type { AddOptions } from '../queue/queue-item.js';

/** A key that shall run, with all that can be said about it. */
export interface KeyRequest<Key extends string = string, Reason = unknown> extends AddOptions<Reason> {
  readonly key: Key;
  /** Milliseconds to wait first (default none); where the key is to run sooner anyway, it does, once. */
  readonly delay?: number | undefined;
}

/** What `workqueue` takes: a key, or a request. */
export type QueueInput<Key extends string = string, Reason = unknown> = Key | KeyRequest<Key, Reason>;
