/**
 * Kubernetes informers as RxJS streams: what every program needs, in a browser and in Node.
 *
 * The other entries are chapters. `rx-informers/store` has the pure functions and the types behind
 * these: keys, events, deltas, commits and queries. `rx-informers/client` is for clients of your
 * own. `rx-informers/node` has what needs Node, such as `kubeClient`.
 */

// Sources: the API server → watch events
export { listWatch } from './sources/list-watch.js';
export type { ListWatchOptions } from './sources/list-watch-options.js';
export { fetchClient } from './sources/client/fetch-client.js';
export type { KubeClient } from './sources/client/kube-client.js';
export { mergeSources } from './sources/merge/merge-sources.js';
export { inNamespaces } from './sources/merge/in-namespaces.js';
export { fromEvents } from './sources/from-events.js';
export { replay } from './sources/recording/replay.js';
export type { ResourceSource, Source } from './sources/model/source.js';
export type { SourceStatus } from './sources/model/watch-event.js';

// Operators: watch events → deltas → commits
export { toDeltas } from './operators/to-deltas.js';
export { dedupDeltas } from './operators/dedup-deltas.js';
export { reduceStore } from './operators/reduce-store.js';

// Informers: source, store and operators together, shared by all subscribers
export { informer } from './informer/informer.js';
export type { Informer } from './informer/source-informer.js';
export type { InformerOptions, ResourceInformerOptions } from './informer/informer-options.js';
export { defineRequest, informerRegistry } from './informer/informer-registry.js';
export type { InformerRegistry, InformerRequest } from './informer/informer-registry.js';
export { createIndexer } from './collections/indexer.js';
export type { Indexer } from './collections/indexer.js';
export type { Collection } from './collections/collection.js';
export { addEventHandler } from './collections/add-event-handler.js';
export type { EventHandlerRegistration } from './collections/add-event-handler.js';
export type { Snapshot } from './store/snapshot.js';

// Indexes and queries: which objects to read
export { indexByField, indexByLabel, indexByNamespace, indexByNode, indexByOwner } from './store/index-functions.js';
export type { IndexFunction, Indexers } from './store/index-functions.js';
export { bucket } from './queries/bucket-queries.js';
export { allObjects, matching, objectByKey } from './queries/object-queries.js';
export type { Query } from './queries/query.js';

// Changes: change sets → change sets
export type { Change, ChangeSet, Commit } from './store/change.js';
export { filterUpdates } from './operators/filter-updates.js';
export { conflateChanges } from './operators/conflate-changes.js';
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  noneOf,
} from './store/update-predicates.js';

// Kinds: the everyday ones; rx-informers/resources has all that are built in
export { resource } from './kubernetes/resource.js';
export type { Resource } from './kubernetes/resource.js';
export type { KubernetesObject, PartialObjectMetadata } from './kubernetes/object.js';
export * from './kubernetes/resources/everyday.js';

// Errors
export { isRxInformersError, RxInformersError } from './kubernetes/errors.js';
export type { ErrorCode } from './kubernetes/error-codes.js';
export { StatusError } from './sources/model/errors.js';
export type { InformerError } from './collections/errors.js';
