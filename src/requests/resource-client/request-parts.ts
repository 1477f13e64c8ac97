import { BehaviorSubject, map, merge, NEVER, type Observable, type SchedulerLike, switchMap, take, timer } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { metaNamespaceKey, splitMetaNamespaceKey } from '../../kubernetes/keys.js';
import { type ObjectMeta, resourceVersionOf } from '../../kubernetes/object.js';
import { resourcePath, resourcePathError } from '../../kubernetes/resource-path.js';
import { apiVersionOf, type Resource } from '../../kubernetes/resource.js';
import { formatLabelSelector } from '../../kubernetes/selector.js';
import { type KubeRequest, requestLine } from '../../sources/client/kube-client.js';
import type { DeleteCollectionOptions, DeleteOptions, SelectionOptions, Target, WriteOptions } from './call-options.js';
import { callTimeoutError } from './errors.js';
import { subresourceKinds } from './subresources.js';

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
 * Returns the path of all objects in one namespace. Throws `RXI_RESOURCE_PATH` without a namespace:
 * the 405 of the server would not name the cause.
 */
export function collectionPath(resource: Resource<unknown>, { namespace, name }: ObjectMeta, rule: string): string {
  if (resource.namespaced && !namespace) throw resourcePathError(resource, { namespace, name }, rule);
  return resourcePath(resource, { namespace });
}

export function selectionQuery({ labelSelector, fieldSelector }: SelectionOptions) {
  return {
    labelSelector: formatLabelSelector(labelSelector ?? '') || undefined,
    fieldSelector: fieldSelector || undefined,
  };
}

/**
 * Returns the query of a selection to delete. Throws `RXI_INVALID_OPTION` if it selects everything
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
  throw invalidOptionError(option, selection[option], expected);
}

export function writeQuery(options: WriteOptions, defaultManager: string | undefined) {
  return {
    fieldManager: options.fieldManager ?? defaultManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === true ? 'All' : undefined,
  };
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
  throw invalidOptionError('limit', limit, 'a whole number of at least 1');
}

export function objectPath(resource: Resource<unknown>, target: Target, subresource?: string): string {
  return resourcePath(resource, { ...splitMetaNamespaceKey(keyOf(target)), subresource });
}

/** Returns the object as JSON, with the kind and apiVersion of its resource if it has none. */
export function objectBody(
  { group, version, kind }: Resource<unknown>,
  object: object,
  subresource: string | undefined,
): string {
  const own = { apiVersion: apiVersionOf({ group, version }), ...(kind === undefined ? {} : { kind }) };
  const type = subresourceKinds[subresource ?? ''] ?? own;
  // `{ kind: undefined }` must not override the kind of the resource.
  const stated = Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
  return JSON.stringify({ ...type, ...stated });
}

/** Returns the version to which a patch can be applied; `undefined` if it names no version. */
export function versionRequiredBy(patch: readonly object[] | object): string | undefined {
  if (!Array.isArray(patch)) return resourceVersionOf(patch);
  const operations = patch as readonly { readonly op?: string; readonly path?: string; readonly value?: string }[];
  return operations.find(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion')?.value;
}

/**
 * Emits the response to a request. Fails with an `RXI_CALL_TIMEOUT` after `timeout` milliseconds,
 * without the time in the queue of the client.
 */
export function answeredWithin<T>(
  request: KubeRequest,
  send: (request: KubeRequest) => Observable<T>,
  timeout: number,
  scheduler: SchedulerLike,
): Observable<T> {
  const isQueued$ = new BehaviorSubject(false);
  const onQueued = (isQueued: boolean): void => isQueued$.next(isQueued);
  const late$ = isQueued$.pipe(
    switchMap((isQueued) => (isQueued ? NEVER : timer(timeout, scheduler))),
    map((): T => {
      throw callTimeoutError(requestLine(request), timeout);
    }),
  );
  return merge(send({ ...request, onQueued }), late$).pipe(take(1));
}
