import { from, map, type Observable, type ObservableInput } from 'rxjs';
import { toBatch, type WatchEvent } from './model/watch-event.js';

/**
 * Creates a source from your own events: from an Observable, a promise, an iterable or an async
 * iterable, of events or of batches.
 *
 * Each event becomes a batch of one; a batch is passed on unchanged. So `[[listed([a, b]),
 * added(c)]]` leads to one commit, and `[listed([a, b]), added(c)]` leads to two commits. An empty
 * batch is passed on too; it changes nothing.
 *
 * **Guarantees**: the source is as cold, as asynchronous and as long-lived as its input; errors and
 * completion are passed on.
 * **Does not guarantee**: that a second subscriber receives anything, if the input can be read only
 * once (a generator).
 *
 * @param input events, or batches of events
 * @returns a source for `informer`
 * @example
 * import { fromEvents } from 'rx-informers';
 * import { watchEvent } from 'rx-informers/store';
 *
 * const pods = fromEvents([
 *   watchEvent.listed([{ metadata: { name: 'a' } }]),
 *   watchEvent.added({ metadata: { name: 'b' } }),
 * ]);
 */
export function fromEvents<T>(
  input: ObservableInput<WatchEvent<T> | readonly WatchEvent<T>[]>,
): Observable<readonly WatchEvent<T>[]> {
  return from(input).pipe(map(toBatch));
}
