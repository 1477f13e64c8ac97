import { catchError, defer, map, type Observable, of, retry, switchMap, tap, throwError } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import { metaNamespaceKey } from '../../kubernetes/keys.js';
import { type KubernetesObject, resourceVersionOf, statedKind } from '../../kubernetes/object.js';
import { apiCall, type ApiCall } from '../resource-client/api-call.js';
import { checkedCache, type NewObject, type ReadCache } from '../resource-client/call-options.js';
import { isAlreadyExists, isNotFound } from '../resource-client/errors.js';
import type { ResourceClient } from '../resource-client/resource-client.js';
import { type EditOptions, onNewest, statusPart } from './edit.js';
import { recipeError, statusIgnoredError } from './errors.js';
import { diff } from './json-patch/diff.js';
import { type JsonPatchOperation, toJson } from './json-patch/json.js';
import { guarded, type Stored } from './preconditions.js';
import { cook, isStatus, planEdit, type Recipe } from './recipe.js';
import { conflictRetry } from './retry-on-conflict.js';

/** Options of `createOrUpdate`. */
export interface CreateOrUpdateOptions<T = unknown> extends Omit<EditOptions, 'subresource'> {
  /**
   * A cache of this resource to read from instead of the server. Default: the object is read from
   * the server, which costs a request for each call.
   *
   * Nothing is sent if `mutate` changes nothing in the cached object. The server is read if the
   * cache has not synced, if a write conflicts because the cache is behind, or if the object was
   * created or deleted meanwhile. If the cache is outdated and has the object in the wanted state,
   * nothing is sent. The change that the cache has not seen yet then triggers the next run. Objects
   * must be stored under `namespace/name`, or `name`. `mutate` must not write into fields that a
   * `transform` has dropped.
   */
  readonly from?: ReadCache<T> | undefined;
}

/** The result of `createOrUpdate`: the operation, and the object as stored on the server. */
export interface CreateOrUpdateResult<T> {
  readonly operation: 'created' | 'updated' | 'unchanged';
  readonly object: T;
}

/** The draft of a `createOrUpdate` recipe: new, or stored, perhaps with a status. */
export type WantedObject<T> = NewObject<T> & { readonly [Field in keyof T & 'status']?: T[Field] | undefined };

/**
 * Creates an object, or updates it to the state that `mutate` sets, including its status
 * (controller-runtime's CreateOrUpdate and CreateOrPatch).
 *
 * | on the server | what happens | operation |
 * | --- | --- | --- |
 * | no such object | `mutate` runs on `object`, which is then created | `created` |
 * | an object that `mutate` changes | the changes are sent, as `edit` does | `updated` |
 * | an object that `mutate` does not change | nothing is sent | `unchanged` |
 *
 * | `mutate` sets | requests that write |
 * | --- | --- |
 * | only fields outside the status | one request to the object |
 * | only the status | one request to the subresource `status`; if the kind has no such subresource, one more request to the object |
 * | the status and other fields | one request to the object. If the server ignored the status, `mutate` runs on the response, and a second request writes the status |
 *
 * The object is read from the server, or from the cache `from`. After a conflict, or if the object
 * is created or deleted meanwhile, the operation is tried again (5 attempts in all).
 *
 * **Guarantees**: fields that `mutate` does not write stay as they are. **Does not guarantee**:
 * that `mutate` runs only once. Except for the name, the fields of `object` are used only if it is
 * created, so set in `mutate` the fields that must always hold. If the server reverts the changes
 * of `mutate`, each call sends them again. Object and status are not written together: if the
 * second request fails, the first request has taken effect, and the next call writes the missing
 * changes. A dry run does not write the status of a created object. A dry run that sends a patch is
 * reported as `updated`, even if the server would change nothing. **Errors**: the errors of `edit`
 * and of `create`; `RXI_STATUS_IGNORED` if `mutate` sets a status and the kind has none;
 * `RXI_INVALID_OPTION` at once if `from` has another resource.
 *
 * @param client the client of the kind, made by {@link resourceClient}
 * @param object the object to create; at least its namespace and name
 * @param mutate changes its draft synchronously, and returns nothing
 * @param options the cache to read from, and options of the writes; see
 *   {@link CreateOrUpdateOptions}
 * @returns a call with the operation and the object as stored on the server
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { resourceClient, createOrUpdate } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * const { operation } = await createOrUpdate(
 *   resourceClient(client, configMaps),
 *   { metadata: { namespace: 'web', name: 'settings' } },
 *   (draft) => {
 *     draft.data ??= {};
 *     draft.data['mode'] = 'dark';
 *   },
 * );
 */
export function createOrUpdate<T extends object>(
  client: ResourceClient<T>,
  object: NewObject<T>,
  mutate: Recipe<WantedObject<T>>,
  options: CreateOrUpdateOptions<NoInfer<T>> = {},
): ApiCall<CreateOrUpdateResult<T>> {
  const { dryRun, signal, ...writeOptions } = options;
  const { tries, waitAfter } = conflictRetry(options, client);
  const cache = checkedCache(options.from, client.resource);
  // A stored object has all fields of a new object, so the recipe also fits a stored object.
  const writing: Writing<T> = { client, recipe: mutate as unknown as Recipe<T>, options };

  const create = (): Observable<CreateOrUpdateResult<T>> =>
    client.create(planCreate(object as WantedObject<T>, mutate), { dryRun, ...writeOptions }).pipe(
      switchMap((created) => (dryRun === true ? of({ object: created }) : writeStatus(writing, created))),
      map((created) => ({ operation: 'created', object: created.object })),
    );
  const update = (existing: T): Observable<CreateOrUpdateResult<T>> =>
    writeObject(writing, existing).pipe(
      switchMap((first) =>
        writeStatus(writing, first.object).pipe(
          map((second) => ({
            operation: first.isChanged || second.isChanged ? ('updated' as const) : ('unchanged' as const),
            object: second.object,
          })),
        ),
      ),
    );
  const read = (isFirst: boolean): Observable<T | undefined> =>
    isFirst && cache?.hasSynced === true
      ? of(cache.snapshot.get(metaNamespaceKey(object)))
      : client.getOrUndefined(object);
  const write$ = defer(() => {
    let attempts = 0;
    return defer(() => read(attempts++ === 0)).pipe(
      switchMap((existing) => (existing === undefined ? create() : update(existing))),
      retry({
        delay: (error: unknown, attempt) =>
          isOvertaken(error) && attempt < tries ? waitAfter(attempt) : throwError(() => error),
      }),
    );
  });
  return apiCall(write$, signal);
}

/** True if another writer created or deleted it after the read, or the cache is outdated. */
function isOvertaken(error: unknown): boolean {
  return isRxInformersError(error, 'RXI_OBJECT_DELETED') || isAlreadyExists(error);
}

/** Applies the recipe to `object`. Throws if it changes the name or namespace. Pure. */
function planCreate<T extends object>(object: T, recipe: Recipe<T>): T {
  const key = metaNamespaceKey(object);
  const base = toJson(object, undefined) as object;
  const created = cook(key, base, recipe as unknown as Recipe<object>);
  const { name, namespace } = (created as KubernetesObject).metadata ?? {};
  const { name: stated, namespace: within } = (object as KubernetesObject).metadata ?? {};
  if (name !== stated || namespace !== within) {
    throw recipeError(
      key,
      'read-only-field',
      'it changed metadata.name or metadata.namespace, which identify the object',
      { kind: statedKind(object) },
    );
  }
  return created as T;
}

/** The object on the server, and whether the write changed it. */
interface Written<T> {
  readonly object: T;
  readonly isChanged: boolean;
}

/** A write: the result of applying `recipe` to an object. */
interface Writing<T> {
  readonly client: ResourceClient<T>;
  readonly recipe: Recipe<T>;
  readonly options: EditOptions;
}

/** Writes all changes beyond the status; with them the status, if it is no subresource. */
function writeObject<T extends object>(writing: Writing<T>, existing: T): Observable<Written<T>> {
  const write = (base: T, stored: Stored): Observable<Written<T>> => {
    const operations = planEdit(base, writing.recipe, undefined);
    return operations.every(isStatus) ? of({ object: base, isChanged: false }) : send(writing, stored, operations);
  };
  return onNewest(writing.client, existing, write, writing.options);
}

/**
 * Writes the status if it differs, to its subresource if there is one. Other differences are not
 * written: others changed these fields after `writeObject`.
 */
function writeStatus<T extends object>(writing: Writing<T>, existing: T): Observable<Written<T>> {
  const write = (base: T, stored: Stored): Observable<Written<T>> => {
    const operations = planEdit(base, writing.recipe, undefined).filter(isStatus);
    if (operations.length === 0) return of({ object: base, isChanged: false });
    const sendInObject = (): Observable<Written<T>> =>
      send(writing, stored, operations).pipe(
        tap(({ object }) => {
          if (diff(statusPart(base), statusPart(object)).length === 0)
            throw statusIgnoredError(stored.key, writing.client.resource.kind);
        }),
      );
    // Servers may return the same error for a missing subresource and for a missing object.
    return send(writing, stored, operations, 'status').pipe(
      catchError((error: unknown) => (isNotFound(error) ? sendInObject() : throwError(() => error))),
    );
  };
  return onNewest(writing.client, existing, write, writing.options);
}

function send<T>(
  { client, options }: Writing<T>,
  stored: Stored,
  operations: readonly JsonPatchOperation[],
  subresource?: 'status',
): Observable<Written<T>> {
  return client.patch(stored.key, guarded(stored, operations), { ...options, subresource }).pipe(
    map((object) => ({
      object,
      // A dry run does not change the version.
      isChanged: options.dryRun === true || resourceVersionOf(object) !== stored.resourceVersion,
    })),
  );
}
