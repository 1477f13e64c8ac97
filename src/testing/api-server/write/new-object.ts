import { badRequest, forbidden, internalError, notFound } from '../api-error.js';
import { definitionsName, established } from '../custom-resources/established.js';
import { objectAt, stringAt, type JsonObject } from '../json/json-object.js';
import { apiVersionOf, resourceSubject, storageName, type ServedResource } from '../resources/served-resource.js';
import { timestamp, type ServerContext } from '../server-context.js';
import type { StoredMeta, StoredObject } from '../storage/stored-object.js';
import { givenMetadata } from './given-metadata.js';
import { randomName, randomUid } from './random-identity.js';
import { validateMetadata } from './validate-metadata.js';

/** What the server makes of an object that is to be created: checked, named, and with the fields that are the server's. */
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

/** A status is written through its subresource; a new object begins with none. */
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
