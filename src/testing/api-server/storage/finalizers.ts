import { type Catalog, storageName, type ServedResource } from '../resources/catalog.js';
import type { ServerContext } from './server-context.js';
import type { StoredObject } from './stored-object.js';

/**
 * Removes a finalizer. Removing the last finalizer of a terminating object removes the object.
 *
 * @param context the server
 * @param address the address of the object
 * @param finalizer the qualified name of the finalizer
 */
export function removeStoredFinalizer(
  { storage }: ServerContext,
  { resource, key }: StorageAddress,
  finalizer: string,
): void {
  const objects = storage.resource(resource);
  const object = objects.get(key);
  const known = object?.metadata.finalizers ?? [];
  if (object === undefined || !known.includes(finalizer)) return;
  const next = withFinalizers(
    object,
    known.filter((other) => other !== finalizer),
  );
  if (isFinished(resource, next)) objects.remove(key, next);
  else objects.put(key, next);
}

function withFinalizers(object: StoredObject, finalizers: readonly string[]): StoredObject {
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
}

/**
 * Returns true if an object of a resource (`pods`, `deployments.apps`) must be removed now: its
 * deletion was requested, it has no finalizers left, and its grace period is over. A namespace may
 * still have content, so only the namespace controller and a write to `finalize` remove it.
 */
export function isFinished(resource: string, { metadata }: StoredObject, subresource = ''): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  if (resource === 'namespaces' && subresource !== 'finalize') return false;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

/** The storage name of a resource (`deployments.apps`), and the key in this storage. */
export interface StorageAddress {
  readonly resource: string;
  readonly key: string;
}

/** Returns the served resource with this storage name, in any version. */
export function servedResource(catalog: Catalog, name: string): ServedResource | undefined {
  return catalog.all().find((resource) => storageName(resource) === name);
}
