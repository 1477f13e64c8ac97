import { iif, of, type Observable } from 'rxjs';

/** What the first subscriber need not wait for, and every later one must. */
export function firstAtOnce(wait$: Observable<unknown>): Observable<unknown> {
  let isFirst = true;
  const isForFirst = (): boolean => {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst;
  };
  return iif(isForFirst, of(undefined), wait$);
}
