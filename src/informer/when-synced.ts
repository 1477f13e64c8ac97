import { fromEvent, merge, map, NEVER, take, type Observable } from 'rxjs';

/**
 * The promise form of `synced$`: resolves when it emits, rejects when aborted or when `failed$` emits a reason.
 *
 * Nothing stays subscribed once it is settled.
 */
export function whenSynced(
  synced$: Observable<void>,
  options: { readonly signal?: AbortSignal | undefined; readonly failed$?: Observable<unknown> } = {},
): Promise<void> {
  const { signal, failed$ = NEVER } = options;
  if (signal?.aborted) return Promise.reject(signal.reason as Error);
  const aborted$ = signal ? fromEvent(signal, 'abort').pipe(map((): unknown => signal.reason)) : NEVER;
  return new Promise((resolve, reject) => {
    merge(synced$.pipe(map(() => resolve)), merge(aborted$, failed$).pipe(map((reason) => () => reject(reason as Error))))
      .pipe(take(1))
      .subscribe((settle) => {
        settle();
      });
  });
}
