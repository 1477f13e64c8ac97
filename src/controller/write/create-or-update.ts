import { catchError, defer, map, of, retry, switchMap, throwError, type Observable } from 'rxjs';
import { metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { apiCall, type ApiCall } from '../api/api-call.js';
import type { NewObject, Target } from '../api/object-types.js';
import { isAlreadyExists, isObjectNotFound } from '../api/refusals.js';
import type { ResourceClient } from '../api/resource-client.js';
import { conflictRetry } from './conflict-retry.js';
import { edit, type EditOptions } from './edit.js';
import { ObjectDeletedError } from './object-deleted-error.js';
import { planCreate } from './plan-create.js';
import type { Recipe } from './recipe.js';

/** Options of `createOrUpdate`. */
export type CreateOrUpdateOptions = Omit<EditOptions, 'subresource'>;

/** What `createOrUpdate` did, and the object as the server has it now. */
export interface CreateOrUpdateResult<T> {
  readonly operation: 'created' | 'updated' | 'unchanged';
  readonly object: T;
}

/**
 * Makes sure that an object exists and is as `mutate` wants it (controller-runtime's CreateOrUpdate).
 *
 * | on the server | what happens | operation |
 * | --- | --- | --- |
 * | no such object | `mutate` runs on `object`, and that is created | `created` |
 * | there is one, and `mutate` changes something | those changes are sent, as `edit` does | `updated` |
 * | there is one that is as it should be | nothing is sent | `unchanged` |
 *
 * It reads the object from the server, not from a cache. What is created or deleted in between, and conflicts, lead to another try (5 in all).
 *
 * **Guarantees**: fields that `mutate` does not write stay as they are, whoever set them.
 * **Does not guarantee**: that `mutate` runs once. What `object` says beside its name counts only where it is created: what must hold
 * afterwards too belongs into `mutate`. Where `mutate` sets what the server changes back, each call is an update.
 * **Errors**: those of `edit` and of `create`.
 *
 * @param object at least namespace and name
 * @param mutate changes its draft, at once, and gives nothing back
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
  mutate: Recipe<NewObject<T>>,
  options: CreateOrUpdateOptions = {},
): ApiCall<CreateOrUpdateResult<T>> {
  const { fieldManager, dryRun, signal } = options;
  const { tries, waitAfter } = conflictRetry({ ...options, scheduler: options.scheduler ?? client.scheduler });

  const create = (): Observable<CreateOrUpdateResult<T>> =>
    client
      .create(planCreate(object, mutate), { fieldManager, dryRun })
      .pipe(map((created) => ({ operation: 'created', object: created })));
  // A stored object is all that a new one is, and more.
  const update = (existing: T): Observable<CreateOrUpdateResult<T>> =>
    edit(client, existing, mutate as unknown as Recipe<T>, options).pipe(
      map((updated) => ({
        operation: versionOf(updated) === versionOf(existing) ? 'unchanged' : 'updated',
        object: updated,
      })),
    );
  const attempt$ = defer(() => {
    const key = metaNamespaceKey(object);
    return client.get(object as Target).pipe(
      catchError((error: unknown) => (isObjectNotFound(error, key) ? of(undefined) : throwError(() => error))),
      switchMap((existing) => (existing === undefined ? create() : update(existing))),
    );
  });
  const delay = (error: unknown, attempt: number) =>
    isOvertaken(error) && attempt < tries ? waitAfter(attempt) : throwError(() => error);
  return apiCall(attempt$.pipe(retry({ delay })), signal);
}

/** Created or deleted by somebody else between the read and the write. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ObjectDeletedError || isAlreadyExists(error);
}

function versionOf(object: object): string | undefined {
  return (object as KubernetesObject).metadata?.resourceVersion;
}
