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
export type { KubeConfigObject } from './api-server/serving/kubeconfig.js';
export type { ManagedFieldsEntry, StoredMeta, StoredObject } from './api-server/storage/stored-object.js';
