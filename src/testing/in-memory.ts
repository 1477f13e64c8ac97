// The embedded Kubernetes API server

export { createInMemoryApiServer } from './api-server/in-memory-api-server.js';
export type {
  HistoryEntry,
  InMemoryApiServer,
  InMemoryApiServerOptions,
  ResourceReference,
  ServerObjects,
} from './api-server/in-memory-api-server.js';
export type { Appliable, ApplyObjectsOptions } from './api-server/apply-objects.js';
export type { AllowRule, ApiUser } from './api-server/exchange/access-control.js';
export type {
  ContainerUsage,
  ContainerUsageRequest,
  PodLog,
  PodLogLine,
  PodLogRequest,
} from './api-server/storage/server-context.js';
export type { ApiRequest } from './api-server/exchange/exchange.js';
export type { StoredManagedFields, StoredMeta, StoredObject } from './api-server/storage/stored-object.js';

// Rights
export { recordRights, type RecordedRights } from './rights/record-rights.js';
export { usersOf } from './rights/users-of.js';
export type { PolicyRule } from './rights/policy-rule.js';

// Objects to store, and the simulated activity of a cluster
export { aConfigMap, aDeployment, aNamespace, aNode, aPod, aReplicaSet, anyObject } from './factories/objects.js';
export type {
  AnyObject,
  AnyObjectOptions,
  ConfigMapOptions,
  DeploymentOptions,
  NodeOptions,
  PodOptions,
} from './factories/objects.js';
export type { FactoryMeta, FactoryOptions, FactoryOwnerReference, OwnerLike } from './factories/object-meta.js';
export { workload, type WorkloadOptions } from './workload/workload.js';
export type { WorkloadStep } from './workload/cluster.js';

// Faults: a fault of a source and the same fault of a server have the same name
/**
 * The faults of a source: operators over any source, `listWatch` or `watchMarbles`.
 *
 * @example
 * const source = watchMarbles('L(a)----D(a)-', { a: aPod({ name: 'a' }) });
 * const pods = informer(source.pipe(sourceFaults.expire(timer(3), { gap: 4 })));
 */
export * as sourceFaults from './faults/source-faults.js';
export type { SourceFault } from './faults/source-fault.js';
export type { WatchEventBatch } from '../sources/model/watch-event.js';
export type { DuplicateOptions, SplitOptions } from './faults/delivery-faults.js';
export type { SourceExpireOptions } from './faults/connection-faults.js';
export type { RandomSourceFaultsOptions } from './faults/source-faults.js';
/**
 * The faults of the embedded API server. Pass them to `server.faults`.
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.faults.next('watch', serverFaults.stall({ afterEvents: 1 }));
 */
export * as serverFaults from './api-server/faults/server-faults.js';
export type { RequestKind, RestartOptions, ServerFault } from './api-server/faults/server-fault.js';
export type { FaultPlan, FaultTarget } from './api-server/faults/fault-plan.js';
export type { RespondOptions, ServerExpireOptions } from './api-server/faults/request-faults.js';
export type { StallOptions } from './api-server/faults/body-faults.js';
export type { RandomServerFaultsOptions } from './api-server/faults/server-faults.js';

// Deterministic time and random numbers
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.js';
export { randomFromSeed } from './virtual-clock.js';
