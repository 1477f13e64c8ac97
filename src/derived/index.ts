// Collections computed from other collections
export { filter } from './filter.js';
export { map } from './map.js';
export { flatMap, type NamedRows } from './flat-map.js';
export { limit, type Limit } from './limit.js';
export { expireAfter, type Expiry } from './expire-after.js';
export { union, type Member, type MemberOf, type NameIn, type ObjectOf } from './union.js';
export { distinct, type Distinct, type DistinctOptions } from './distinct.js';
export { derive, type ReadableCollections, type ReadsOf } from './derive.js';
export { leftJoin, type LeftJoin } from './left-join.js';
export { groupJoin, type GroupJoin } from './group-join.js';
export { selectorJoin, serviceSelector, type SelectedRow, type SelectorJoin } from './selector-join.js';

// Groups and their aggregates
export { groupBy, type Grouped } from './group-by.js';
export {
  count,
  max,
  mean,
  min,
  sum,
  tally,
  topK,
  type Aggregate,
  type CustomAggregate,
  type MeanOf,
  type SumOf,
  type Tally,
  type TopKOptions,
} from './aggregates.js';
export type { Sortable } from './core/sorted-values.js';
export { quantity } from './quantity.js';

// Owners and what they own
export { ownerTree, type OwnerNode, type OwnerNodeOf, type OwnerTree, type OwnerTreeOptions } from './owner-tree.js';
export { rollUp, type Combination } from './roll-up.js';

// Types and errors that all operators share
export type { DerivedCollection, DerivedOptions } from './core/derived-collection.js';
export type { PartitionOptions } from './core/partitions.js';

export { type TrackedReads } from './core/tracked-reads.js';
export type { LabelSelector } from '../kubernetes/selector.js';
