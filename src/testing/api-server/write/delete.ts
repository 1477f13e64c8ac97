import { conflict, notFound } from '../exchange/api-error.js';
import { jsonReply, type WholeReply } from '../exchange/exchange.js';
import { objectField } from '../exchange/json.js';
import type { SelectedObjects } from '../read/selection.js';
import { kindSubject, storageKey, resourceSubject, storageName, type ServedResource } from '../resources/catalog.js';
import {
  cleanupFinalizerName,
  definitionsName,
  withTerminatingCondition,
} from '../schema/custom-resource-definitions.js';
import { timestamp, type ServerContext } from '../storage/server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { DeleteParameters } from './write-options.js';

/** The result of a DELETE: the object is gone, or is terminating. */
export interface Deletion {
  readonly object: StoredObject;
  readonly gone: boolean;
}

/** With finalizers or a grace period, only sets `deletionTimestamp`; removed later. */
export function deleteObject(
  context: ServerContext,
  resource: ServedResource,
  namespace: string,
  name: string,
  options: DeleteParameters,
): Deletion {
  const objects = context.storage.resource(storageName(resource));
  const key = storageKey(namespace, name);
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
  { preconditions }: DeleteParameters,
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

/** Keeps a CustomResourceDefinition until all objects of its kind are gone. */
function cleanupFinalizer(resource: ServedResource, { metadata }: StoredObject): readonly string[] {
  if (storageName(resource) !== definitionsName || metadata.finalizers?.includes(cleanupFinalizerName) === true)
    return [];
  return [cleanupFinalizerName];
}

/** Returns the object in its terminating state. Two kinds also show this state in their status. */
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

/** Returns the finalizers to set. The garbage collector removes its own when it is done. */
function finalizersFor({ metadata }: StoredObject, { propagationPolicy }: DeleteParameters): readonly string[] {
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

/** Returns the grace period. Only pods that run on a node have a grace period. */
function gracePeriod(resource: ServedResource, object: StoredObject, options: DeleteParameters): number {
  if (!endsGracefully(resource)) return 0;
  const spec = objectField(object, 'spec');
  const phase = objectField(object, 'status')['phase'];
  if (!spec['nodeName'] || phase === 'Failed' || phase === 'Succeeded') return 0;
  const own = spec['terminationGracePeriodSeconds'];
  const requested = options.gracePeriodSeconds ?? (typeof own === 'number' ? own : defaultGracePeriod);
  // A grace period that has begun can be shortened, but not extended.
  return Math.min(requested, object.metadata.deletionGracePeriodSeconds ?? requested);
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
  const isBeingDeleted = metadata.deletionTimestamp !== undefined;
  if (isBeingDeleted && sameFinalizers && grace === metadata.deletionGracePeriodSeconds) return object;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(metadata.generation === undefined || isBeingDeleted ? {} : { generation: metadata.generation + 1 }),
      deletionTimestamp:
        isBeingDeleted && grace === metadata.deletionGracePeriodSeconds
          ? metadata.deletionTimestamp
          : timestamp(context, grace),
      deletionGracePeriodSeconds: grace,
      ...(finalizers.length === 0 ? {} : { finalizers }),
    },
  };
}

/** Deletes all selected objects one by one. Returns them as they were before. */
export function deleteCollection(
  context: ServerContext,
  resource: ServedResource,
  { prefix, matches }: Pick<SelectedObjects, 'prefix' | 'matches'>,
  options: DeleteParameters,
): readonly StoredObject[] {
  const objects = context.storage.resource(storageName(resource));
  const selected = [...objects.scan(prefix)].map(([, object]) => object).filter(matches);
  for (const { metadata } of selected) {
    const { namespace = '', name, uid } = metadata;
    // The next object may already have been deleted, for example as a dependent of this object.
    const current = objects.get(namespace ? `${namespace}/${name}` : name);
    if (current?.metadata.uid === uid) deleteObject(context, resource, namespace, name, options);
  }
  return selected;
}

/** Their DELETE returns the object; that of other kinds a `Status` once it is gone. */
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
