import { map, merge, NEVER, Observable, take } from 'rxjs';
import { onAbort } from '../operators/on-abort.js';

/**
 * The promise form of `synced$`: resolves when it emits, rejects when aborted or when `failed$` emits a reason.
 *
 * What has synced already resolves, aborted or not (I14). Nothing stays subscribed once it is settled.
 */
export function whenSynced(
  synced$: Observable<void>,
  options: { readonly signal?: AbortSignal | undefined; readonly failed$?: Observable<Error> | undefined } = {},
): Promise<void> {
  const { signal, failed$ = NEVER } = options;
  return new Promise((resolve, reject) => {
    const refused$ = merge(abortOf(signal), failed$).pipe(map((reason) => () => reject(reason)));
    merge(synced$.pipe(map(() => resolve)), refused$)
      .pipe(take(1))
      .subscribe((settle) => {
        settle();
      });
  });
}

/** A signal may be aborted with anything; whoever aborts with something that is not an Error gets that. */
function abortOf(signal: AbortSignal | undefined): Observable<Error> {
  if (!signal) return NEVER;
  const reason = (): Error => signal.reason as Error;
  return new Observable((subscriber) =>
    onAbort(signal, () => {
      subscriber.next(reason());
    }),
  );
}
