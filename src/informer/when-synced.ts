import { fromEvent, map, merge, NEVER, of, take, type Observable } from 'rxjs';

/**
 * The promise form of `synced$`: resolves when it emits, rejects when aborted or when `failed$` emits a reason.
 *
 * What has synced already resolves, aborted or not (I14). Nothing stays subscribed once it is settled.
 */
export function whenSynced(
  synced$: Observable<void>,
  options: { readonly signal?: AbortSignal | undefined; readonly failed$?: Observable<unknown> } = {},
): Promise<void> {
  const { signal, failed$ = NEVER } = options;
  return new Promise((resolve, reject) => {
    const refused$ = merge(abortOf(signal), failed$).pipe(map((reason) => () => reject(reason as Error)));
    merge(synced$.pipe(map(() => resolve)), refused$)
      .pipe(take(1))
      .subscribe((settle) => {
        settle();
      });
  });
}

function abortOf(signal: AbortSignal | undefined): Observable<unknown> {
  if (!signal) return NEVER;
  return signal.aborted ? of(signal.reason) : fromEvent(signal, 'abort').pipe(map((): unknown => signal.reason));
}
