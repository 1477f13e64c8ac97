import type { SourceError } from '../sources/model/errors.js';
import type { KeyError } from './errors.js';

/**
 * One keyed change on its way to the store, by client-go's names.
 *
 * | type | from | what the store makes of it |
 * | --- | --- | --- |
 * | `Added` `Updated` | ADDED, MODIFIED | an upsert; which of the two it was is not trusted (D1) |
 * | `Deleted` | DELETED, or inferred | removes the key; `finalStateUnknown` marks a tombstone |
 * | `ReplacedAll` | LISTED | the new content of the store, or of one partition; deletions are inferred (D3) |
 * | `Sync` | resync | delivers the stored object again, changes nothing |
 * | `Bookmark` | BOOKMARK | moves the resourceVersion only (D5) |
 * | `Failed` | ERROR, key function | carried along, so that nothing is swallowed (G4) |
 */
export type Delta<T> = UpsertDelta<T> | DeletedDelta<T> | ReplacedAllDelta<T> | SyncDelta | BookmarkDelta | FailedDelta;

export interface UpsertDelta<T> {
  readonly type: 'Added' | 'Updated';
  readonly key: string;
  readonly object: T;
  readonly partition?: string;
}

export interface DeletedDelta<T> {
  readonly type: 'Deleted';
  readonly key: string;
  /** The object's final state as the server sent it; for a tombstone the last one known, if any. */
  readonly object: T | undefined;
  /** True for a tombstone (client-go's `DeletedFinalStateUnknown`): the delete was inferred, not seen. */
  readonly finalStateUnknown: boolean;
  readonly partition?: string;
}

export interface ReplacedAllDelta<T> {
  readonly type: 'ReplacedAll';
  readonly items: readonly KeyedObject<T>[];
  readonly resourceVersion: string;
  /**
   * Objects that exist but could not be delivered, as `namespace/name` (or `name`), or by their keys: what the store has under
   * such a name or key stays.
   */
  readonly missing?: readonly string[];
  /** Where present, only objects of this partition are replaced. */
  readonly partition?: string;
}

export interface KeyedObject<T> {
  readonly key: string;
  readonly object: T;
}

export interface SyncDelta {
  readonly type: 'Sync';
  readonly key: string;
}

export interface BookmarkDelta {
  readonly type: 'Bookmark';
  readonly resourceVersion: string;
  readonly partition?: string;
}

export interface FailedDelta {
  readonly type: 'Failed';
  readonly error: SourceError | KeyError;
}

/**
 * The items of a list, each key once, in the place of its first and with the object of its last item (S2). Servers list in key order, and
 * then it is the array that was given.
 */
export function lastOfEachKey<T>(items: readonly KeyedObject<T>[]): readonly KeyedObject<T>[] {
  return areInKeyOrder(items) ? items : [...new Map(items.map((item) => [item.key, item])).values()];
}

function areInKeyOrder<T>(items: readonly KeyedObject<T>[]): boolean {
  for (let position = 1; position < items.length; position++) {
    if ((items[position - 1] as KeyedObject<T>).key >= (items[position] as KeyedObject<T>).key) return false;
  }
  return true;
}
