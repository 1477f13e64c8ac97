import type { WatchEvent } from './watch-event.js';

/** Whatever a source emits, as a batch. */
export function toBatch<T>(emitted: WatchEvent<T> | readonly WatchEvent<T>[]): readonly WatchEvent<T>[] {
  return isBatch(emitted) ? emitted : [emitted];
}

function isBatch<T>(emitted: WatchEvent<T> | readonly WatchEvent<T>[]): emitted is readonly WatchEvent<T>[] {
  return Array.isArray(emitted);
}
