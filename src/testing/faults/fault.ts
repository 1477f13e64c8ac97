import type { OperatorFunction } from 'rxjs';
import type { WatchEvent, WatchEventBatch } from '../../sources/watch-event.js';

/** An operator over any source that makes it behave as networks and servers do on a bad day. */
export type Fault<T> = OperatorFunction<WatchEvent<T> | readonly WatchEvent<T>[], WatchEventBatch<T>>;
