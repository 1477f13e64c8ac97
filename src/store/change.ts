import type { SourceError } from '../sources/model/errors.js';
import type { Snapshot } from './snapshot.js';
import type { StoreError } from './errors.js';

/** What happened to one object in one commit. Objects are shared and never change. */
export type Change<T> = AddedChange<T> | UpdatedChange<T> | DeletedChange<T>;

export interface AddedChange<T> {
  readonly type: 'added';
  readonly key: string;
  readonly object: T;
}

export interface UpdatedChange<T> {
  readonly type: 'updated';
  readonly key: string;
  readonly object: T;
  readonly previous: T;
}

export interface DeletedChange<T> {
  readonly type: 'deleted';
  readonly key: string;
  /** The final state as the server sent it, or the last one known where `finalStateUnknown`. */
  readonly object: T;
  /** True for a tombstone: the delete was inferred (at a relist, or from a new uid), not seen. */
  readonly finalStateUnknown: boolean;
}

/**
 * Why a commit happened: the first content (or, for a late subscriber, the state as it is), the watch, a later list, or a resync.
 */
export type ChangeReason = 'initial' | 'watch' | 'relist' | 'resync';

/** What one commit changed, in the order in which it happened; a key may appear more than once. */
export interface ChangeSet<T> {
  readonly reason: ChangeReason;
  readonly changes: readonly Change<T>[];
}

/** What one batch did to the store: the new version, what changed, and what went wrong on the way. */
export interface Commit<T, I extends string = string> extends ChangeSet<T> {
  readonly snapshot: Snapshot<T, I>;
  readonly errors: readonly (SourceError | StoreError)[];
}
