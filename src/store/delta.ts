import { type RxInformersError } from '../kubernetes/errors.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { SourceError } from '../sources/model/errors.js';

/**
 * One keyed change on its way to the store, by client-go's names.
 *
 * | type | from | effect on the store |
 * | --- | --- | --- |
 * | `Added` `Updated` | ADDED, MODIFIED | adds or updates the object, depending on the content of the store and not on the type (D1) |
 * | `Deleted` | DELETED, or inferred | removes the key; `finalStateUnknown` marks a tombstone |
 * | `ReplacedAll` | LISTED | the new content of the store, or of one partition; deletions are inferred (D3) |
 * | `Sync` | resync | delivers the stored object again, changes nothing |
 * | `Bookmark` | BOOKMARK | moves the resourceVersion only (D5) |
 * | `Failed` | ERROR, key function | none; the commit contains the error, so that no error is lost (G4) |
 */
export type Delta<T> = UpsertDelta<T> | DeletedDelta<T> | ReplacedAllDelta<T> | SyncDelta | BookmarkDelta | FailedDelta;

/** An object was added or updated; the store decides which. */
export interface UpsertDelta<T> {
  readonly type: 'Added' | 'Updated';
  readonly key: string;
  readonly object: T;
  readonly partition?: string;
}

/** An object was deleted. */
export interface DeletedDelta<T> {
  readonly type: 'Deleted';
  readonly key: string;
  /** The final state as sent; the last known one, or `undefined`, for a tombstone. */
  readonly object: T | undefined;
  /** True for a tombstone (client-go's `DeletedFinalStateUnknown`), an inferred deletion. */
  readonly finalStateUnknown: boolean;
  readonly partition?: string;
}

/** A complete list. Objects that are not in it are deleted. */
export interface ReplacedAllDelta<T> {
  readonly type: 'ReplacedAll';
  readonly items: readonly KeyedObject<T>[];
  readonly resourceVersion: string;
  /**
   * Objects that exist but could not be delivered. Each is named as `namespace/name` (or `name`),
   * or by its key. The store keeps its objects with these names or keys.
   */
  readonly missing?: readonly string[];
  /** If set, only objects of this partition are replaced. */
  readonly partition?: string;
}

/** An object with its key. */
export interface KeyedObject<T> {
  readonly key: string;
  readonly object: T;
}

/** Requests that an object is delivered again, although it did not change. */
export interface SyncDelta {
  readonly type: 'Sync';
  readonly key: string;
}

/** A version was reached without a change. */
export interface BookmarkDelta {
  readonly type: 'Bookmark';
  readonly resourceVersion: string;
  readonly partition?: string;
}

/** An event could not become a delta, or the source failed. */
export interface FailedDelta {
  readonly type: 'Failed';
  readonly error: SourceError | RxInformersError<'RXI_KEY'>;
}

/**
 * Returns the items of a list without repeated keys: each has the position of its first item and
 * the object of its last (S2). A list in key order without repetitions is returned itself.
 */
export function* lastOfEachKey<T>(items: readonly KeyedObject<T>[]): Slices<readonly KeyedObject<T>[]> {
  let last: string | undefined;
  let outOfOrder = 0;
  yield* forEachInSlices(items, ({ key }) => {
    if (last !== undefined && last >= key) outOfOrder++;
    last = key;
  });
  if (outOfOrder === 0) return items;
  const ofKey = new Map<string, KeyedObject<T>>();
  yield* forEachInSlices(items, (item) => {
    ofKey.set(item.key, item);
  });
  return [...ofKey.values()];
}
