import { filter, type Subscription } from 'rxjs';
import { removeFinalizer } from '../controllers/finalizers.js';
import { storageName, type ServedResource } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { Commit } from '../storage/storage.js';
import { deleteObject } from '../write/delete.js';
import { servedResourcesOf } from './custom-resource-definition.js';
import { cleanupFinalizerName, definitionsName } from './established.js';

/** Serves what the stored CustomResourceDefinitions define, and stops when they go. */
export function startDefinitionController(context: ServerContext): Subscription {
  const subscription = context.storage.commits$
    .pipe(filter(({ resource }) => resource === definitionsName))
    .subscribe((commit) => {
      follow(context, commit);
    });
  // The last object of a kind that is being deleted takes the definition along.
  subscription.add(
    context.storage.commits$.pipe(filter(({ event }) => event.type === 'DELETED')).subscribe(({ resource }) => {
      finish(context, resource);
    }),
  );
  return subscription;
}

function follow(context: ServerContext, { event }: Commit): void {
  const { catalog, storage } = context;
  const resources = servedResourcesOf(event.object);
  const [first] = resources;
  if (first === undefined) return;
  catalog.remove(first);
  if (event.type === 'DELETED') {
    storage.drop(storageName(first));
    return;
  }
  for (const resource of resources) catalog.add(resource);
  if (event.object.metadata.deletionTimestamp !== undefined) clean(context, first);
}

function clean(context: ServerContext, resource: ServedResource): void {
  const objects = context.storage.resource(storageName(resource));
  for (const [key, { metadata }] of [...objects.scan('')]) {
    if (objects.get(key)?.metadata.uid !== metadata.uid) continue;
    deleteObject(context, resource, metadata.namespace ?? '', metadata.name, {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      preconditions: {},
    });
  }
  finish(context, storageName(resource));
}

/** The name of a definition is the name under which its objects are stored. */
function finish(context: ServerContext, resource: string): void {
  const definition = context.storage.resource(definitionsName).get(resource);
  if (definition?.metadata.deletionTimestamp === undefined || context.storage.resource(resource).size > 0) return;
  removeFinalizer(context, { resource: definitionsName, key: resource }, cleanupFinalizerName);
}
