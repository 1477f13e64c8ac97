import { type Subscription, EMPTY, filter, map, mergeMap, timer } from 'rxjs';
import { steady } from '../../../scheduling/clock.js';
import { storageName, type ServedResource } from '../resources/catalog.js';
import { cleanupFinalizerName, definitionsName, definedResourcesOf } from '../schema/custom-resource-definitions.js';
import { removeStoredFinalizer } from '../storage/finalizers.js';
import type { ServerContext } from '../storage/server-context.js';
import type { StorageCommit, StorageEvent } from '../storage/storage.js';
import { deleteCollection } from '../write/delete.js';
import { deleteParameters } from '../write/write-options.js';

/** Deletes the objects of a terminating namespace, and then the namespace. */
export function startNamespaceController(context: ServerContext): Subscription {
  return context.storage.commits$.subscribe((commit) => {
    if (commit.resource === 'namespaces') emptyNamespace(context, commit);
    else if (commit.event.type === 'DELETED') finishNamespace(context, commit.event.object.metadata.namespace ?? '');
  });
}

function emptyNamespace(context: ServerContext, { event: { type, object } }: StorageCommit): void {
  if (type === 'DELETED' || object.metadata.deletionTimestamp === undefined) return;
  const namespace = object.metadata.name;
  for (const resource of context.catalog.all()) {
    if (!resource.namespaced) continue;
    // In the background: owners of a foreground deletion no longer wait for their dependents.
    const inNamespace = { prefix: `${namespace}/`, matches: () => true };
    deleteCollection(context, resource, inNamespace, deleteParameters('Background'));
  }
  finishNamespace(context, namespace);
}

function finishNamespace({ storage }: ServerContext, name: string): void {
  const namespaces = storage.resource('namespaces');
  const namespace = namespaces.get(name);
  if (namespace?.metadata.deletionTimestamp === undefined || (namespace.metadata.finalizers ?? []).length > 0) return;
  for (const objects of storage.resources().values()) {
    for (const _content of objects.scan(`${name}/`)) return;
  }
  namespaces.remove(name);
}

/** Removes a deleted pod at the end of its grace period, as the kubelet does. */
export function startPodTerminator(context: ServerContext): Subscription {
  return context.storage.commits$
    .pipe(
      filter(({ resource }) => resource === 'pods'),
      mergeMap(({ event }) => {
        const wait = remaining(context, event);
        return wait === undefined ? EMPTY : timer(wait, steady(context.scheduler)).pipe(map(() => event));
      }),
    )
    .subscribe((event) => terminate(context, event));
}

/** Milliseconds until the pod ends, if the event set or shortened its grace period. */
function remaining({ scheduler }: ServerContext, { type, object, previous }: StorageEvent): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (type === 'DELETED' || deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return undefined;
  if (previous?.metadata.deletionTimestamp === deletionTimestamp) return undefined;
  return Math.max(0, Date.parse(deletionTimestamp) - scheduler.now());
}

function terminate({ storage }: ServerContext, { key, object }: StorageEvent): void {
  const pods = storage.resource('pods');
  const pod = pods.get(key);
  if (pod?.metadata.uid !== object.metadata.uid) return;
  if (pod.metadata.deletionTimestamp !== object.metadata.deletionTimestamp) return;
  const ended = { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } };
  if ((pod.metadata.finalizers ?? []).length === 0) pods.remove(key, ended);
  else pods.put(key, ended);
}

/** Serves the resources of the stored CustomResourceDefinitions while these exist. */
export function startDefinitionController(context: ServerContext): Subscription {
  const subscription = context.storage.commits$
    .pipe(filter(({ resource }) => resource === definitionsName))
    .subscribe((commit) => serveDefinition(context, commit));
  // A deleted definition is removed after the last object of its kind.
  subscription.add(
    context.storage.commits$
      .pipe(filter(({ event }) => event.type === 'DELETED'))
      .subscribe(({ resource }) => finishDefinition(context, resource)),
  );
  return subscription;
}

function serveDefinition(context: ServerContext, { event }: StorageCommit): void {
  const { catalog, storage } = context;
  const defined = definedResourcesOf(event.object, context.ruleFunctions.get(event.object.metadata.name));
  const [first] = defined;
  if (first === undefined) return;
  catalog.remove(first.resource);
  if (event.type === 'DELETED') {
    storage.drop(storageName(first.resource));
    return;
  }
  for (const { resource, isServed } of defined) if (isServed) catalog.add(resource);
  if (event.object.metadata.deletionTimestamp !== undefined) deleteCustomObjects(context, first.resource);
}

function deleteCustomObjects(context: ServerContext, resource: ServedResource): void {
  deleteCollection(context, resource, { prefix: '', matches: () => true }, deleteParameters());
  finishDefinition(context, storageName(resource));
}

/** Removes a definition that is being deleted, if no objects of its kind are left. */
function finishDefinition(context: ServerContext, resource: string): void {
  const definition = context.storage.resource(definitionsName).get(resource);
  if (definition?.metadata.deletionTimestamp === undefined || context.storage.resource(resource).size > 0) return;
  removeStoredFinalizer(context, { resource: definitionsName, key: resource }, cleanupFinalizerName);
}
