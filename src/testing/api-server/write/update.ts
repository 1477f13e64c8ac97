import { type RxInformersError } from '../../../kubernetes/errors.js';
import type { Caller } from '../exchange/access-control.js';
import {
  fieldProblem,
  notFound,
  badRequest,
  conflict,
  internalError,
  invalid,
  modifiedMeanwhile,
} from '../exchange/api-error.js';
import { type JsonObject, equalJson, objectField, stringAt, withoutUndefined } from '../exchange/json.js';
import { withManagedFields, type Writer } from '../field-ownership/managers.js';
import {
  storageKey,
  resourceSubject,
  storageName,
  completed,
  type ServedResource,
  servedApiVersion,
  kindSubject,
} from '../resources/catalog.js';
import { validateMetadata } from '../schema/validate-metadata.js';
import { isFinished } from '../storage/finalizers.js';
import type { ServerContext } from '../storage/server-context.js';
import type { StoredObject, StoredMeta } from '../storage/stored-object.js';
import { statedMetadata, assertNamespace } from './create.js';
import { assertMaySetOwners } from './owner-rights.js';
import type { WriteParameters } from './write-options.js';

export interface ObjectAddress {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The written object, and the warnings for its writer. */
export interface Written {
  readonly object: StoredObject;
  readonly warnings: readonly string[];
}

/** Returns the addressed object. Throws a 404 if it does not exist. */
export function existing(context: ServerContext, { resource, namespace, name }: ObjectAddress): StoredObject {
  const object = context.storage.resource(storageName(resource)).get(storageKey(namespace, name));
  if (object === undefined) throw notFound(resourceSubject(resource, name));
  return completed(resource, object);
}

/** Replaces an object, or its status. */
export function update(
  context: ServerContext,
  address: ObjectAddress,
  body: JsonObject,
  options: WriteParameters,
): StoredObject {
  const { resource, namespace, name, subresource } = address;
  return commitUpdate(context, resource, storageKey(namespace, name), existing(context, address), body, {
    caller: options.caller,
    manager: options.fieldManager,
    subresource,
    dryRun: options.dryRun,
    method: 'PUT',
  });
}

export interface Update extends Writer {
  readonly caller: Caller;
  readonly dryRun: boolean;
  /** A PATCH must not contain another uid; a PUT uses the uid as a precondition. */
  readonly method: 'PUT' | 'PATCH';
  /** The managers, if server-side apply has already computed them. */
  readonly managedFields?: StoredMeta['managedFields'];
}

/** Updates an object to `desired`, as far as the subresource allows, if anything changes. */
export function commitUpdate(
  context: ServerContext,
  resource: ServedResource,
  key: string,
  current: StoredObject,
  desired: JsonObject,
  update: Update,
): StoredObject {
  assertAddressed(resource, current, desired, update.method);
  const content = contentOf(
    resource,
    current,
    completed(resource, desired, update.managedFields !== undefined),
    update.subresource,
  );
  const bare = withGeneration(resource, current, content);
  const next =
    update.managedFields === undefined
      ? withManagedFields(context, resource, current, bare, update)
      : { ...bare, metadata: { ...bare.metadata, managedFields: update.managedFields } };
  validateUpdate(resource, current, next, update.subresource);
  assertMaySetOwners(context.catalog, update.caller, resource, current, next);
  const name = storageName(resource);
  const objects = context.storage.resource(name);
  if (equalJson(objects.get(key), next)) return current;
  if (update.dryRun) return next;
  if (isFinished(name, next, update.subresource)) {
    objects.remove(key, next);
    return next;
  }
  return objects.put(key, next);
}

function assertAddressed(
  resource: ServedResource,
  current: StoredObject,
  desired: JsonObject,
  method: 'PUT' | 'PATCH',
): void {
  const { name, uid, resourceVersion, namespace = '' } = current.metadata;
  const metadata = objectField(desired, 'metadata');
  const statedName = stringAt(metadata, 'name') ?? '';
  if (statedName === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (statedName !== name)
    throw badRequest(`the name of the object (${statedName}) does not match the name on the URL (${name})`);
  assertNamespace(metadata, namespace);
  const statedVersion = stringAt(metadata, 'resourceVersion') ?? '';
  if (statedVersion !== '' && !/^\d+$/.test(statedVersion))
    throw internalError(`strconv.ParseUint: parsing "${statedVersion}": invalid syntax`);
  if (statedVersion !== '' && statedVersion !== '0' && statedVersion !== resourceVersion)
    throw modifiedMeanwhile(resourceSubject(resource, name));
  if (statedVersion === '' && method === 'PUT' && needsVersion(resource)) throw versionRequired(resource, name);
  const statedUid = stringAt(metadata, 'uid') ?? '';
  if (statedUid !== '' && statedUid !== uid) throw wrongUid(resource, current, statedUid, method);
}

/** True for custom kinds and some built-in kinds: these are not replaced without a version. */
function needsVersion(resource: ServedResource): boolean {
  return resource.custom || resource.plural === 'customresourcedefinitions' || resource.plural === 'leases';
}

function versionRequired(resource: ServedResource, name: string): RxInformersError<'RXI_API'> {
  return invalid(resourceSubject(resource, name), [
    fieldProblem('Invalid', 'metadata.resourceVersion', '0: must be specified for an update'),
  ]);
}

function wrongUid(
  resource: ServedResource,
  { metadata }: StoredObject,
  version: string,
  method: 'PUT' | 'PATCH',
): RxInformersError<'RXI_API'> {
  const { name, namespace, uid } = metadata;
  if (method === 'PATCH') {
    return invalid(kindSubject(resource, name), [
      fieldProblem('Invalid', 'metadata.uid', `"${version}": field is immutable`),
    ]);
  }
  const path = ['/registry', resource.group, resource.plural, namespace, name].filter(Boolean).join('/');
  return conflict(
    resourceSubject(resource, name),
    `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${version}, UID in object meta: ${uid}`,
  );
}

/**
 * Returns the content to store. If the request is for the status subresource, only the status is
 * taken from `desired`. Otherwise, everything else is taken, and the status only if the kind has no
 * status subresource.
 */
function contentOf(
  resource: ServedResource,
  current: StoredObject,
  desired: JsonObject,
  subresource: string,
): StoredObject {
  const metadata = storedMetadata(current, statedMetadata(resource, objectField(desired, 'metadata')));
  if (subresource === 'status') {
    // In a status update, kinds of the core group also accept metadata. All other kinds ignore it.
    const kept = resource.group === '' ? metadata : current.metadata;
    return compact({ ...current, metadata: kept, status: desired['status'] });
  }
  const status = resource.hasStatus ? current['status'] : desired['status'];
  return compact({ ...desired, apiVersion: servedApiVersion(resource), kind: resource.kind, metadata, status });
}

function compact(object: StoredObject): StoredObject {
  return withoutUndefined(object) as StoredObject;
}

/** Returns the metadata to store: identity and deletion cannot be updated. */
function storedMetadata(current: StoredObject, desired: JsonObject): StoredMeta {
  const {
    uid,
    name,
    namespace,
    generation,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    resourceVersion,
  } = current.metadata;
  const { selfLink: _selfLink, ...stated } = desired;
  return withoutUndefined({
    ...stated,
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    managedFields: current.metadata.managedFields,
  }) as StoredMeta;
}

/** Increments `generation` if anything but metadata and status changes. */
function withGeneration(resource: ServedResource, current: StoredObject, next: StoredObject): StoredObject {
  if (!resource.hasGeneration || equalJson(wanted(current), wanted(next))) return next;
  return { ...next, metadata: { ...next.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
}

function wanted({ metadata: _metadata, status: _status, apiVersion: _apiVersion, ...rest }: StoredObject): JsonObject {
  return rest;
}

function validateUpdate(
  resource: ServedResource,
  current: StoredObject,
  next: StoredObject,
  subresource: string,
): void {
  const problems = resource.rules?.problems(next, current, subresource);
  validateMetadata(resource, next.metadata, next.metadata.name, problems);
  if (current.metadata.deletionTimestamp === undefined) return;
  const before = current.metadata.finalizers ?? [];
  const added = (next.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
  if (added.length === 0) return;
  const found = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  const problem = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`;
  throw invalid(kindSubject(resource, next.metadata.name), [fieldProblem('Forbidden', 'metadata.finalizers', problem)]);
}
