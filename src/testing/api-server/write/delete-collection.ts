import { storageName, type ServedResource } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { Selection } from '../read/selection.js';
import { deleteObject } from './delete.js';
import type { DeleteOptions } from './delete-options.js';

/** Deletes everything selected, each object on its own; gives what was there before. */
export function deleteCollection(
  context: ServerContext,
  resource: ServedResource,
  selection: Selection,
  options: DeleteOptions,
): readonly StoredObject[] {
  const objects = context.storage.resource(storageName(resource));
  const selected = [...objects.scan(selection.prefix)].map(([, object]) => object).filter(selection.matches);
  for (const { metadata } of selected) {
    const { namespace = '', name, uid } = metadata;
    // One deletion may take the next object along, as an owner its dependents.
    const current = objects.get(namespace ? `${namespace}/${name}` : name);
    if (current?.metadata.uid === uid) deleteObject(context, resource, namespace, name, options);
  }
  return selected;
}
