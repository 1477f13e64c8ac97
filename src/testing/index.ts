export { createApiServer, type ApiServer, type ApiServerOptions } from './api-server/api-server.js';
export {
  createInMemoryApiServer,
  type InMemoryApiServer,
  type InMemoryApiServerOptions,
} from './api-server/in-memory-api-server.js';
export type { Appliable } from './api-server/apply-objects.js';
export type { AllowRule, ApiUser } from './api-server/access/user.js';
export type { ApiRequest } from './api-server/exchange.js';
export type { HistoryEntry, ResourceReference, ServerObjects } from './api-server/server-objects.js';
export type { KubeConfigObject, KubeConfigObjectCluster } from './api-server/serving/kubeconfig.js';
export type { ManagedFieldsEntry, StoredMeta, StoredObject } from './api-server/storage/stored-object.js';
export { workload, type WorkloadOptions } from './workload/workload.js';
export type { WorkloadStep } from './workload/workload-step.js';
export { aConfigMap, type ConfigMapOptions } from './factories/a-config-map.js';
export { aDeployment, aReplicaSet, type DeploymentOptions } from './factories/a-deployment.js';
export { aNamespace } from './factories/a-namespace.js';
export { aNode, type NodeOptions } from './factories/a-node.js';
export { aPod, type PodOptions } from './factories/a-pod.js';
export { anyObject, type AnyObject, type AnyObjectOptions } from './factories/any-object.js';
export type { FactoryMeta, FactoryOwnerReference } from './factories/object-meta.js';
export type { FactoryOptions, OwnerLike } from './factories/factory-options.js';
