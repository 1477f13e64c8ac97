import { messageOf } from '../../kubernetes/errors.js';
import { type SourceError, invalidEventError } from './errors.js';

/**
 * One event of a source: an event of the API server, or a report about the connection.
 *
 * | type | meaning |
 * | --- | --- |
 * | `ADDED` `MODIFIED` `DELETED` | one change, as the watch reported it |
 * | `LISTED` | a complete list: all objects (of this partition) at one resourceVersion, in one
 * event |
 * | `BOOKMARK` | nothing changed up to this resourceVersion |
 * | `ERROR` | something failed; the source continues by itself |
 * | `STATUS` | what the source is doing now |
 *
 * `partition` names the member of a merged source that emitted the event (see `mergeSources`).
 * Events of a source that is not merged have no partition.
 */
export type WatchEvent<T> = ChangeEvent<T> | ListedEvent<T> | BookmarkEvent | SourceErrorEvent | StatusEvent;

/** One object was added, modified or deleted. */
export interface ChangeEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
  readonly partition?: string;
  /**
   * True if the batch is visible as soon as its emission returns: an informer that still applies a
   * long list in slices applies the rest of that list first. An overlay sets it.
   */
  readonly isUrgent?: true;
}

/** A complete list: objects that are not in it do not exist any more, except those in `missing`. */
export interface ListedEvent<T> {
  readonly type: 'LISTED';
  readonly items: readonly T[];
  /** The version of the list, or `''` if it has none. */
  readonly resourceVersion: string;
  /**
   * `namespace/name` (or `name`) of objects not in `items`, because `transform` failed for them,
   * each with an `ERROR`. A store keeps their previous state, because they are not deleted.
   */
  readonly missing?: readonly string[];
  readonly partition?: string;
}

/** The watch has reached a version, without a change. */
export interface BookmarkEvent {
  readonly type: 'BOOKMARK';
  readonly resourceVersion: string;
  readonly partition?: string;
  /** See `ChangeEvent`. */
  readonly isUrgent?: true;
}

/** Something failed. The source continues unless `error` says otherwise. */
export interface SourceErrorEvent {
  readonly type: 'ERROR';
  readonly error: SourceError;
  readonly partition?: string;
}

/** The source changed its state, or made progress in its current state. */
export interface StatusEvent {
  readonly type: 'STATUS';
  readonly status: SourceStatus;
  readonly partition?: string;
}

/** The events of one network read, or of one list. They become visible together. */
export type WatchEventBatch<T> = readonly WatchEvent<T>[];

/**
 * What a source is doing now. Times are milliseconds since the epoch, on the clock of the source's
 * scheduler. They are for display. The source itself measures elapsed time, so setting the clock
 * does not affect it.
 *
 * | state | meaning |
 * | --- | --- |
 * | `listing` | reading the whole list; `received` counts the objects so far, `expected` is the
 * number of all objects if the server sent it |
 * | `watching` | connected; the objects are as current as the last message |
 * | `reconnecting` | opening the watch again at once, from the last version, because it ended or
 * the source closed it |
 * | `backing-off` | waiting until `until` before trying again, for the `attempt`th time in a row |
 * | `forbidden` | backing off because of a 401 or 403: credentials or RBAC rules are missing |
 * | `not-found` | backing off because of a 404: the kind is not installed, or the path is wrong |
 * | `stopped` | there is no subscriber, or the source completed |
 *
 * A merged source has the status of its least healthy member. `members` has the status of each
 * member, by partition.
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
 * import { fromEvents } from 'rx-informers';
 * import { watchEvent } from 'rx-informers/store';
 *
 * const a = { metadata: { name: 'a' } };
 * const source = fromEvents([
 *   watchEvent.listed([a]),
 *   watchEvent.modified({ metadata: { name: 'a', labels: { on: 'yes' } } }),
 * ]);
 */
export const watchEvent = {
  /** Returns the event of a completed list. `resourceVersion` `''` means no version. */
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
  /** Returns a bookmark: nothing else has changed up to `resourceVersion`. */
  bookmark: (resourceVersion: string): BookmarkEvent => ({ type: 'BOOKMARK', resourceVersion }),
};

export function errorEvent(error: SourceError): SourceErrorEvent {
  return { type: 'ERROR', error };
}

export function statusEvent(status: SourceStatus): StatusEvent {
  return { type: 'STATUS', status };
}

/**
 * Returns an emission of a source as a batch. A value that is no watch event, as JavaScript can
 * emit, becomes an `ERROR`; the other events are kept.
 */
export function toBatch<T>(emitted: WatchEvent<T> | readonly WatchEvent<T>[]): readonly WatchEvent<T>[] {
  const batch: readonly WatchEvent<T>[] = isBatch(emitted) ? emitted : [emitted];
  if (batch.every(isWatchEvent)) return batch;
  return Array.from(batch, (event): WatchEvent<T> => {
    const problem = problemWith(event);
    return problem === undefined ? event : { type: 'ERROR', error: invalidEventError(event, problem) };
  });
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
    return `${event === null ? 'null' : `a value of type ${typeof event}`} is not a watch event`;
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
      return typeof type === 'string' ? `${JSON.stringify(type)} is not a type of watch event` : 'it has no type';
  }
}
