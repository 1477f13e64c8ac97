import { conflict, notFound } from '../api-error.js';
import {
  cleanupFinalizerName,
  definitionsName,
  withTerminatingCondition,
} from '../resources/custom-resource-definitions.js';
import { objectAt } from '../json.js';
import { kindSubject, objectKey, resourceSubject, storageName, type ServedResource } from '../resources/catalog.js';
import { timestamp, type ServerContext } from '../server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { DeleteOptions } from './write-options.js';
import type { Selection } from '../read/selection.js';
import { jsonReply, type WholeReply } from '../exchange.js';

/** What became of a DELETE: the object is gone, or it is on its way. */
export interface Deletion {
  readonly object: StoredObject;
  readonly gone: boolean;
}

/** Deletes an object; finalizers and a pod's grace period make it wait, with a `deletionTimestamp`. */
export function deleteObject(
  context: ServerContext,
  resource: ServedResource,
  namespace: string,
  name: string,
  options: DeleteOptions,
): Deletion {
  const objects = context.storage.resource(storageName(resource));
  const key = objectKey(namespace, name);
  const current = objects.get(key);
  if (current === undefined) throw notFound(resourceSubject(resource, name));
  assertPreconditions(resource, current, options);
  const finalizers = [...finalizersFor(current, options), ...cleanupFinalizer(resource, current)];
  const grace = gracePeriod(resource, current, options);
  if (finalizers.length === 0 && grace === 0 && storageName(resource) !== 'namespaces') {
    const last = options.dryRun ? current : (objects.remove(key) ?? current);
    return { object: endsGracefully(resource) ? markDeleted(context, last, finalizers, 0) : last, gone: true };
  }
  const next = terminating(context, resource, current, markDeleted(context, current, finalizers, grace));
  if (next === current || options.dryRun) return { object: next, gone: false };
  return { object: objects.put(key, next), gone: false };
}

function assertPreconditions(
  resource: ServedResource,
  { metadata }: StoredObject,
  { preconditions }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      kindSubject(resource, metadata.name),
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      kindSubject(resource, metadata.name),
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/** A definition stays until its objects are gone. */
function cleanupFinalizer(resource: ServedResource, { metadata }: StoredObject): readonly string[] {
  if (storageName(resource) !== definitionsName || metadata.finalizers?.includes(cleanupFinalizerName) === true)
    return [];
  return [cleanupFinalizerName];
}

/** Two kinds show in their status that they are on their way out. */
function terminating(
  context: ServerContext,
  resource: ServedResource,
  current: StoredObject,
  next: StoredObject,
): StoredObject {
  if (next === current) return current;
  switch (storageName(resource)) {
    case 'namespaces':
      return { ...next, status: { phase: 'Terminating' } };
    case definitionsName:
      return withTerminatingCondition(context, current, next);
    default:
      return next;
  }
}

/** The garbage collector takes its finalizers away again when it has done its part. */
function finalizersFor({ metadata }: StoredObject, { propagationPolicy }: DeleteOptions): readonly string[] {
  const own = (metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== 'foregroundDeletion' && finalizer !== 'orphan',
  );
  switch (propagationPolicy) {
    case 'Foreground':
      return [...own, 'foregroundDeletion'];
    case 'Orphan':
      return [...own, 'orphan'];
    case 'Background':
      return own;
    case undefined:
      return metadata.finalizers ?? [];
  }
  return propagationPolicy satisfies never;
}

function endsGracefully(resource: ServedResource): boolean {
  return storageName(resource) === 'pods';
}

const defaultGracePeriod = 30;

/** Only pods end gracefully, and only those that a node runs. */
function gracePeriod(resource: ServedResource, object: StoredObject, options: DeleteOptions): number {
  if (!endsGracefully(resource)) return 0;
  const spec = objectAt(object, 'spec');
  const phase = objectAt(object, 'status')['phase'];
  if (!spec['nodeName'] || phase === 'Failed' || phase === 'Succeeded') return 0;
  const own = spec['terminationGracePeriodSeconds'];
  const asked = options.gracePeriodSeconds ?? (typeof own === 'number' ? own : defaultGracePeriod);
  // A grace period that has begun can be shortened, not extended.
  return Math.min(asked, object.metadata.deletionGracePeriodSeconds ?? asked);
}

function markDeleted(
  context: ServerContext,
  object: StoredObject,
  finalizers: readonly string[],
  grace: number,
): StoredObject {
  const { metadata } = object;
  const known = metadata.finalizers ?? [];
  const sameFinalizers =
    finalizers.length === known.length && finalizers.every((finalizer) => known.includes(finalizer));
  const begun = metadata.deletionTimestamp !== undefined;
  if (begun && sameFinalizers && grace === metadata.deletionGracePeriodSeconds) return object;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(metadata.generation === undefined || begun ? {} : { generation: metadata.generation + 1 }),
      deletionTimestamp:
        begun && grace === metadata.deletionGracePeriodSeconds ? metadata.deletionTimestamp : timestamp(context, grace),
      deletionGracePeriodSeconds: grace,
      ...(finalizers.length === 0 ? {} : { finalizers }),
    },
  };
}

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

/** The kinds whose DELETE answers with the object; for the others it is a `Status`, once the object is gone. */
const answersWithObject = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
]);

export function deletionReply(resource: ServedResource, { object, gone }: Deletion): WholeReply {
  if (!gone || answersWithObject.has(storageName(resource))) return jsonReply(200, object);
  const { name, uid } = object.metadata;
  const { group, plural } = resource;
  return jsonReply(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group ? { group } : {}), kind: plural, uid },
  });
}
