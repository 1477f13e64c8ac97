import { notFound } from '../api-error.js';
import type { JsonObject } from '../json/json-object.js';
import { objectKey, resourceSubject, storageName, type ServedResource } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import { commitUpdate } from './commit-update.js';
import type { WriteOptions } from './write-options.js';

export interface ObjectAddress {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** An object as it was written, and what its writer is warned of. */
export interface Written {
  readonly object: StoredObject;
  readonly warnings: readonly string[];
}

/** The addressed object, or 404. */
export function existing(context: ServerContext, { resource, namespace, name }: ObjectAddress): StoredObject {
  const object = context.storage.resource(storageName(resource)).get(objectKey(namespace, name));
  if (object === undefined) throw notFound(resourceSubject(resource, name));
  return object;
}

/** Replaces an object, or its status. */
export function update(
  context: ServerContext,
  address: ObjectAddress,
  body: JsonObject,
  options: WriteOptions,
): StoredObject {
  const { resource, namespace, name, subresource } = address;
  return commitUpdate(context, resource, objectKey(namespace, name), existing(context, address), body, {
    manager: options.fieldManager,
    subresource,
    dryRun: options.dryRun,
    method: 'PUT',
  });
}
