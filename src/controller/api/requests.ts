import {
  BehaviorSubject,
  catchError,
  defer,
  identity,
  map,
  merge,
  NEVER,
  type Observable,
  reduce,
  repeat,
  type SchedulerLike,
  switchMap,
  take,
  takeWhile,
  tap,
  throwError,
  timer,
} from 'rxjs';
import { metaNamespaceKey, splitMetaNamespaceKey } from '../../kubernetes/keys.js';
import { type ObjectMeta, resourceVersionOf } from '../../kubernetes/object.js';
import { resourcePath, ResourcePathError } from '../../kubernetes/resource-path.js';
import { apiVersionOf, type Resource } from '../../kubernetes/resource.js';
import { formatLabelSelector } from '../../kubernetes/selector.js';
import { type KubeClient, type KubeRequest, requestLine } from '../../sources/client/kube-client.js';
import { InvalidOptionError, ResponseError, StatusError } from '../../sources/model/errors.js';
import { isExpired } from '../../sources/reflector/failure.js';
import { objectDecoder } from '../../sources/reflector/object-decoder.js';
import type { Reading } from '../../sources/reflector/protocol.js';
import { readList } from '../../sources/reflector/read-list.js';
import type { DeleteCollectionOptions, DeleteOptions, SelectionOptions, Target } from './call-options.js';
import { CallTimeoutError } from './errors.js';

/** The default number of objects in a page, as in kubectl and client-go. */
export const defaultLimit = 500;

export const json = { 'content-type': 'application/json' };
// Every server knows these media types. The body of an apply is JSON, which is valid YAML.
export const applyHeaders = { 'content-type': 'application/apply-patch+yaml' };
export const patchHeaders = {
  json: { 'content-type': 'application/json-patch+json' },
  merge: { 'content-type': 'application/merge-patch+json' },
  strategic: { 'content-type': 'application/strategic-merge-patch+json' },
} as const;

export function creationPath(
  resource: Resource<unknown>,
  { namespace, name }: ObjectMeta,
  subresource?: string,
): string {
  if (subresource !== undefined) return resourcePath(resource, { namespace, name, subresource });
  return collectionPath(resource, { namespace, name }, 'pass the namespace in which to create the object');
}

/**
 * Returns the path of all objects in one namespace. Throws `ResourcePathError` without a namespace:
 * the 405 of the server would not name the cause.
 */
export function collectionPath(resource: Resource<unknown>, { namespace, name }: ObjectMeta, rule: string): string {
  if (resource.namespaced && !namespace) throw new ResourcePathError(resource, { namespace, name }, rule);
  return resourcePath(resource, { namespace });
}

export function selectionQuery({ labelSelector, fieldSelector }: SelectionOptions) {
  return {
    labelSelector: formatLabelSelector(labelSelector ?? '') || undefined,
    fieldSelector: fieldSelector || undefined,
  };
}

/**
 * Returns the query of a selection to delete. Throws `InvalidOptionError` if it selects everything
 * without `all`, even by `undefined`: the field may be missing in what the caller has read.
 */
export function deletionQuery(options: DeleteCollectionOptions) {
  const query = selectionQuery(options);
  if (options.all === true) return query;
  refuseEverything('labelSelector', options, query.labelSelector === undefined);
  // The API server ignores empty parts between commas.
  refuseEverything('fieldSelector', options, /^,*$/.test(query.fieldSelector ?? ''));
  return query;
}

function refuseEverything(option: keyof SelectionOptions, selection: SelectionOptions, isEmpty: boolean): void {
  if (!isEmpty || !Object.hasOwn(selection, option)) return;
  const expected = 'a selector that does not select everything; to delete all objects, pass all: true';
  throw new InvalidOptionError(option, selection[option], expected);
}

/** Returns the options of a DELETE as its body; the server then ignores the query. */
export function deleteBody({ dryRun, ...options }: DeleteOptions): string {
  const dry = dryRun === true ? { dryRun: ['All'] } : {};
  return JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...dry, ...options });
}

export function keyOf(target: Target): string {
  return typeof target === 'string' ? target : metaNamespaceKey(target);
}

export function checkedLimit(limit: number): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new RangeError(`limit must be a whole number of at least 1, not ${limit}`);
}

export function objectPath(resource: Resource<unknown>, target: Target, subresource?: string): string {
  return resourcePath(resource, { ...splitMetaNamespaceKey(keyOf(target)), subresource });
}

/** Returns the object as JSON, with the kind and apiVersion of the resource if it has none. */
export function objectBody({ group, version, kind }: Resource<unknown>, object: object): string {
  const type = { apiVersion: apiVersionOf({ group, version }), ...(kind === undefined ? {} : { kind }) };
  // `{ kind: undefined }` must not override the kind of the resource.
  const given = Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
  return JSON.stringify({ ...type, ...given });
}

/** Returns the version to which a patch can be applied; `undefined` if it names no version. */
export function versionRequiredBy(patch: readonly object[] | object): string | undefined {
  if (!Array.isArray(patch)) return resourceVersionOf(patch);
  const operations = patch as readonly { readonly op?: string; readonly path?: string; readonly value?: string }[];
  return operations.find(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion')?.value;
}

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
          throw new ResponseError(
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
        isLater && error instanceof StatusError && isExpired(error)
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
  return error instanceof StatusError && isExpired(error) ? error.status.metadata?.continue || undefined : undefined;
}

/**
 * Emits the response to a request. Fails with a `CallTimeoutError` after `timeout` milliseconds,
 * without the time in the queue of the client.
 */
export function answeredWithin<T>(
  request: KubeRequest,
  send: (request: KubeRequest) => Observable<T>,
  timeout: number,
  scheduler: SchedulerLike,
): Observable<T> {
  const isQueued$ = new BehaviorSubject(false);
  const onQueued = (isQueued: boolean): void => {
    isQueued$.next(isQueued);
  };
  const late$ = isQueued$.pipe(
    switchMap((isQueued) => (isQueued ? NEVER : timer(timeout, scheduler))),
    map((): T => {
      throw new CallTimeoutError(requestLine(request), timeout);
    }),
  );
  return merge(send({ ...request, onQueued }), late$).pipe(take(1));
}
