/**
 * One watch a kind for all viewers: a server reads from the API server, and pages read from it.
 *
 * @packageDocumentation
 */
export { serveHub, type HubReadingOptions, type HubServer, type ServeHubOptions } from './serve-hub.js';
export type { Viewer } from './viewer.js';
export { connectHub, hubSource, type HubConnection, type HubConnectionOptions } from './hub-source.js';
export type { HubState } from './hub-link.js';
export type { HubSocket } from './hub-messages.js';
export { hubWindow$, type HubView, type HubWindowOptions, type HubWindowScope } from './hub-window.js';
export type { HubSortField, HubTextFilter } from './window-request.js';
