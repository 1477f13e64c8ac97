import { isAllowed } from '../exchange/access-control.js';
import { alreadyExists, badRequest, forbidden, invalid, modifiedMeanwhile } from '../exchange/api-error.js';
import type { ApiRequest } from '../exchange/exchange.js';
import { isJsonObject, objectField, stringAt, type JsonObject } from '../exchange/json.js';
import { applyConflict, type FieldConflict } from '../field-ownership/apply-conflict.js';
import { pathKey, type OwnedFieldPath } from '../field-ownership/field-path.js';
import {
  decodeManagers,
  encodeManagers,
  isSameManager,
  isSameSet,
  withoutFields,
  type FieldManager,
} from '../field-ownership/managers.js';
import { mergeApplied, pruneFields, fieldValues } from '../field-ownership/owned-fields.js';
import { completed, servedApiVersion, storageKey, resourceSubject, storageName } from '../resources/catalog.js';
import { assertApplicable, yamlProblem, type FieldValidation } from '../schema/field-validation.js';
import { timestamp, type ServerContext } from '../storage/server-context.js';
import type { StoredObject } from '../storage/stored-object.js';
import { withoutResourceVersion, newObject } from './create.js';
import { decodeYaml } from './decode-body.js';
import { assertMaySetOwners } from './owner-rights.js';
import { commitUpdate, type ObjectAddress, type Written } from './update.js';
import type { WriteParameters } from './write-options.js';

/** The object after the apply, and whether it is new. */
export interface Applied extends Written {
  readonly created: boolean;
}

/**
 * Applies a configuration (server-side apply). The manager's fields get the values of the body.
 * Changing fields of other managers is a conflict, unless the request has `force`.
 */
export function serverSideApply(
  context: ServerContext,
  address: ObjectAddress,
  request: ApiRequest,
  options: WriteParameters,
): Applied {
  const manager = request.query.get('fieldManager') ?? '';
  if (manager === '') {
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, [
      { reason: 'FieldValueRequired', field: 'fieldManager', message: 'Required value: is required for apply patch' },
    ]);
  }
  const { resource, namespace, name, subresource } = address;
  const { configuration, warnings } = decodeConfiguration(request.body, address, options.fieldValidation);
  const objects = context.storage.resource(storageName(resource));
  const stored = objects.get(storageKey(namespace, name));
  const live = stored && completed(resource, stored);
  const applier: Omit<FieldManager, 'fields'> = {
    name: manager,
    operation: 'Apply',
    apiVersion: servedApiVersion(resource),
    subresource,
    time: timestamp(context),
  };
  const all = new Set(fieldValues(configuration, { custom: resource.custom, containers: false }).keys());
  // An applier cannot own fields that it cannot write at this address.
  const applied = resource.hasStatus
    ? withoutFields(all, (field) => isStatus(field) !== (subresource === 'status'))
    : all;
  if (live === undefined) {
    const metadata = objectField(configuration, 'metadata');
    if (stringAt(metadata, 'resourceVersion')) throw modifiedMeanwhile(resourceSubject(resource, name));
    if (subresource !== '') throw alreadyExists(resourceSubject(resource, name));
    const creation = { verb: 'create', group: resource.group, resource: resource.plural, subresource, namespace, name };
    // The message of the real server has no reason.
    if (!isAllowed(options.caller, creation)) throw forbidden(resourceSubject(resource, name), '');
    const fresh = newObject(context, resource, namespace, configuration, { keepsNulls: true });
    const object = {
      ...fresh,
      metadata: { ...fresh.metadata, managedFields: encodeManagers([{ ...applier, fields: applied }]) },
    };
    assertMaySetOwners(context.catalog, options.caller, resource, undefined, object);
    const created = options.dryRun ? withoutResourceVersion(object) : objects.put(storageKey(namespace, name), object);
    return { object: created, warnings, created: true };
  }
  const { desired, managers } = merge(
    live,
    configuration,
    { ...applier, fields: applied },
    options.force,
    resource.custom,
  );
  const object = commitUpdate(context, resource, storageKey(namespace, name), live, desired, {
    caller: options.caller,
    manager,
    subresource,
    dryRun: options.dryRun,
    method: 'PATCH',
    managedFields: encodeManagers(managers),
  });
  return { object, warnings, created: false };
}

function isStatus(field: string): boolean {
  return field === 'f:status' || field.startsWith(pathKey(['f:status', '']));
}

function merge(
  live: StoredObject,
  configuration: JsonObject,
  applier: FieldManager,
  force: boolean,
  custom: boolean,
): { readonly desired: JsonObject; readonly managers: readonly FieldManager[] } {
  const known = decodeManagers(live.metadata.managedFields);
  const last = known.find((manager) => isSameManager(manager, applier));
  const others = known.filter((manager) => manager !== last);
  const merged = mergeApplied(live, configuration) as JsonObject;

  const before = fieldValues(live, { custom, containers: false });
  const after = fieldValues(merged, { custom, containers: false });
  const changes = (field: string): boolean => applier.fields.has(field) && before.get(field) !== after.get(field);
  const conflicts: readonly FieldConflict[] = others.flatMap((manager) =>
    [...manager.fields].filter(changes).map((field) => ({ manager, field })),
  );
  if (conflicts.length > 0 && !force) throw applyConflict(conflicts);

  const remaining = others.map((manager) => ({ ...manager, fields: withoutFields(manager.fields, changes) }));
  const isOthers = (field: string): boolean => remaining.some(({ fields }) => fields.has(field));
  const gone = withoutFields(last?.fields ?? new Set(), (field) => applier.fields.has(field) || isOthers(field));
  const owned = [applier, ...remaining].flatMap(({ fields }) => [...fields]);
  // An item of a list stays as long as a manager owns something in it.
  const isOwned = (path: OwnedFieldPath): boolean => owned.some((field) => field.startsWith(pathKey(path)));
  const desired = gone.size === 0 ? merged : (pruneFields(merged, gone, isOwned) as JsonObject);
  const unchanged = last !== undefined && isSameSet(last.fields, applier.fields) && conflicts.length === 0;
  return { desired, managers: [...remaining, unchanged ? last : applier] };
}

function decodeConfiguration(
  body: string,
  { resource, name, namespace }: ObjectAddress,
  validation: FieldValidation,
): { readonly configuration: JsonObject; readonly warnings: readonly string[] } {
  const { value, duplicates } = decodeYaml(body);
  if (validation === 'Strict' && duplicates.length > 0)
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${yamlProblem(duplicates)}`);
  const object = isJsonObject(value) ? value : {};
  const [apiVersion, kind] = [stringAt(object, 'apiVersion') ?? '', stringAt(object, 'kind') ?? ''];
  if (apiVersion !== servedApiVersion(resource) || kind !== resource.kind) {
    throw badRequest(`invalid object type: ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
  }
  const metadata = objectField(object, 'metadata');
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  const statedName = stringAt(metadata, 'name') ?? name;
  if (statedName !== name)
    throw badRequest(`the name of the object (${statedName}) does not match the name on the URL (${name})`);
  assertApplicable(resource, object);
  const configuration = { ...object, metadata: { ...metadata, name, ...(namespace ? { namespace } : {}) } };
  return { configuration, warnings: validation === 'Ignore' ? [] : duplicates };
}
