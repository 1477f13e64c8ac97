import { map, merge, NEVER, Observable, take } from 'rxjs';
import { onAbort } from './on-abort.js';

/**
 * Resolves with the first value of `observed$`. If it emits at once, an aborted signal does not
 * matter (I14). Rejects when `observed$` errors, the signal is aborted, or `failed$` emits a
 * reason. Afterwards, nothing stays subscribed.
 */
export function whenEmitted<V>(
  observed$: Observable<V>,
  options: { readonly signal?: AbortSignal | undefined; readonly failed$?: Observable<Error> | undefined } = {},
): Promise<V> {
  const { signal, failed$ = NEVER } = options;
  return new Promise((resolve, reject) => {
    const refused$ = merge(abortOf(signal), failed$).pipe(map((reason) => () => reject(reason)));
    const resolved$ = observed$.pipe(map((value) => () => resolve(value)));
    merge(resolved$, refused$)
      .pipe(take(1))
      .subscribe({
        next: (settle) => {
          settle();
        },
        error: reject,
      });
  });
}

/** Emits the reason of a signal, which may be anything, as an Error. */
function abortOf(signal: AbortSignal | undefined): Observable<Error> {
  if (!signal) return NEVER;
  const reason = (): Error => signal.reason as Error;
  return new Observable((subscriber) =>
    onAbort(signal, () => {
      subscriber.next(reason());
    }),
  );
}
