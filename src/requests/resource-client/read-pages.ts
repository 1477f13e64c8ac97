import { catchError, defer, identity, map, type Observable, reduce, repeat, takeWhile, tap, throwError } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import { type KubeClient, type KubeRequest, requestLine } from '../../sources/client/kube-client.js';
import { StatusError, responseError } from '../../sources/model/errors.js';
import { failureKindOf } from '../../sources/model/failure-kind.js';
import { objectDecoder } from '../../sources/reflector/object-decoder.js';
import type { Reading } from '../../sources/reflector/protocol.js';
import { readList } from '../../sources/reflector/read-list.js';

export interface ListPage<T> {
  readonly items: readonly T[];
  /** The token of the next page; `undefined` on the last page. */
  readonly next: string | undefined;
}

/** Where a page begins, and its size. Without a limit, it contains all remaining objects. */
interface PageQuery {
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

export type ReadPage<T> = (query: PageQuery) => Observable<ListPage<T>>;

/** Emits the page in the response. Items of a list get their missing `apiVersion` and `kind`. */
export function requestPage<T>(
  client: KubeClient,
  request: KubeRequest,
  resource: Resource<T>,
): Observable<ListPage<T>> {
  const decoder = objectDecoder<T>(resource, { metadataOnly: false, transform: identity, shareAcrossObjects: false });
  return defer(() => {
    const items: T[] = [];
    return readList(client.exchange(request), requestLine(request), decoder).pipe(
      reduce((next: string | undefined, reading: Reading<T>) => {
        // `push(...)` cannot be used: it fails if it has very many arguments.
        if (reading.type === 'items') for (const item of reading.items) items.push(item);
        return reading.type === 'page-end' ? reading.metadata.continue || undefined : next;
      }, undefined),
      map((next) => {
        if (next !== undefined && next === request.query?.['continue']) {
          throw responseError(
            requestLine(request),
            'the list does not end: the continue token of a page leads back to the same page',
          );
        }
        return { items, next };
      }),
    );
  });
}

/**
 * Emits all objects as of one `resourceVersion`. If it expires between two pages, reads the whole
 * list again without a limit, as client-go's pager does.
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
        isLater && error instanceof StatusError && failureKindOf(error) === 'expired'
          ? read({}).pipe(map(({ items }) => items))
          : throwError(() => error),
      ),
    );
  });
}

/**
 * Emits a list page by page. If the version expires between two pages, continues after the last
 * object in the most recent state.
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
    // Do not use `expand`: it recurses if a client responds synchronously.
    return defer(() => read({ limit, continue: next })).pipe(
      tap((page) => (next = page.next)),
      repeat(),
      takeWhile((page) => page.next !== undefined, true),
    );
  });
}

/** Returns the token that continues a list after its version has expired, if there is one. */
function freshToken(error: unknown): string | undefined {
  return error instanceof StatusError && failureKindOf(error) === 'expired'
    ? error.status.metadata?.continue || undefined
    : undefined;
}
