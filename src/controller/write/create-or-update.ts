import { defer, map, of, retry, switchMap, throwError, type Observable, catchError, tap } from 'rxjs';
import { metaNamespaceKey, type KubernetesObject, resourceVersionOf } from '../../kubernetes/object.js';
import { apiCall, type ApiCall } from '../api/api-call.js';
import { type NewObject, checkedCache, type ReadCache } from '../api/call-options.js';
import { isAlreadyExists, isNotFound, ObjectDeletedError, RecipeError, StatusIgnoredError } from '../api/errors.js';
import type { ResourceClient } from '../api/resource-client.js';
import { conflictRetry } from './retry-on-conflict.js';
import { type EditOptions, statusOf, onNewest } from './edit.js';
import { type Recipe, cook, guarded, isStatus, planEdit, type Stored } from './recipe.js';
import { toJson, type JsonPatchOperation } from './json-patch/json.js';
import { diff } from './json-patch/diff.js';

/** Options of `createOrUpdate`. */
export interface CreateOrUpdateOptions<T = unknown> extends Omit<EditOptions, 'subresource'> {
  /**
   * A cache of this resource to read from instead of the server. Default: the object is read from
   * the server, which costs a request for each call.
   *
   * Nothing is sent if `mutate` changes nothing in the cached object. The server is read if the
   * cache has not synced, if a write conflicts because the cache is behind, or if the object was
   * created or deleted meanwhile. If an outdated cache has the object in the wanted state, nothing
   * is sent: the change that it has not seen yet triggers the next run. Objects must be stored
   * under `namespace/name`, or `name`. `mutate` must not write into fields that a `transform` has
   * dropped.
   */
  readonly from?: ReadCache<T> | undefined;
}

/** The result of `createOrUpdate`: the operation, and the object as the server has it now. */
export interface CreateOrUpdateResult<T> {
  readonly operation: 'created' | 'updated' | 'unchanged';
  readonly object: T;
}

/** An object that a recipe completes: a new one, or a stored one, which may have a status. */
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
 * | anything but the status | one |
 * | the status | one, to the subresource `status`; if the kind has no such subresource, also one to the object |
 * | both | one to the object. If the server ignored the status, `mutate` runs on its response, and a second request writes the status |
 *
 * It reads the object from the server, or from the cache `from`. After a conflict, and if the
 * object is created or deleted meanwhile, it tries again (5 attempts in all).
 *
 * **Guarantees**: fields that `mutate` does not write stay as they are. **Does not guarantee**:
 * that `mutate` runs once. That the fields of `object` apply to an existing object: apart from its
 * name they count only if it is created, so set in `mutate` what must always hold. That a call
 * sends nothing if the server changes back what `mutate` sets. That object and status are written
 * together: if the second request fails, the first one has taken effect, and the next call does the
 * rest. A dry run that creates leaves out the status; one that sends a patch is an update, whatever
 * the server would do with it. **Errors**: those of `edit` and of `create`; `StatusIgnoredError` if
 * `mutate` sets a status and the kind has none; `InvalidOptionError` at once if `from` has another
 * resource.
 *
 * @param object at least namespace and name
 * @param mutate changes its draft synchronously, and returns nothing
 * @returns a call with the operation and the object as the server has it
 * @example
 * import { configMaps, type KubeClient } from 'rx-informers';
 * import { createOrUpdate, resourceClient } from 'rx-informers/controller';
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
  // A stored object has all fields of a new one, and more.
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

/**
 * Returns true if another writer created or deleted the object after it was read, or if an outdated
 * cache does not have it.
 */
function isOvertaken(error: unknown): boolean {
  return error instanceof ObjectDeletedError || isAlreadyExists(error);
}

/** Returns the object that a recipe makes for a creation under its own name. Pure. */
export function planCreate<T extends object>(object: T, recipe: Recipe<T>): T {
  const key = metaNamespaceKey(object);
  const base = toJson(object, undefined) as object;
  const created = cook(key, base, recipe as unknown as Recipe<object>);
  const { name, namespace } = (created as KubernetesObject).metadata ?? {};
  const { name: given, namespace: within } = (object as KubernetesObject).metadata ?? {};
  if (name !== given || namespace !== within) {
    throw new RecipeError(key, 'read-only-field', 'it changed name or namespace, by which the object is found again');
  }
  return created as T;
}

/** The object as the server has it, and whether the write changed it. */
export interface Written<T> {
  readonly object: T;
  readonly isChanged: boolean;
}

/** What is written: what `recipe` makes of an object. */
export interface Writing<T> {
  readonly client: ResourceClient<T>;
  readonly recipe: Recipe<T>;
  readonly options: EditOptions;
}

/**
 * Writes everything if more than the status differs. A kind without a subresource stores the status
 * with it.
 */
export function writeObject<T extends object>(writing: Writing<T>, existing: T): Observable<Written<T>> {
  const write = (base: T, stored: Stored): Observable<Written<T>> => {
    const operations = planEdit(base, writing.recipe, undefined);
    return operations.every(isStatus) ? of({ object: base, isChanged: false }) : send(writing, stored, operations);
  };
  return onNewest(writing.client, existing, write, writing.options);
}

/**
 * Writes the status if it differs, to its subresource, or to the object if there is no subresource.
 * Other changes of the recipe are not written: the server or other writers changed these fields
 * after `writeObject`.
 */
export function writeStatus<T extends object>(writing: Writing<T>, existing: T): Observable<Written<T>> {
  const write = (base: T, stored: Stored): Observable<Written<T>> => {
    const operations = planEdit(base, writing.recipe, undefined).filter(isStatus);
    if (operations.length === 0) return of({ object: base, isChanged: false });
    const sendInObject = (): Observable<Written<T>> =>
      send(writing, stored, operations).pipe(
        tap(({ object }) => {
          if (diff(statusOf(base), statusOf(object)).length === 0) throw new StatusIgnoredError(stored.key);
        }),
      );
    // Servers may return the same error without the subresource and without the object.
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
