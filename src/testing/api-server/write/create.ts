import { alreadyExists } from '../api-error.js';
import type { JsonObject } from '../json/json-object.js';
import { objectKey, resourceSubject, storageName, type ServedResource } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import { newObject } from './new-object.js';
import { withManagedFields } from './managed-fields.js';
import type { WriteOptions } from './write-options.js';

/** Creates an object; throws 409 where there is one of that name. */
export function create(
  context: ServerContext,
  resource: ServedResource,
  namespace: string,
  body: JsonObject,
  options: WriteOptions,
): StoredObject {
  const bare = newObject(context, resource, namespace, body);
  const object = withManagedFields(context, resource, undefined, bare, {
    manager: options.fieldManager,
    subresource: '',
  });
  const objects = context.storage.resource(storageName(resource));
  const key = objectKey(namespace, object.metadata.name);
  if (objects.get(key) !== undefined) throw alreadyExists(resourceSubject(resource, object.metadata.name));
  return options.dryRun ? withoutResourceVersion(object) : objects.put(key, object);
}

/** What was never stored has no version. */
export function withoutResourceVersion(object: StoredObject): StoredObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as StoredObject['metadata'] };
}
