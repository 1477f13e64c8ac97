import { invalidOptionError } from '../../kubernetes/errors.js';
import { optionalPackage } from '../optional-packages.js';
import { apiError } from './exchange/api-error.js';
import { equalJson, isJsonObject, objectField, stringAt, type JsonObject } from './exchange/json.js';
import { type Catalog, storageKey, storageName, type ServedResource } from './resources/catalog.js';
import { uniqueJson } from './schema/check-fields.js';
import { definitionsName } from './schema/custom-resource-definitions.js';
import { assertRulesKnown } from './schema/object-rules.js';
import type { ServerContext } from './storage/server-context.js';
import type { StoredManagedFields, StoredMeta, StoredObject } from './storage/stored-object.js';
import { newObject } from './write/create.js';

/** Objects or text for `server.apply`. YAML (several documents, lists) needs the package `yaml`. */
export type Appliable = string | object | readonly object[];

/** The options of `server.apply`. */
export interface ApplyObjectsOptions {
  /**
   * Keeps the `creationTimestamp`, `deletionTimestamp` and `managedFields` that objects state (an
   * existing object keeps its own `creationTimestamp`). Default false: a new object has the current
   * time, no managers, and no `deletionTimestamp`.
   */
  readonly keepMetadata?: boolean | undefined;
  /**
   * For the rules in `x-kubernetes-validations` of applied definitions: a function for the text of
   * each rule. Message, reason and path of a refusal are those of the rule. `{}`: the rules are not
   * evaluated, and this is not reported. Default: the functions from before; at first none.
   */
  readonly validations?: Readonly<Record<string, (self: never, oldSelf: never) => boolean>> | undefined;
}

/** Creates or replaces objects, including their status, and creates missing namespaces. */
export function applyObjects(
  context: ServerContext,
  input: Appliable,
  options: ApplyObjectsOptions = {},
): readonly StoredObject[] {
  return manifestObjects(input, 'server.apply').map((document) => applyObject(context, document, options));
}

/**
 * Returns the objects of a manifest, also those in lists.
 *
 * @param what the function that takes the manifest, for errors
 */
export function manifestObjects(manifest: Appliable, what: string): readonly JsonObject[] {
  return documentsOf(manifest, what).flatMap((document) => expandList(document, what));
}

function documentsOf(input: Appliable, what: string): readonly unknown[] {
  if (typeof input !== 'string') return Array.isArray(input) ? (input as readonly unknown[]) : [input];
  const json = uniqueJson(input);
  if (json !== undefined) return [json];
  return optionalPackage('yaml', `${what} with YAML`)
    .parseAllDocuments(input)
    .map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS() as unknown;
    })
    .filter((document) => document !== null);
}

function expandList(document: unknown, what: string): readonly JsonObject[] {
  if (!isJsonObject(document))
    throw invalidOptionError(`an argument of ${what}`, document, 'an object with apiVersion, kind and metadata.name');
  const { kind, items } = document;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [document];
  return (items as readonly unknown[]).flatMap((item) => expandList(item, what));
}

function applyObject(
  context: ServerContext,
  document: JsonObject,
  { keepMetadata, validations }: ApplyObjectsOptions,
): StoredObject {
  const resource = resourceOf(context.catalog, document);
  const metadata = objectField(document, 'metadata');
  if (validations !== undefined && storageName(resource) === definitionsName) {
    assertRulesKnown(document, validations);
    context.ruleFunctions.set(stringAt(metadata, 'name') ?? '', validations);
  }
  const namespace = resource.namespaced ? (stringAt(metadata, 'namespace') ?? 'default') : '';
  if (namespace) makeNamespace(context, namespace);
  const { resourceVersion: _resourceVersion, ...rest } = metadata;
  const owned = withOwners(context, namespace, rest);
  const made = newObject(
    context,
    resource,
    namespace,
    { ...document, metadata: owned },
    { keepStatus: document['status'] !== undefined, trusted: true },
  );
  const fresh = keepMetadata === true ? { ...made, metadata: { ...made.metadata, ...statedMetadata(metadata) } } : made;
  const objects = context.storage.resource(storageName(resource));
  const key = storageKey(namespace, fresh.metadata.name);
  const current = objects.get(key);
  if (current === undefined) return objects.put(key, fresh);
  const next = replacing(resource, current, fresh);
  return equalJson(current, next) ? current : objects.put(key, next);
}

/** Sets the uids of owners in this server, of which a test knows only the names. */
function withOwners(context: ServerContext, namespace: string, metadata: JsonObject): JsonObject {
  const references = metadata['ownerReferences'];
  if (!Array.isArray(references)) return metadata;
  const ownerReferences = (references as readonly JsonObject[]).map((reference) => {
    const resource = context.catalog.findKind(
      stringAt(reference, 'apiVersion') ?? '',
      stringAt(reference, 'kind') ?? '',
    );
    if (resource === undefined) return reference;
    const key = storageKey(resource.namespaced ? namespace : '', stringAt(reference, 'name') ?? '');
    const owner = context.storage.resource(storageName(resource)).get(key);
    return owner === undefined ? reference : { ...reference, uid: owner.metadata.uid };
  });
  return { ...metadata, ownerReferences };
}

function resourceOf(catalog: Catalog, document: JsonObject): ServedResource {
  const apiVersion = stringAt(document, 'apiVersion') ?? '';
  const kind = stringAt(document, 'kind') ?? '';
  const resource = catalog.findKind(apiVersion, kind);
  if (resource !== undefined) return resource;
  throw apiError(404, 'NotFound', `no matches for kind "${kind}" in version "${apiVersion}"`);
}

function makeNamespace(context: ServerContext, name: string): void {
  const namespaces = context.storage.resource('namespaces');
  const resource = context.catalog.find('', 'v1', 'namespaces');
  if (resource === undefined || namespaces.get(name) !== undefined) return;
  namespaces.put(name, newObject(context, resource, '', { metadata: { name } }));
}

/** Returns the metadata that a server usually sets, if the object states it. */
function statedMetadata({ creationTimestamp, deletionTimestamp, managedFields }: JsonObject): Partial<StoredMeta> {
  return {
    ...(typeof creationTimestamp === 'string' ? { creationTimestamp } : {}),
    ...(typeof deletionTimestamp === 'string' ? { deletionTimestamp } : {}),
    ...(Array.isArray(managedFields) ? { managedFields: managedFields as readonly StoredManagedFields[] } : {}),
  };
}

/** Returns the new content with the identity of the existing object. */
function replacing(resource: ServedResource, current: StoredObject, fresh: StoredObject): StoredObject {
  const { uid, resourceVersion, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } =
    current.metadata;
  const changed = resource.hasGeneration && !equalJson(wanted(current), wanted(fresh));
  const metadata: StoredMeta = {
    ...fresh.metadata,
    uid,
    resourceVersion,
    creationTimestamp,
    ...(generation === undefined ? {} : { generation: changed ? generation + 1 : generation }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp, deletionGracePeriodSeconds }),
  };
  return { ...fresh, metadata };
}

function wanted({ metadata: _metadata, status: _status, ...rest }: StoredObject): JsonObject {
  return rest;
}
