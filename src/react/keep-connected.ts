import { timer, type SchedulerLike, type Subscription } from 'rxjs';
import type { Collection } from '../informer/collection.js';

/** A query that keeps an informer running, and is asked nothing: no object has this key. */
const NO_KEY = '';

/** Keeps a collection connected for so many milliseconds. */
export function keepConnected(collection: Collection<unknown>, milliseconds: number, scheduler: SchedulerLike): void {
  const connection: Subscription = collection.get$(NO_KEY).subscribe();
  timer(milliseconds, scheduler).subscribe(() => {
    connection.unsubscribe();
  });
}
