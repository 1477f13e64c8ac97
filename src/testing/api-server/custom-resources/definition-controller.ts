import { filter, type Subscription } from 'rxjs';
import { storageName } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { StorageEvent } from '../storage/history.js';
import { servedResourcesOf } from './custom-resource-definition.js';
import { definitionsName } from './established.js';

/** Serves what the stored CustomResourceDefinitions define, and stops when they go. */
export function startDefinitionController(context: ServerContext): Subscription {
  return context.storage.commits$
    .pipe(filter(({ resource }) => resource === definitionsName))
    .subscribe(({ event }) => {
      follow(context, event);
    });
}

function follow({ catalog, storage }: ServerContext, { type, object }: StorageEvent): void {
  const resources = servedResourcesOf(object);
  const [first] = resources;
  if (first === undefined) return;
  catalog.remove(first);
  if (type !== 'DELETED') {
    for (const resource of resources) catalog.add(resource);
    return;
  }
  const objects = storage.resource(storageName(first));
  for (const [key] of [...objects.scan()]) objects.remove(key);
  storage.drop(storageName(first));
}
