export { browserWake$, type BrowserWakeOptions, type WakeReason, type WakeTarget } from './browser-wake.js';
export { coalesceFrames, nextFrame } from './frames.js';
export { pauseChangesWhile, pauseWhile, tabHidden$, type VisibilityTarget } from './pause-while.js';
export type { ExternalStore } from './to-external-store.js';
export { externalStores, type ExternalStores, type ExternalStoresOptions } from './external-stores.js';
export { toExternalStore, type ExternalStoreOptions } from './to-external-store.js';
export type { StringCollator } from './window/collation.js';
export type { SortColumn, SortValue } from './window/sort-order.js';
export { window$, type WindowSource } from './window/window.js';
export { emptyWindow, type View } from './window/window-rows.js';
export type { WindowOptions } from './window/window-options.js';

// Change sets for a view or a controller: fewer objects, fewer emissions, or all objects again
export { filterObjects } from '../operators/filter-objects.js';
export { resync, type ResyncOptions } from '../operators/resync.js';
export { conflateMap } from '../operators/conflate-map.js';
export type { ConflateChangesOptions } from '../operators/conflate-changes.js';
