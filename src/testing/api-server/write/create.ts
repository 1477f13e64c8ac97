import { alreadyExists, badRequest, forbidden, internalError, notFound } from '../exchange/api-error.js';
import { type JsonObject, objectField, stringAt, isJsonObject } from '../exchange/json.js';
import { withManagedFields } from '../field-ownership/managers.js';
import {
  storageKey,
  resourceSubject,
  storageName,
  completed,
  type ServedResource,
  servedApiVersion,
} from '../resources/catalog.js';
import { definitionsName, established } from '../schema/custom-resource-definitions.js';
import { validateMetadata } from '../schema/validate-metadata.js';
import { type ServerContext, timestamp } from '../storage/server-context.js';
import type { StoredObject, StoredMeta } from '../storage/stored-object.js';
import { assertMaySetOwners } from './owner-rights.js';
import type { WriteParameters } from './write-options.js';

/** Creates an object. Throws a 409 if the name is taken. */
export function create(
  context: ServerContext,
  resource: ServedResource,
  namespace: string,
  body: JsonObject,
  options: WriteParameters,
): StoredObject {
  const bare = newObject(context, resource, namespace, body);
  const object = withManagedFields(context, resource, undefined, bare, {
    manager: options.fieldManager,
    subresource: '',
  });
  assertMaySetOwners(context.catalog, options.caller, resource, undefined, object);
  const objects = context.storage.resource(storageName(resource));
  const key = storageKey(namespace, object.metadata.name);
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
  options: {
    readonly keepStatus?: boolean | undefined;
    readonly trusted?: boolean | undefined;
    readonly keepsNulls?: boolean | undefined;
  } = {},
): StoredObject {
  const stated = objectField(body, 'metadata');
  assertNamespace(stated, namespace);
  if (stringAt(stated, 'resourceVersion'))
    throw internalError('resourceVersion should not be set on objects to be created');
  const generateName = stringAt(stated, 'generateName') ?? '';
  const name = stringAt(stated, 'name') || (generateName && randomName(generateName, context.random));
  if (resource.rules === undefined || options.trusted === true) validateMetadata(resource, stated, name);
  if (namespace) assertNamespaceTakes(context, resource, namespace, name);
  const metadata: StoredMeta = {
    ...statedMetadata(resource, withoutServerFields(stated)),
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
  const whole = {
    ...rest,
    apiVersion: servedApiVersion(resource),
    kind: resource.kind,
    metadata,
    ...(kept === undefined ? {} : { status: kept }),
  };
  const object = withDefaults(context, resource, completed(resource, whole, options.keepsNulls));
  if (resource.rules !== undefined && options.trusted !== true)
    validateMetadata(resource, stated, name, resource.rules.problems(object, undefined, ''));
  return object;
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
  const statedNamespace = stringAt(metadata, 'namespace') ?? '';
  if (statedNamespace !== '' && statedNamespace !== namespace) {
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
export function statedMetadata({ custom }: ServedResource, metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value]) => value !== null && (custom || !isEmpty(value))),
  );
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Returns a version 4 UUID: equal seeds of `random` create equal uids. */
function randomUid(random: () => number): string {
  const group = (length: number): string =>
    Math.floor(random() * 16 ** length)
      .toString(16)
      .padStart(length, '0');
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${group(8)}-${group(4)}-4${group(3)}-${variant}${group(3)}-${group(12)}`;
}

/** As the real server's: without vowels and characters that look alike. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const maxNameLength = 63;
const suffixLength = 5;

function randomName(prefix: string, random: () => number): string {
  let name = prefix.slice(0, maxNameLength - suffixLength);
  for (let index = 0; index < suffixLength; index += 1) name += alphabet.charAt(Math.floor(random() * alphabet.length));
  return name;
}
