export { createApiServer, type ApiServer, type ApiServerOptions } from './api-server/api-server.js';
export {
  createInMemoryApiServer,
  type InMemoryApiServer,
  type InMemoryApiServerOptions,
} from './api-server/in-memory-api-server.js';
export type { Appliable } from './api-server/apply-objects.js';
export type { AllowRule, ApiUser } from './api-server/access-control.js';
export type {
  ApiReply,
  ApiRequest,
  LineListener,
  LineReader,
  Piece,
  RequestHandler,
  StreamReply,
  WholeReply,
} from './api-server/exchange.js';
export { ConnectionFault, type ConnectionBreak } from './api-server/exchange.js';
export {
  delay,
  gone,
  type GoneOptions,
  refuse,
  reset,
  respond,
  type RespondOptions,
  restart,
} from './api-server/faults/request-faults.js';
export {
  dropAfter,
  duplicateEvents,
  garbageLine,
  slowDrip,
  stall,
  type StallOptions,
  truncatedLine,
} from './api-server/faults/body-faults.js';
export { randomServerFaults, type RandomServerFaultsOptions } from './api-server/faults/random-server-faults.js';
export type { FaultContext, RequestKind, RestartOptions, ServerFault } from './api-server/faults/server-fault.js';
export type { FaultTarget, ServerFaults } from './api-server/faults/server-faults.js';
export type { HistoryEntry, ResourceReference, ServerObjects } from './api-server/in-memory-api-server.js';
export type { KubeConfigObject, KubeConfigObjectCluster } from './api-server/api-server.js';
export type { ManagedFieldsEntry, StoredMeta, StoredObject } from './api-server/storage/stored-object.js';
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.js';
export { workload, type WorkloadOptions } from './workload/workload.js';
export type { WorkloadStep } from './workload/cluster.js';
export {
  aConfigMap,
  type ConfigMapOptions,
  aDeployment,
  aReplicaSet,
  type DeploymentOptions,
  aNamespace,
  aNode,
  type NodeOptions,
  aPod,
  type PodOptions,
  anyObject,
  type AnyObject,
  type AnyObjectOptions,
} from './factories/objects.js';
export type { FactoryMeta, FactoryOwnerReference, FactoryOptions, OwnerLike } from './factories/meta.js';
export { randomFromSeed } from './random-from-seed.js';
export { describeCollectionConformance } from './conformance/collection-conformance.js';
export type { CollectionUnderTest, ConformanceObject } from './conformance/collection-under-test.js';
export { ConformanceError, type ConformanceOptions } from './conformance/test-runner.js';
export { describeSourceConformance, type SourceUnderTest } from './conformance/source-conformance.js';
export type { TestRunner } from './conformance/test-runner.js';
export type { LineSink } from './record/record.js';
export { record, type RecordOptions, replayFile } from './record/record.js';
export { watchMarbles, type WatchMarblesOptions } from './marbles/watch-marbles.js';
export type { MarbleObjects } from './marbles/marble-objects.js';
export {
  informerTest,
  type InformerTestHelpers,
  type InformerTestOptions,
  type MarbleExpectation,
  type QueryExpectation,
} from './marbles/informer-test.js';
export { MarbleSyntaxError } from './marbles/parse-marbles.js';
export { MarbleAssertionError } from './marbles/timeline.js';
export type { Moment } from './marbles/timeline.js';
export type { ObjectsEmitted } from './marbles/labels.js';
export type { Fault } from './faults/source-fault.js';
export {
  delayBatches,
  duplicateChanges,
  type DuplicateChangesOptions,
  reorderObjects,
  repeatChanges,
  splitBatches,
  type SplitBatchesOptions,
} from './faults/delivery-faults.js';
export { dropConnection, expireHistory, type ExpireHistoryOptions, goSilent } from './faults/connection-faults.js';
export { randomFaults, type RandomFaultsOptions } from './faults/random-faults.js';
