export { coalesceFrames, frame } from './frames.js';
export { pauseChangesWhile, pauseWhile, tabHidden$, type VisibilityTarget } from './pause-while.js';
export type { ExternalStore } from './to-external-store.js';
export { externalStores, type ExternalStores, type ExternalStoresOptions } from './external-stores.js';
export { toExternalStore, type ExternalStoreOptions } from './to-external-store.js';
export type { SortColumn, SortValue, StringCollator } from './window/sort-order.js';
export { emptyView, type View, window$, type WindowSource } from './window/window.js';
export type { WindowOptions } from './window/window-options.js';
