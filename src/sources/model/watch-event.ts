import { messageOf } from '../../kubernetes/errors.js';
import { InvalidEventError, type SourceError } from './errors.js';

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

/**
 * What a source is doing now. Times are milliseconds since the epoch, on the clock of the source's
 * scheduler. They are for display: the source itself counts elapsed time, so it does not matter when the clock is
 * set.
 *
 * | state | meaning |
 * | --- | --- |
 * | `listing` | reading the whole list; `received` objects so far, of `expected` where the server says so |
 * | `watching` | connected, and as current as the last message |
 * | `reconnecting` | the watch ended or was given up; opening it again at once, from the same version |
 * | `backing-off` | waiting until `until` before trying again, for the `attempt`th time in a row |
 * | `forbidden` | backing off because of a 401 or 403: credentials or RBAC rules are missing |
 * | `not-found` | backing off because of a 404: the kind is not installed, or the path is wrong |
 * | `stopped` | there is no subscriber, or the source completed |
 *
 * A merged source has the status of its least healthy member. `members` has the status of each, by partition.
 */
export type SourceStatus = { readonly members?: Readonly<Record<string, SourceStatus>> } & (
  | {
      readonly state: 'listing';
      readonly by: 'stream' | 'pages';
      readonly received: number;
      readonly expected?: number;
    }
  | { readonly state: 'watching'; readonly since: number; readonly resourceVersion: string }
  | { readonly state: 'reconnecting'; readonly cause?: SourceError }
  | {
      readonly state: 'backing-off' | 'forbidden' | 'not-found';
      readonly until: number;
      readonly attempt: number;
      readonly cause: SourceError;
    }
  | { readonly state: 'stopped' }
);

/**
 * Creates watch events, for sources of your own and for tests.
 *
 * @example
 * import { fromEvents, watchEvent } from 'rx-informers';
 *
 * const a = { metadata: { name: 'a' } };
 * const source = fromEvents([watchEvent.listed([a]), watchEvent.modified({ metadata: { name: 'a', labels: { on: 'yes' } } })]);
 */
export const watchEvent = {
  /** Returns the event of a completed list. `resourceVersion` is the version of the list; default `''`, none. */
  listed: <T>(items: readonly T[], resourceVersion = ''): ListedEvent<T> => ({
    type: 'LISTED',
    items,
    resourceVersion,
  }),
  /** Returns the event of a new object. */
  added: <T>(object: T): ChangeEvent<T> => ({ type: 'ADDED', object }),
  /** Returns the event of a changed object. */
  modified: <T>(object: T): ChangeEvent<T> => ({ type: 'MODIFIED', object }),
  /** Returns the event of a deleted object; `object` is its final state. */
  deleted: <T>(object: T): ChangeEvent<T> => ({ type: 'DELETED', object }),
  /** Returns the event that nothing else changed up to `resourceVersion`. */
  bookmark: (resourceVersion: string): BookmarkEvent => ({ type: 'BOOKMARK', resourceVersion }),
};

/**
 * Returns what a source emits as a batch. What is not a watch event, which the types forbid but a
 * source written in JavaScript can do, is replaced by an `ERROR`, so that it costs the others nothing.
 */
export function toBatch<T>(emitted: WatchEvent<T> | readonly WatchEvent<T>[]): readonly WatchEvent<T>[] {
  const batch: readonly WatchEvent<T>[] = isBatch(emitted) ? emitted : [emitted];
  if (batch.every(isWatchEvent)) return batch;
  return Array.from(batch, (event): WatchEvent<T> => {
    const problem = problemWith(event);
    return problem === undefined ? event : { type: 'ERROR', error: new InvalidEventError(event, problem) };
  });
}

/** Returns a batch made from another one, urgent if that one is. */
export function asUrgentAs<T>(
  original: readonly WatchEvent<T>[],
  batch: readonly WatchEvent<T>[],
): readonly WatchEvent<T>[] | UrgentBatch<T> {
  return 'isUrgent' in original ? Object.assign([...batch], { isUrgent: true as const }) : batch;
}

function isBatch<T>(emitted: WatchEvent<T> | readonly WatchEvent<T>[]): emitted is readonly WatchEvent<T>[] {
  return Array.isArray(emitted);
}

function isWatchEvent(event: unknown): boolean {
  return problemWith(event) === undefined;
}

function problemWith(event: unknown): string | undefined {
  try {
    return formProblemWith(event);
  } catch (cause) {
    return `reading it threw: ${messageOf(cause)}`;
  }
}

interface Fields {
  readonly type?: unknown;
  readonly items?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
}

function formProblemWith(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null) {
    return `${event === null ? 'null' : `a value of type ${typeof event}`} is no watch event`;
  }
  const { type, items, status, error } = event as Fields;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return 'object' in event ? undefined : `${type} has no object`;
    case 'LISTED':
      return Array.isArray(items) ? undefined : 'LISTED has no array of items';
    case 'BOOKMARK':
      return undefined;
    case 'STATUS':
      return typeof status === 'object' && status !== null ? undefined : 'STATUS has no status';
    case 'ERROR':
      return typeof error === 'object' && error !== null ? undefined : 'ERROR has no error';
    default:
      return typeof type === 'string' ? `${JSON.stringify(type)} is no type of watch events` : 'it has no type';
  }
}
