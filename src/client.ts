/**
 * For programs that send requests themselves: the parts of a `KubeClient`, clients around clients,
 * and paths.
 */

// A client: requests → bytes
export type {
  KubeRequest,
  RecordedWrite,
  ResponseBytes,
  ResponseHead,
  ResponsePart,
} from './sources/client/kube-client.js';
export type { FetchClientOptions, FetchHeaders } from './sources/client/fetch-client.js';
export { limitedClient } from './sources/client/limited-client.js';
export type { LimitedClientOptions, RateLimitOptions } from './sources/client/limited-client.js';
export { webSocketWatches } from './sources/client/web-socket-watches.js';
export type {
  WatchSocket,
  WatchSocketClose,
  WatchTransport,
  WebSocketWatchesOptions,
} from './sources/client/web-socket-watches.js';

// Requests and their answers
export { resourcePath } from './kubernetes/resource-path.js';
export type { ResourcePathOptions } from './kubernetes/resource-path.js';
export type { KubernetesStatus, KubernetesStatusDetails } from './kubernetes/object.js';
export type { RequestLine } from './sources/model/errors.js';

// Lists and watches: retries, metrics, namespaces, merged sources
export { latestSource } from './sources/latest-source.js';
export { exponentialBackoff } from './sources/model/backoff.js';
export type { Backoff, ExponentialBackoffOptions } from './sources/model/backoff.js';
export type { ListWatchMetrics } from './sources/reflector/metrics.js';
export type { NamespaceSet } from './sources/merge/in-namespaces.js';
export type { MergeOptions, SourceSet } from './sources/merge/merge-sources.js';
