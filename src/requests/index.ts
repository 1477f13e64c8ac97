/**
 * What a program asks the API server besides informers.
 *
 * @packageDocumentation
 */
export { requestJson } from '../sources/client/kube-client.js';

// The kinds that the API server serves
export { discoverResource, type KindReference } from './discover-resource.js';
export { discover$ } from './discover.js';
export type { DiscoverOptions, Discovery, ServedKind } from './discover.js';

// Logs
export { logLines$ } from './logs/log-lines.js';
export type { LoggedPod, LogLine, LogOptions, LogSource, LogStatus } from './logs/log-lines.js';
export type { LogPosition } from './logs/log-position.js';

// Rights
export { namespaceRights$, readableNamespaces, reviewAccess, reviewRights } from './readable-namespaces.js';
export type {
  AccessRequest,
  NamespaceRights,
  NamespaceRightsOptions,
  ReviewedNamespaces,
  Right,
} from './readable-namespaces.js';
