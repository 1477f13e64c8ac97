import type { SourceError } from '../sources/source-error.js';
import type { ChangeSet } from './change.js';
import type { Snapshot } from './snapshot.js';
import type { StoreError } from './store-error.js';

/** What one batch did to the store: the new version, what changed, and what went wrong on the way. */
export interface Commit<T, I extends string = string> extends ChangeSet<T> {
  readonly snapshot: Snapshot<T, I>;
  readonly errors: readonly (SourceError | StoreError)[];
}
