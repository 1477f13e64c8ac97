/**
 * The pure functions that informers and operators are made of. For experts: use them for your own
 * cache, in a worker, or in a test of a transform.
 *
 * This entry contains no Observables. The types that these functions take and return (`Delta`,
 * `Commit`, `ChangeSet`, `Snapshot`) are exported by `rx-informers`.
 */

// Watch events → deltas
export { batchToDeltas, eventToDeltas } from './stages.js';

// Deltas → fewer deltas
export { collapseDeletions } from './stages.js';
export { keepLatest } from './keep-latest.js';

// Deltas → commits
export { emptySnapshot } from './indexed-snapshot.js';
export type { IndexedSnapshot } from './indexed-snapshot.js';
export { reduceDeltas } from './stages.js';
export type { IndexedCommit } from './stages.js';

// Two versions of one object
export { shareStructure } from '../kubernetes/share-structure.js';

// Change sets → fewer change sets
export { mergeChangeSets } from './merge-change-sets.js';

// Keys
