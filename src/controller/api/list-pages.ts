import { catchError, defer, identity, map, reduce, repeat, takeWhile, tap, throwError, type Observable } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import type { KubeClient, KubeRequest } from '../../sources/client/kube-client.js';
import { requestLine } from '../../sources/client/request-line.js';
import { isExpired } from '../../sources/reflector/failure.js';
import type { Reading } from '../../sources/reflector/input.js';
import { objectDecoder } from '../../sources/reflector/object-decoder.js';
import { readList } from '../../sources/reflector/read-list.js';
import { ResponseError, StatusError } from '../../sources/source-error.js';

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** The token of the next page; `undefined` on the last one. */
  readonly next: string | undefined;
}

/** Where a page begins, and how many objects it has; without a limit, it is the whole list. */
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

/** Reads one page. */
export type ReadPage<T> = (query: PageQuery) => Observable<ListPage<T>>;

/** Emits the page that is the answer to `request`, its items with the `apiVersion` and `kind` that lists leave out. */
export function requestPage<T>(
  client: KubeClient,
  request: KubeRequest,
  resource: Resource<T>,
): Observable<ListPage<T>> {
  const decoder = objectDecoder<T>(resource, { metadataOnly: false, transform: identity, shareStructure: false });
  return defer(() => {
    const items: T[] = [];
    return readList(client.exchange(request), requestLine(request), decoder).pipe(
      reduce((next: string | undefined, reading: Reading<T>) => {
        if (reading.type === 'items') items.push(...reading.items);
        return reading.type === 'page-end' ? reading.metadata.continue || undefined : next;
      }, undefined),
      map((next) => {
        if (next !== undefined && next === request.query?.['continue']) {
          throw new ResponseError(
            requestLine(request),
            'the list does not advance: each page names itself as the next one',
          );
        }
        return { items, next };
      }),
    );
  });
}

/**
 * Emits all objects of a list at once, as they were at one version.
 *
 * If the version expires between two pages, the list is read again, whole and without a limit, as client-go's pager does.
 */
export function readWholeList<T>(read: ReadPage<T>, limit: number): Observable<readonly T[]> {
  return defer(() => {
    let isLater = false;
    const page = (query: PageQuery): Observable<ListPage<T>> => {
      isLater = query.continue !== undefined;
      return read(query);
    };
    return pages(page, limit).pipe(
      reduce((items: T[], page) => {
        for (const item of page.items) items.push(item);
        return items;
      }, []),
      catchError((error: unknown) =>
        isLater && error instanceof StatusError && isExpired(error)
          ? read({}).pipe(map(({ items }) => items))
          : throwError(() => error),
      ),
    );
  });
}

/**
 * Emits a list page by page.
 *
 * If the version expires between two pages, it goes on behind the last object, in the most recent state.
 */
export function readPages<T>(read: ReadPage<T>, limit: number): Observable<readonly T[]> {
  const page = (query: PageQuery): Observable<ListPage<T>> =>
    read(query).pipe(
      catchError((error: unknown) => {
        const token = query.continue === undefined ? undefined : freshToken(error);
        return token === undefined ? throwError(() => error) : read({ ...query, continue: token });
      }),
    );
  return pages(page, limit).pipe(map(({ items }) => items));
}

function pages<T>(read: ReadPage<T>, limit: number): Observable<ListPage<T>> {
  return defer(() => {
    let next: string | undefined;
    // Not `expand`, which recurses where a client answers synchronously.
    return defer(() => read({ limit, continue: next })).pipe(
      tap((page) => (next = page.next)),
      repeat(),
      takeWhile((page) => page.next !== undefined, true),
    );
  });
}

/** The token with which the server offers to go on with a list whose version has expired. */
function freshToken(error: unknown): string | undefined {
  return error instanceof StatusError && isExpired(error) ? error.status.metadata?.continue || undefined : undefined;
}
