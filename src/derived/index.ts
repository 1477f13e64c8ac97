// Collections that are computed from collections
export { filter } from './filter.js';

// What all of them have in common
export type { DerivedCollection, DerivedOptions } from './core/derived-collection.js';
