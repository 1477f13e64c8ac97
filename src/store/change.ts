import type { SourceError } from '../sources/model/errors.js';
import type { StoreError } from './errors.js';
import type { Snapshot } from './snapshot.js';

/** What happened to one object in one commit. Objects are shared and never change. */
export type Change<T> = AddedChange<T> | UpdatedChange<T> | DeletedChange<T>;

/** An object is in the collection now and was not before. */
export interface AddedChange<T> {
  readonly type: 'added';
  readonly key: string;
  readonly object: T;
}

/** An object has another version than before. */
export interface UpdatedChange<T> {
  readonly type: 'updated';
  readonly key: string;
  readonly object: T;
  readonly previous: T;
}

/** An object is not in the collection any more. */
export interface DeletedChange<T> {
  readonly type: 'deleted';
  readonly key: string;
  /** The final state as sent, or the last known state if `finalStateUnknown` is true. */
  readonly object: T;
  /** True for a tombstone: the deletion was inferred from a relist or a new uid, not reported. */
  readonly finalStateUnknown: boolean;
}

/**
 * The reason for a change set: the first content (for a late subscriber, the current state), the
 * watch, a later list, or a resync.
 */
export type ChangeReason = 'initial' | 'watch' | 'relist' | 'resync';

/** The changes of one commit, in order. A key may occur more than once. */
export interface ChangeSet<T> {
  readonly reason: ChangeReason;
  readonly changes: readonly Change<T>[];
}

/** The result of one batch: the new version of the store, the changes, and the errors. */
export interface Commit<T, I extends string = string> extends ChangeSet<T> {
  readonly snapshot: Snapshot<T, I>;
  readonly errors: readonly (SourceError | StoreError)[];
}
