export { serveInformers, type InformerServer, type ServeInformersOptions } from './serve-informers.js';
export {
  sharedListWatch,
  sharedRegistry,
  type SharedListWatch,
  type SharedListWatchOptions,
  type SharedPastRequest,
} from './shared-list-watch.js';
export type { SharedConnection, SharedWorkerLike } from './worker-link.js';
export type { MessagePortLike, PastRequest, RecordedPast } from './messages.js';
