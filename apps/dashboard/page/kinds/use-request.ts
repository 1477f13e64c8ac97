import { useMemo, useSyncExternalStore } from 'react';
import { toExternalStore } from 'rx-informers/views';
import { catchError, map, of, repeat, scan, timer, type Observable } from 'rxjs';

/** The current result of a request. */
export interface Requested<V> {
  readonly value: V | undefined;
  readonly error: Error | undefined;
}

/** The result before the first answer. */
const pending: Requested<never> = { value: undefined, error: undefined };

/**
 * Returns the answer of a request. Sends the request again only if `request` is another function.
 * Aborts the request on unmount.
 *
 * @param every milliseconds after which the request is repeated; the previous answer stays
 * meanwhile, and also if the request fails or the next answer is equal. Default: once
 */
export function useRequest<V>(request: () => Observable<V>, every?: number): Requested<V> {
  const store = useMemo(() => {
    const answer$ = request().pipe(
      map((value): Requested<V> => ({ value, error: undefined })),
      catchError((error: unknown) =>
        of<Requested<V>>({ value: undefined, error: error instanceof Error ? error : new Error(String(error)) }),
      ),
    );
    const answers$ =
      every === undefined
        ? answer$
        : answer$.pipe(
            repeat({ delay: () => timer(every) }),
            scan((before, { value, error }) => ({
              value: error === undefined && !isEqual(before.value, value) ? value : before.value,
              error,
            })),
          );
    return toExternalStore<Requested<V>>(answers$, pending);
  }, [request, every]);
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
