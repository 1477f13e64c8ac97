/**
 * The pure functions that informers and operators are made of, and their types. For experts: use
 * them for your own cache, in a worker, or in a test of a transform.
 *
 * This entry contains no Observables.
 */

// Keys
export { metaNamespaceKey, partitionedKey, splitMetaNamespaceKey, splitPartitionedKey } from './kubernetes/keys.js';
export type { KeyFunction, NamespacedName, PartitionedName } from './kubernetes/keys.js';
export type { AnyKubernetesObject } from './kubernetes/object.js';

// Watch events → deltas
export { watchEvent } from './sources/model/watch-event.js';
export type {
  BookmarkEvent,
  ChangeEvent,
  SourceErrorEvent,
  ListedEvent,
  StatusEvent,
  WatchEvent,
  WatchEventBatch,
} from './sources/model/watch-event.js';
export { batchToDeltas, eventToDeltas } from './store/stages.js';
export type {
  BookmarkDelta,
  DeletedDelta,
  Delta,
  FailedDelta,
  KeyedObject,
  ReplacedAllDelta,
  SyncDelta,
  UpsertDelta,
} from './store/delta.js';

// Deltas → fewer deltas
export type { DedupMode } from './store/dedup.js';
export { collapseDeletions, keepLatest, latestOnly } from './store/dedup.js';
export type { Dedup } from './sources/reflector/read-watch.js';

// Deltas → commits, each a snapshot and its changes
export { emptySnapshot } from './store/indexed-snapshot.js';
export type { IndexedSnapshot } from './store/indexed-snapshot.js';
export type { SnapshotOptions } from './store/snapshot-draft.js';
export { reduceDeltas } from './store/stages.js';
export type { IndexedCommit } from './store/stages.js';
export type { AddedChange, ChangeReason, Commit, DeletedChange, UpdatedChange } from './store/change.js';
export type { StoreError } from './store/errors.js';
export type { SourceError } from './sources/model/errors.js';
export { indexByController } from './store/index-functions.js';
export type { BucketReads, IndexRange } from './store/snapshot.js';

// Two versions of one object
export { shareStructure } from './kubernetes/share-structure.js';
export { changed, finalizersChanged, resourceVersionChanged } from './store/update-predicates.js';
export type { UpdatePredicate } from './store/update-predicates.js';

// Change sets → fewer change sets
export { mergeChangeSets } from './store/merge-change-sets.js';

// What an informer calls for each change
export type { EventHandler } from './collections/add-event-handler.js';

// Queries: values that define what is read from a snapshot
export { bucketPrefix, bucketRange, buckets, bucketSize, indexValues } from './queries/bucket-queries.js';
export { collectionSize, countMatching, select } from './queries/object-queries.js';
export type { ObjectSelection } from './queries/object-queries.js';
export type { QueryResult, Footprint, TrackedRead } from './queries/query.js';
