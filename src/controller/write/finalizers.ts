import { catchError, of, throwError } from 'rxjs';
import { metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { apiCall, type ApiCall } from '../api/api-call.js';
import type { ResourceClient } from '../api/resource-client.js';
import { edit, type EditOptions } from './edit.js';
import { ObjectDeletedError } from './object-deleted-error.js';
import { ObjectTerminatingError } from './object-terminating-error.js';
import { RecipeError } from './recipe-error.js';
import type { Recipe } from './recipe.js';

/** Options of `ensureFinalizer` and `removeFinalizer`. */
export type FinalizerOptions = Omit<EditOptions, 'subresource'>;

/** Whether an object has this finalizer. */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/** Whether somebody has asked for the object to be deleted; it is there until its last finalizer is removed. */
export function isTerminating(object: KubernetesObject): boolean {
  return (object as Finalized).metadata?.deletionTimestamp !== undefined;
}

/**
 * Adds a finalizer, so that the object is not gone before it is removed; gives the object that has it.
 *
 * Nothing is sent where the object has it already.
 *
 * **Guarantees**: a finalizer that somebody else adds at the same time is never lost (the edit is tested for the object's version).
 * **Errors**: `ObjectTerminatingError` where the object is being deleted: the server takes no new finalizers then; otherwise those of `edit`.
 *
 * @param finalizer a qualified name, for example `websites.example.com/cleanup`
 * @example
 * import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
 * import { ensureFinalizer, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const settings: ConfigMap;
 *
 * await ensureFinalizer(resourceClient(client, configMaps), settings, 'example.com/cleanup');
 */
export function ensureFinalizer<T extends object>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
  options: FinalizerOptions = {},
): ApiCall<T> {
  const add = (draft: MutableFinalized): void => {
    if (hasFinalizer(draft, finalizer)) return;
    if (isTerminating(draft)) throw new ObjectTerminatingError(metaNamespaceKey(draft), finalizer);
    const { metadata } = draft;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  };
  return apiCall(
    edit(client, object, add as unknown as Recipe<T>, options).pipe(
      catchError((error: unknown) => throwError(() => terminationIn(error))),
    ),
  );
}

/**
 * Removes a finalizer; gives the object without it, or undefined where the object is gone.
 *
 * Nothing is sent where the object has no such finalizer. An object that is gone (404, or another one has its name) is success: there is
 * nothing left to be held back.
 *
 * **Guarantees**: a finalizer that somebody else adds or removes at the same time stays as they want it.
 * **Errors**: those of `edit`, but for `ObjectDeletedError`.
 *
 * @example
 * import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
 * import { removeFinalizer, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const settings: ConfigMap;
 *
 * await removeFinalizer(resourceClient(client, configMaps), settings, 'example.com/cleanup');
 */
export function removeFinalizer<T extends object>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
  options: FinalizerOptions = {},
): ApiCall<T | undefined> {
  const remove = ({ metadata }: MutableFinalized): void => {
    if (!metadata.finalizers?.includes(finalizer)) return;
    const others = metadata.finalizers.filter((name) => name !== finalizer);
    if (others.length > 0) metadata.finalizers = others;
    else delete metadata.finalizers;
  };
  return apiCall(
    edit(client, object, remove as unknown as Recipe<T>, options).pipe(
      catchError((error: unknown) => (error instanceof ObjectDeletedError ? of(undefined) : throwError(() => error))),
    ),
  );
}

interface Finalized {
  readonly metadata?: { readonly deletionTimestamp?: string };
}

/** The draft of what has been found to have an identity. */
interface MutableFinalized {
  readonly metadata: { readonly name: string; readonly namespace?: string; finalizers?: string[] };
}

/** A recipe's own error stands behind a `RecipeError`; here the recipe is ours. */
function terminationIn(error: unknown): unknown {
  return error instanceof RecipeError && error.cause instanceof ObjectTerminatingError ? error.cause : error;
}
