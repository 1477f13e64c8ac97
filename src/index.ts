/**
 * Kubernetes informers as RxJS streams: the browser-safe core.
 *
 * What needs Node (`kubeClient`) is `rx-informers/node`; what tests need is `rx-informers/testing`.
 */

// Errors
export { isRxInformersError, RxInformersError } from './kubernetes/rx-informers-error.js';

// Kubernetes: objects, keys, selectors, resources
export type {
  KubernetesObject,
  Live,
  ObjectMeta,
  OwnerReference,
  PartialObjectMetadata,
  Raw,
} from './kubernetes/object.js';
export type { KubernetesStatus, KubernetesStatusDetails } from './kubernetes/status.js';
export { metaNamespaceKey, splitMetaNamespaceKey, InvalidKeyError, InvalidObjectError } from './kubernetes/key.js';
export type { KeyFunction, NamespacedName } from './kubernetes/key.js';
export { partitionedKey, splitPartitionedKey } from './kubernetes/partitioned-key.js';
export type { PartitionedName } from './kubernetes/partitioned-key.js';
export {
  formatLabelSelector,
  matchesLabelSelector,
  selectNothing,
  selectsEverything,
  selectsNothing,
} from './kubernetes/selector.js';
export type { LabelSelector, LabelSelectorExpression, LabelSelectorObject } from './kubernetes/selector.js';
export { parseLabelSelector } from './kubernetes/parse-label-selector.js';
export type { Labels, SelectorOperator, SelectorRequirement } from './kubernetes/selector-requirement.js';
export { InvalidSelectorError } from './kubernetes/invalid-selector-error.js';
export { compareResourceVersions } from './kubernetes/compare-resource-versions.js';
export { UnversionedObjectError } from './kubernetes/unversioned-object-error.js';
export { resource, InvalidResourceError } from './kubernetes/resource.js';
export type { Resource, ResourceDefinition } from './kubernetes/resource.js';
export { resourcePath, ResourcePathError } from './kubernetes/resource-path.js';
export type { ResourcePathOptions } from './kubernetes/resource-path.js';
export { apiVersionOf, InvalidApiVersionError } from './kubernetes/api-version.js';
export type { GroupVersion } from './kubernetes/api-version.js';

// Sources: bytes → watch events
export type {
  KubeClient,
  KubeRequest,
  ResponseBytes,
  ResponseHead,
  ResponsePart,
} from './sources/client/kube-client.js';
export { fetchClient } from './sources/client/fetch-client.js';
export { limitedClient } from './sources/client/limited-client.js';
export type { LimitedClientOptions, RateLimitOptions } from './sources/client/limited-client.js';
export type { FetchClientOptions, FetchHeaders } from './sources/client/fetch-client.js';
export { requestJson } from './sources/client/request-json.js';
export { listWatch } from './sources/list-watch.js';
export { InvalidOptionError } from './sources/list-watch-options.js';
export type { ListWatchOptions, Received, WithoutTransform } from './sources/list-watch-options.js';
export type { ListWatchMetrics } from './sources/reflector/list-watch-metrics.js';
export type { Shard } from './sources/shard/shard.js';
export { mergeSources } from './sources/merge-sources.js';
export type { MergeOptions, SourceSet } from './sources/merge-sources.js';
export { fromEvents } from './sources/from-events.js';
export { replay } from './sources/recording/replay.js';
export type { ReplayOptions } from './sources/recording/replay.js';
export { RecordingFormatError, TruncatedRecordingError } from './sources/recording/recording-errors.js';
export { added, bookmark, deleted, listed, modified } from './sources/events.js';
export { dropManagedFields } from './sources/drop-managed-fields.js';
export { exponentialBackoff } from './sources/backoff.js';
export type { Backoff, ExponentialBackoffOptions } from './sources/backoff.js';
export { discoverResource, UnknownKindError, UnwatchableKindError } from './sources/discover-resource.js';
export type { KindReference } from './sources/discover-resource.js';
export type { Source } from './sources/source.js';
export type { SourceStatus } from './sources/source-status.js';
export type {
  BookmarkEvent,
  ChangeEvent,
  ErrorEvent,
  ListedEvent,
  StatusEvent,
  WatchEvent,
  WatchEventBatch,
} from './sources/watch-event.js';
export {
  BookmarkDeadlineError,
  ConnectionError,
  CredentialsError,
  DecodeError,
  EarlyCloseError,
  ResponseError,
  SilentConnectionError,
  StatusError,
  TransformError,
  InvalidEventError,
  UnexpectedSourceError,
} from './sources/source-error.js';
export type { RequestLine, SourceError } from './sources/source-error.js';

// Store: deltas → commits
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
export type {
  AddedChange,
  Change,
  ChangeReason,
  ChangeSet,
  DeletedChange,
  UpdatedChange,
  Commit,
} from './store/change.js';
export type { IndexFunction, Indexers } from './store/indexing.js';
export type { Reads } from './store/reads.js';
export type { BucketReads, IndexRange, Snapshot } from './store/snapshot.js';
export type { KeepOptions } from './store/snapshot-draft.js';
export {
  indexByController,
  indexByField,
  indexByLabel,
  indexByNamespace,
  indexByNode,
  indexByOwner,
} from './store/index-functions.js';
export {
  IndexerConflictError,
  IndexFunctionError,
  KeyCollisionError,
  KeyError,
  UnknownIndexError,
} from './store/errors.js';
export type { StoreError } from './store/errors.js';

export type { FieldPath, NodeBound } from './store/index-functions.js';

// Queries: what can be asked of a collection, as values
export { bucket, bucketPrefix, bucketRange, buckets, bucketSize, indexValues } from './queries/bucket-queries.js';
export { allObjects, collectionSize, matching, objectByKey, select } from './queries/object-queries.js';
export type { Selection } from './queries/object-queries.js';
export type { Answer, Footprint, Query, TrackedRead } from './queries/query.js';

// Operators
export { toDeltas } from './operators/to-deltas.js';
export type { ToDeltasOptions } from './operators/to-deltas.js';
export { dedupDeltas } from './operators/dedup-deltas.js';
export type { DedupMode } from './sources/dedup-mode.js';
export { reduceStore } from './operators/reduce-store.js';
export type { ReduceStoreOptions } from './operators/reduce-store.js';
export { resync } from './operators/resync.js';
export type { ResyncOptions } from './operators/resync.js';
export { whereChanged } from './operators/where-changed.js';
export { filterUpdates } from './operators/filter-updates.js';
export {
  allOf,
  annotationsChanged,
  anyOf,
  changed,
  finalizersChanged,
  generationChanged,
  labelsChanged,
  noneOf,
  resourceVersionChanged,
} from './store/update-predicate.js';
export type { UpdatePredicate } from './store/update-predicate.js';
export { conflateChanges, BufferOverflowError } from './operators/conflate-changes.js';
export type {
  ConflateChangesOptions,
  ConflateEvery,
  ConflateLimit,
  ConflateUntilRelease,
} from './operators/conflate-changes.js';
export { conflateMap } from './operators/conflate-map.js';

// Informer
export type { Collection, CollectionOptions } from './informer/collection.js';
export { informer } from './informer/informer.js';
export type { Informer } from './informer/informer.js';
export type { Freshness } from './informer/message-times.js';
export type { ObservedOptions, ObservesWrites, WhenObservedOptions } from './informer/observed-writes.js';
export type { InformerOptions, ResourceInformerOptions } from './informer/informer-options.js';
export type { ReportOptions, SlowSubscriber, SlowSubscriberOptions } from './informer/reports.js';
export { HandlerError, NotRunningError, SelectError, NotFoundError, UnstableRequestError } from './informer/errors.js';
export type { InformerError } from './informer/errors.js';
export type { EventHandler, EventHandlerOptions, EventHandlerRegistration } from './informer/event-handlers.js';
export { createIndexer } from './informer/indexer.js';
export type { Indexer, IndexerOptions } from './informer/indexer.js';
export { informerRegistry } from './informer/informer-registry.js';
export type { InformerRegistry } from './informer/informer-registry.js';
export { lister } from './informer/lister.js';
export type { Lister, ListerOptions } from './informer/lister.js';

// Descriptors of the everyday kinds; rx-informers/resources has all
export * from './kubernetes/resources/everyday.js';
