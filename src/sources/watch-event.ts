import type { SourceError } from './source-error.js';
import type { SourceStatus } from './source-status.js';

/**
 * What a source emits: one thing that the API server said, or that happened to the connection.
 *
 * | type | meaning |
 * | --- | --- |
 * | `ADDED` `MODIFIED` `DELETED` | one change, as the watch reported it |
 * | `LISTED` | a completed list: everything that exists (in this partition), at one resourceVersion; atomic |
 * | `BOOKMARK` | nothing changed up to this resourceVersion |
 * | `ERROR` | something went wrong; the source goes on by itself |
 * | `STATUS` | what the source is doing now |
 *
 * `partition` names the merged source that the event came from (see `mergeSources`); a source on its own has none.
 */
export type WatchEvent<T> = ChangeEvent<T> | ListedEvent<T> | BookmarkEvent | ErrorEvent | StatusEvent;

export interface ChangeEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
  readonly partition?: string;
}

export interface ListedEvent<T> {
  readonly type: 'LISTED';
  readonly items: readonly T[];
  /** The version of the list, or `''` where there is none. */
  readonly resourceVersion: string;
  /**
   * `namespace/name` (or `name`) of objects that exist but could not be delivered, because `transform` failed for them;
   * an `ERROR` names each. What a store holds for them is stale, not deleted: it stays.
   */
  readonly missing?: readonly string[];
  readonly partition?: string;
}

export interface BookmarkEvent {
  readonly type: 'BOOKMARK';
  readonly resourceVersion: string;
  readonly partition?: string;
}

export interface ErrorEvent {
  readonly type: 'ERROR';
  readonly error: SourceError;
  readonly partition?: string;
}

export interface StatusEvent {
  readonly type: 'STATUS';
  readonly status: SourceStatus;
  readonly partition?: string;
}

/** What one network read, or one list, delivered together: visible whole or not at all. */
export type WatchEventBatch<T> = readonly WatchEvent<T>[];

/**
 * A batch that is visible when its emission returns. An informer that is applying a long list in
 * slices finishes the list first, at once.
 */
export interface UrgentBatch<T> extends ReadonlyArray<WatchEvent<T>> {
  readonly isUrgent: true;
}
