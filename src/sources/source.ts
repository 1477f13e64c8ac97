import type { Observable } from 'rxjs';
import type { WatchEvent } from './watch-event.js';

/**
 * Where an informer gets its objects from: watch events, one at a time or in batches.
 *
 * `listWatch` is one, `mergeSources` makes one of several, `fromEvents` one of anything iterable.
 */
export type Source<T> = Observable<WatchEvent<T> | readonly WatchEvent<T>[]>;
