import {
  filter,
  repeat,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
  type SchedulerLike,
  type Subscription,
} from 'rxjs';
import type { Collection } from '../collections/collection.js';
import { internalQuery } from '../collections/log-collection.js';
import { objectByKey } from '../queries/object-queries.js';

/**
 * Subscribes again when a stopped informer is started again. The streams of an informer complete
 * when it stops, so a mounted component would otherwise keep its last value forever (G6). Does not
 * start the informer itself.
 */
export function throughRestarts<V>({ status$ }: Pick<Collection<unknown>, 'status$'>): MonoTypeOperatorFunction<V> {
  return repeat({ delay: () => status$.pipe(filter(({ state }) => state !== 'stopped')) });
}

/** Keeps a collection connected, by a subscription to a key that no object has. */
export function connection$(collection: Collection<unknown>): Observable<unknown> {
  return internalQuery(collection, objectByKey('/'));
}

/** Keeps a collection connected for a number of milliseconds. */
export function keepConnected(collection: Collection<unknown>, milliseconds: number, scheduler: SchedulerLike): void {
  const connection: Subscription = connection$(collection).subscribe();
  timer(milliseconds, scheduler).subscribe(() => connection.unsubscribe());
}
