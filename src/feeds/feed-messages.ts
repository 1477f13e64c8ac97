import type { ChangeReason } from '../store/change.js';

/** The largest amount of unacknowledged text of one feed, in UTF-16 code units. */
export const feedWindow = 512 * 1024;

/**
 * The size of one message, in UTF-16 code units. A larger single object is not split. Strings above
 * about 128 KB are large objects for V8, and cost 30 times as much to create.
 */
export const partSize = 64 * 1024;

/** The messages of a server of feeds about one feed. Content is JSON text. */
export type FeedMessage =
  | PartMessage
  /** The API server sent something. `resourceVersion`: nothing has changed up to it. */
  | {
      readonly type: 'heard';
      readonly id: number;
      readonly at: number | undefined;
      readonly resourceVersion?: string;
    }
  /** A status that no earlier change has to precede. */
  | { readonly type: 'status'; readonly id: number; readonly text: string }
  | { readonly type: 'error'; readonly id: number; readonly text: string };

/** A part of one change set: a JSON array of `FeedEntry`. The last part has `end`. */
export interface PartMessage {
  readonly type: 'part';
  readonly id: number;
  readonly text: string;
  /** The number of entries in all parts of the change set. */
  readonly total: number;
  readonly end?: PartsEnd;
}

/** The end of a change set. `status` is a status that follows the changes. */
export interface PartsEnd {
  readonly reason: ChangeReason;
  readonly resourceVersion: string;
  readonly status?: string;
  /** The keys of the rows of a window, in order; its first position; and the number of all rows. */
  readonly rows?: { readonly keys: readonly string[]; readonly offset: number; readonly total: number };
}

/** A whole object; its fields that differ from the page's copy; or a deletion. */
export type FeedEntry =
  | { readonly object: object }
  | {
      readonly key: string;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly removed?: readonly string[];
    }
  /** `object` is the final state. If it is missing, the deletion was inferred. */
  | { readonly deleted: string; readonly object?: object };
