import type { ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import { type Catalog, storageName, type ServedResource } from '../resources/catalog.js';

/** Takes a finalizer away, and the object with the last one. */
export function removeFinalizer(
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
  if (isFinished(next)) objects.remove(key, next);
  else objects.put(key, next);
}

function withFinalizers(object: StoredObject, finalizers: readonly string[]): StoredObject {
  const { finalizers: _finalizers, ...metadata } = object.metadata;
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
}

/** An object that was to be deleted goes when its last finalizer does, unless it still has time to end gracefully. */
export function isFinished({ metadata }: StoredObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  return deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}

/** Where an object is stored: its resource (`deployments.apps`) and its key there. */
export interface StorageAddress {
  readonly resource: string;
  readonly key: string;
}

/** The served resource behind a storage name, in any version. */
export function servedResource(catalog: Catalog, name: string): ServedResource | undefined {
  return catalog.all().find((resource) => storageName(resource) === name);
}
