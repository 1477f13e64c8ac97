/**
 * Kubernetes informers as RxJS streams: the browser-safe core.
 *
 * Values that need Node, such as `kubeClient`, are in `rx-informers/node`; helpers for tests are in
 * `rx-informers/testing`.
 */

// The base of all errors
export {
  isRxInformersError,
  RxInformersError,
  UnversionedObjectError,
  InvalidSelectorError,
} from './kubernetes/errors.js';

// Kubernetes: objects, keys, selectors, resources
export { compareResourceVersions, dropManagedFields } from './kubernetes/object.js';
export {
  metaNamespaceKey,
  splitMetaNamespaceKey,
  partitionedKey,
  splitPartitionedKey,
  InvalidKeyError,
  InvalidObjectError,
} from './kubernetes/keys.js';
export type {
  AnyKubernetesObject,
  KubernetesObject,
  Live,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  PartialObjectMetadata,
  Raw,
  KubernetesStatus,
  KubernetesStatusDetails,
} from './kubernetes/object.js';
export type { KeyFunction, NamespacedName, PartitionedName } from './kubernetes/keys.js';
export { formatLabelSelector, matchesLabelSelector, selectNothing } from './kubernetes/selector.js';
export type {
  CheckedSelector,
  LabelSelector,
  LabelSelectorExpression,
  LabelSelectorObject,
} from './kubernetes/selector.js';
export { parseLabelSelector } from './kubernetes/parse-label-selector.js';
export type { Labels, SelectorOperator, SelectorRequirement } from './kubernetes/parse-label-selector.js';
export { resource, apiVersionOf, InvalidResourceError, InvalidApiVersionError } from './kubernetes/resource.js';
export type { Resource, ResourceDefinition, GroupVersion } from './kubernetes/resource.js';
export { resourcePath, ResourcePathError } from './kubernetes/resource-path.js';
export type { ResourcePathOptions } from './kubernetes/resource-path.js';
export { discoverResource, UnknownKindError, UnwatchableKindError } from './sources/discover-resource.js';
export type { KindReference } from './sources/discover-resource.js';

// Descriptors of the everyday kinds; rx-informers/resources has the descriptors of all kinds
export * from './kubernetes/resources/everyday.js';

// Clients: requests → bytes
export type {
  ClientClock,
  KubeClient,
  KubeRequest,
  RecordedWrite,
  ResponseBytes,
  ResponseHead,
  ResponsePart,
} from './sources/client/kube-client.js';
export { fetchClient } from './sources/client/fetch-client.js';
export type { FetchClientOptions, FetchHeaders } from './sources/client/fetch-client.js';
export { webSocketWatches } from './sources/client/web-socket-watches.js';
export type {
  WatchMessage,
  WatchSocket,
  WatchSocketClose,
  WatchTransport,
  WebSocketWatchesOptions,
} from './sources/client/web-socket-watches.js';
export { limitedClient } from './sources/client/limited-client.js';
export type { LimitedClientOptions, RateLimitOptions } from './sources/client/limited-client.js';

// Sources: bytes → watch events
export { listWatch } from './sources/list-watch.js';
export type { ListWatchOptions, Received, WithoutTransform } from './sources/list-watch-options.js';
export { shardOf } from './sources/reflector/shard.js';
export type { Shard, SourceShard } from './sources/reflector/shard.js';
export type { ListWatchMetrics } from './sources/reflector/metrics.js';
export {
  InvalidOptionError,
  BookmarkDeadlineError,
  ConnectionError,
  CredentialsError,
  DecodeError,
  EarlyCloseError,
  InvalidEventError,
  RecordingFormatError,
  ResponseError,
  ServerRestoredError,
  SilentConnectionError,
  StatusError,
  TransformError,
  TruncatedRecordingError,
  SharedWorkerError,
  UnexpectedSourceError,
} from './sources/model/errors.js';
export type { RequestLine, SourceError } from './sources/model/errors.js';
export { mergeSources } from './sources/merge/merge-sources.js';
export { inNamespaces, type NamespaceSet } from './sources/merge/in-namespaces.js';
export type { MergeOptions, SourceSet } from './sources/merge/merge-sources.js';
export { exponentialBackoff } from './sources/model/backoff.js';
export type { Backoff, ExponentialBackoffOptions } from './sources/model/backoff.js';
export { fromEvents } from './sources/from-events.js';
export type { ResourceSource, Source } from './sources/model/source.js';
export { watchEvent } from './sources/model/watch-event.js';
export type {
  BookmarkEvent,
  ChangeEvent,
  ErrorEvent,
  ListedEvent,
  StatusEvent,
  WatchEvent,
  WatchEventBatch,
  SourceStatus,
} from './sources/model/watch-event.js';
export { replay } from './sources/recording/replay.js';
export type { ReplayOptions } from './sources/recording/replay.js';

// Store: deltas → commits, each a snapshot and its changes
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
export type { BucketReads, IndexRange, Reads, Snapshot } from './store/snapshot.js';
export type { KeepOptions } from './store/indexed-snapshot.js';
export type { IndexFunction, Indexers } from './store/index-functions.js';
export {
  indexByController,
  indexByField,
  indexByLabel,
  indexByNamespace,
  indexByNode,
  indexByOwner,
} from './store/index-functions.js';
export type { FieldPath, NodeBound } from './store/index-functions.js';
export {
  IndexerConflictError,
  IndexFunctionError,
  KeyCollisionError,
  KeyError,
  UnknownIndexError,
} from './store/errors.js';
export type { DerivedRowError } from './store/errors.js';
export type { StoreError } from './store/errors.js';

// Queries: values that define what is read from a snapshot
export { objectByKey, allObjects, matching, select, collectionSize, countMatching } from './queries/object-queries.js';
export type { Selection } from './queries/object-queries.js';
export { bucket, buckets, bucketPrefix, bucketRange, bucketSize, indexValues } from './queries/bucket-queries.js';
export type { Answer, Footprint, Query, TrackedRead } from './queries/query.js';

// Operators: watch events → deltas → commits
export { toDeltas } from './operators/to-deltas.js';
export type { ToDeltasOptions } from './operators/to-deltas.js';
export { dedupDeltas } from './operators/dedup-deltas.js';
export { latestOnly, type Dedup } from './store/keep-latest.js';
export type { LineDedup } from './sources/reflector/read-watch.js';
export type { DedupMode } from './store/stages.js';
export { reduceStore } from './operators/reduce-store.js';
export type { ReduceStoreOptions } from './operators/reduce-store.js';

// Operators: change sets → change sets
export { filterUpdates } from './operators/filter-updates.js';
export { filterObjects } from './operators/filter-objects.js';
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
} from './store/change-predicates.js';
export type { UpdatePredicate } from './store/change-predicates.js';
export { resync } from './operators/resync.js';
export type { ResyncOptions } from './operators/resync.js';
export { conflateChanges, BufferOverflowError } from './operators/conflate-changes.js';
export type {
  ConflateChangesOptions,
  ConflateEvery,
  ConflateLeading,
  ConflateLimit,
  ConflateUntilRelease,
} from './operators/conflate-changes.js';
export { conflateMap } from './operators/conflate-map.js';

// Informers: source, store and operators together, shared by all subscribers
export { informer } from './informer/informer.js';
export { informerRegistry } from './informer/informer-registry.js';
export type { Informer } from './informer/source-informer.js';
export type { InformerOptions, ResourceInformerOptions } from './informer/informer-options.js';
export type { Collection, CollectionOptions } from './collections/collection.js';
export { addEventHandler } from './collections/add-event-handler.js';
export type { EventHandler, EventHandlerOptions, EventHandlerRegistration } from './collections/add-event-handler.js';
export type { Freshness } from './informer/freshness.js';
export type { ObservedOptions, ObservesWrites, WhenObservedOptions } from './informer/when-observed.js';
export type { ReportOptions, SlowSubscriber, SlowSubscriberOptions } from './collections/reports.js';
export { defineRequest } from './informer/informer-registry.js';
export type { InformerRegistry, InformerRequest, InformerRegistryOptions } from './informer/informer-registry.js';
export { createIndexer } from './collections/indexer.js';
export type { Indexer, IndexerOptions } from './collections/indexer.js';
export { HandlerError, NotRunningError, SelectError, UnstableRequestError } from './collections/errors.js';
export type { InformerError } from './collections/errors.js';
