export { createApiServer, type ApiServer, type ApiServerOptions } from './api-server/api-server.js';
export {
  createInMemoryApiServer,
  type InMemoryApiServer,
  type InMemoryApiServerOptions,
} from './api-server/in-memory-api-server.js';
export type { Appliable } from './api-server/apply-objects.js';
export type { AllowRule, ApiUser } from './api-server/access/user.js';
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
export { ConnectionFault, type ConnectionBreak } from './api-server/faults/connection-fault.js';
export { delay } from './api-server/faults/delay.js';
export { dropAfter } from './api-server/faults/drop-after.js';
export { duplicateEvents } from './api-server/faults/duplicate-events.js';
export { garbageLine } from './api-server/faults/garbage-line.js';
export { gone, type GoneOptions } from './api-server/faults/gone.js';
export { randomServerFaults, type RandomServerFaultsOptions } from './api-server/faults/random-server-faults.js';
export { refuse } from './api-server/faults/refuse.js';
export { reset } from './api-server/faults/reset.js';
export { respond, type RespondOptions } from './api-server/faults/respond.js';
export { restart, type RestartOptions } from './api-server/faults/restart.js';
export type { FaultContext, RequestKind, ServerFault } from './api-server/faults/server-fault.js';
export type { FaultTarget, ServerFaults } from './api-server/faults/server-faults.js';
export { slowDrip } from './api-server/faults/slow-drip.js';
export { stall, type StallOptions } from './api-server/faults/stall.js';
export { truncatedLine } from './api-server/faults/truncated-line.js';
export type { HistoryEntry, ResourceReference, ServerObjects } from './api-server/server-objects.js';
export type { KubeConfigObject, KubeConfigObjectCluster } from './api-server/serving/kubeconfig.js';
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
