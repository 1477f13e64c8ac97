import { from, map, type Observable, type ObservableInput } from 'rxjs';
import { toBatch } from './to-batch.js';
import type { WatchEvent } from './watch-event.js';

/**
 * A source made of events that come from elsewhere: an Observable, a promise, an iterable or async iterable, of events or of batches.
 *
 * Each event is a batch of one; a batch is passed on as it is, so `[[listed([a, b]), added(c)]]` is one commit and
 * `[listed([a, b]), added(c)]` two. An empty batch is passed on too: it changes nothing.
 *
 * **Guarantees**: as cold, as asynchronous and as long-lived as its input; errors and completion are passed on.
 * **Does not guarantee**: that a second subscriber sees anything where the input can be read only once (a generator).
 *
 * @example
 * import { fromEvents, added, listed } from 'rx-informers';
 *
 * const pods = fromEvents([listed([{ metadata: { name: 'a' } }]), added({ metadata: { name: 'b' } })]);
 */
export function fromEvents<T>(
  input: ObservableInput<WatchEvent<T> | readonly WatchEvent<T>[]>,
): Observable<readonly WatchEvent<T>[]> {
  return from(input).pipe(map(toBatch));
}
