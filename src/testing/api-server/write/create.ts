import { alreadyExists, badRequest, forbidden, internalError, notFound } from '../exchange/api-error.js';
import { type JsonObject, objectAt, stringAt, isJsonObject } from '../exchange/json.js';
import { withManagedFields } from '../field-ownership/managers.js';
import { objectKey, resourceSubject, storageName, type ServedResource, apiVersionOf } from '../resources/catalog.js';
import { definitionsName, established } from '../schema/custom-resource-definitions.js';
import { type ServerContext, timestamp, randomName, randomUid } from '../storage/server-context.js';
import type { StoredObject, StoredMeta } from '../storage/stored-object.js';
import { validateMetadata } from './validate-metadata.js';
import type { WriteOptions } from './write-options.js';

/** Creates an object. Throws a 409 if the name is taken. */
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

/** Returns the object without its resourceVersion. */
export function withoutResourceVersion(object: StoredObject): StoredObject {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as StoredObject['metadata'] };
}

/** Returns the object to store: validated, with a name and the server's fields. */
export function newObject(
  context: ServerContext,
  resource: ServedResource,
  namespace: string,
  body: JsonObject,
  options: { readonly keepStatus?: boolean | undefined } = {},
): StoredObject {
  const given = objectAt(body, 'metadata');
  assertNamespace(given, namespace);
  if (stringAt(given, 'resourceVersion'))
    throw internalError('resourceVersion should not be set on objects to be created');
  const generateName = stringAt(given, 'generateName') ?? '';
  const name = stringAt(given, 'name') || (generateName && randomName(generateName, context.random));
  validateMetadata(resource, given, name);
  if (namespace) assertNamespaceTakes(context, resource, namespace, name);
  const metadata: StoredMeta = {
    ...givenMetadata(resource, withoutServerFields(given)),
    name,
    ...(generateName ? { generateName } : {}),
    ...(namespace ? { namespace } : {}),
    uid: randomUid(context.random),
    resourceVersion: '',
    ...(resource.hasGeneration ? { generation: 1 } : {}),
    creationTimestamp: timestamp(context),
  };
  const { metadata: _metadata, status, ...rest } = body;
  const kept = resource.hasStatus && options.keepStatus !== true ? initialStatus(resource) : status;
  return withDefaults(context, resource, {
    ...rest,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata,
    ...(kept === undefined ? {} : { status: kept }),
  });
}

function withoutServerFields({
  uid: _uid,
  resourceVersion: _resourceVersion,
  generation: _generation,
  creationTimestamp: _creationTimestamp,
  deletionTimestamp: _deletionTimestamp,
  deletionGracePeriodSeconds: _deletionGracePeriodSeconds,
  managedFields: _managedFields,
  selfLink: _selfLink,
  namespace: _namespace,
  ...metadata
}: JsonObject): JsonObject {
  return metadata;
}

export function assertNamespace(metadata: JsonObject, namespace: string): void {
  const given = stringAt(metadata, 'namespace') ?? '';
  if (given !== '' && given !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function assertNamespaceTakes(context: ServerContext, resource: ServedResource, namespace: string, name: string): void {
  const found = context.storage.resource('namespaces').get(namespace);
  if (found === undefined) throw notFound({ group: '', kind: 'namespaces', name: namespace });
  if (found.metadata.deletionTimestamp === undefined) return;
  throw forbidden(
    resourceSubject(resource, name),
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
}

/** Ignores the status of the request, which is written through its subresource. */
function initialStatus(resource: ServedResource): JsonObject | undefined {
  if (resource.custom) return undefined;
  if (resource.group !== '') return {};
  if (resource.plural === 'pods') return { phase: 'Pending' };
  return resource.plural === 'namespaces' ? { phase: 'Active' } : {};
}

function withDefaults(context: ServerContext, resource: ServedResource, object: StoredObject): StoredObject {
  if (storageName(resource) === definitionsName) return established(context, resource, object);
  if (resource.group !== '' || resource.plural !== 'namespaces') return object;
  const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name };
  return { ...object, metadata: { ...object.metadata, labels }, spec: { finalizers: ['kubernetes'] } };
}

/** Removes empty fields: null; in built-in kinds, also an empty map or list. */
export function givenMetadata({ custom }: ServedResource, metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => value !== null && (custom || !isEmpty(value))),
  );
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
