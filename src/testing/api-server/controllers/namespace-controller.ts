import type { Subscription } from 'rxjs';
import { storageName } from '../resources/served-resource.js';
import type { ServerContext } from '../server-context.js';
import type { Commit } from '../storage/storage.js';
import { deleteObject } from '../write/delete.js';

/** Empties a namespace that is being deleted, and lets it go once nothing is left in it. */
export function startNamespaceController(context: ServerContext): Subscription {
  return context.storage.commits$.subscribe((commit) => {
    if (commit.resource === 'namespaces') empty(context, commit);
    else if (commit.event.type === 'DELETED') finish(context, commit.event.object.metadata.namespace ?? '');
  });
}

function empty(context: ServerContext, { event: { type, object } }: Commit): void {
  if (type === 'DELETED' || object.metadata.deletionTimestamp === undefined) return;
  const namespace = object.metadata.name;
  for (const resource of context.catalog.all()) {
    if (!resource.namespaced) continue;
    const objects = context.storage.resource(storageName(resource));
    for (const [key, { metadata }] of [...objects.scan(`${namespace}/`)]) {
      const current = objects.get(key);
      if (current === undefined || current.metadata.deletionTimestamp !== undefined) continue;
      deleteObject(context, resource, namespace, metadata.name, {
        dryRun: false,
        gracePeriodSeconds: undefined,
        propagationPolicy: 'Background',
        preconditions: {},
      });
    }
  }
  finish(context, namespace);
}

function finish({ storage }: ServerContext, name: string): void {
  const namespaces = storage.resource('namespaces');
  const namespace = namespaces.get(name);
  if (namespace?.metadata.deletionTimestamp === undefined || (namespace.metadata.finalizers ?? []).length > 0) return;
  for (const objects of storage.resources().values()) {
    for (const _content of objects.scan(`${name}/`)) return;
  }
  namespaces.remove(name);
}
