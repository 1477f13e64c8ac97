/**
 * Requests to the API server besides informers: objects, kinds, logs and rights.
 *
 * @packageDocumentation
 */
export { requestJson } from '../sources/client/kube-client.js';

// Reading and writing the objects of one resource
export { resourceClient, type ResourceClient, type ResourceClientOptions } from './resource-client/resource-client.js';
export { ApiCall } from './resource-client/api-call.js';
export type {
  AppliedObject,
  ApplyOptions,
  CallOptions,
  DeepPartial,
  DeleteCollectionOptions,
  DeleteOptions,
  ListOptions,
  NewObject,
  PatchOptions,
  ReadCache,
  SelectionOptions,
  WriteOptions,
} from './resource-client/call-options.js';
export type { Eviction, IssuedToken, Scale, TokenRequest } from './resource-client/subresources.js';
export type { KubernetesStatus, KubernetesStatusDetails } from '../kubernetes/object.js';
export type { WriteVerb } from './resource-client/reported-writes.js';
export {
  fieldErrors,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  type FieldError,
} from './resource-client/errors.js';
export type { LogFields, Logger } from './logger.js';

// Edits: recipes, patches, conflicts
export { edit, type EditOptions } from './write/edit.js';
export {
  createOrUpdate,
  type CreateOrUpdateOptions,
  type CreateOrUpdateResult,
  type WantedObject,
} from './write/create-or-update.js';
export type { Editable, Recipe } from './write/recipe.js';
export type { RecipeProblem } from './write/errors.js';
export { retryOnConflict, type ConflictRetryOptions, type RetryOnConflictOptions } from './write/retry-on-conflict.js';

// The API server: its version, and the kinds that it serves
export { serverVersion, type ServerVersion } from './server-version.js';
export { discoverResource, type KindReference } from './discover-resource.js';
export { discover$ } from './discover.js';
export type { DiscoverOptions, Discovery, ServedKind } from './discover.js';

// Logs
export { logLines$ } from './logs/log-lines.js';
export type { LoggedPod, LogLine, LogOptions, LogSource, LogStatus } from './logs/log-lines.js';
export type { LogPosition } from './logs/log-position.js';

// Tables
export { tables$, type Table } from './tables/tables.js';
export { tableSource } from './tables/table-source.js';
export type { TableOptions, TableRow, TableSource } from './tables/table-source.js';
export { cellText } from './tables/cells.js';
export type { TableCell, TableColumn, TimeSince } from './tables/cells.js';

// Rights
export { namespaceRights$, readableNamespaces, reviewAccess, reviewRights } from './readable-namespaces.js';
export type {
  AccessRequest,
  NamespaceRights,
  NamespaceRightsOptions,
  ReviewedNamespaces,
  ReviewedUser,
  Right,
} from './readable-namespaces.js';
