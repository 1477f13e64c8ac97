// Collections that are computed from collections
export { derive, type ReadableCollections, type ReadsOf } from './derive.js';
export { filter } from './filter.js';
export { groupJoin, leftJoin, type GroupJoin, type LeftJoin } from './join.js';
export { selectorJoin, serviceSelector, type Selected, type SelectorJoin } from './selector-join.js';

// What all of them have in common
export type { DerivedCollection, DerivedOptions } from './core/derived-collection.js';
export { LateReadError, type TrackedReads } from './core/tracked-reads.js';
