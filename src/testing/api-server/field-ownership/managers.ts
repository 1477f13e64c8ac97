import { equalJson, type JsonObject } from '../exchange/json.js';
import { servedApiVersion, type ServedResource } from '../resources/catalog.js';
import { timestamp, type ServerContext } from '../storage/server-context.js';
import type { StoredObject, StoredManagedFields } from '../storage/stored-object.js';
import { decodeFields, encodeFields, type FieldSet } from './field-path.js';
import { fieldValues } from './owned-fields.js';

/** A field manager, and the fields that it owns. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly fields: FieldSet;
}

export function decodeManagers(entries: readonly StoredManagedFields[] = []): readonly FieldManager[] {
  return entries.map(({ manager, operation, apiVersion, subresource = '', time = '', fieldsV1 }) => ({
    name: manager,
    operation,
    apiVersion,
    subresource,
    time,
    fields: decodeFields(fieldsV1),
  }));
}

/** Encodes managers with fields in the order of the real server: appliers, time, name. */
export function encodeManagers(managers: readonly FieldManager[]): readonly StoredManagedFields[] {
  return managers
    .filter(({ fields }) => fields.size > 0)
    .sort(
      (a, b) =>
        compare(a.operation, b.operation) ||
        compare(a.time, b.time) ||
        compare(a.name, b.name) ||
        compare(a.subresource, b.subresource),
    )
    .map(({ name, operation, apiVersion, subresource, time, fields }) => ({
      manager: name,
      operation,
      apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFields(fields),
      ...(subresource === '' ? {} : { subresource }),
    }));
}

export function isSameManager(
  a: FieldManager,
  b: Pick<FieldManager, 'name' | 'operation' | 'apiVersion' | 'subresource'>,
): boolean {
  return (
    a.name === b.name && a.operation === b.operation && a.apiVersion === b.apiVersion && a.subresource === b.subresource
  );
}

export function isSameSet(a: FieldSet, b: FieldSet): boolean {
  return a.size === b.size && [...a].every((field) => b.has(field));
}

export function withoutFields(fields: FieldSet, gone: (field: string) => boolean): FieldSet {
  return new Set([...fields].filter((field) => !gone(field)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the managers after a write that is not an apply. The writer becomes the only owner of the
 * fields that it changed. Removed fields lose their owners.
 */
function ownChanges(
  managers: readonly FieldManager[],
  previous: JsonObject,
  next: JsonObject,
  writer: Omit<FieldManager, 'fields' | 'operation'>,
  custom: boolean,
): readonly FieldManager[] {
  const before = fieldValues(previous, { custom, containers: true });
  const after = fieldValues(next, { custom, containers: true });
  const changed = new Set([...after].filter(([field, value]) => before.get(field) !== value).map(([field]) => field));
  const isGone = (field: string): boolean => before.has(field) && !after.has(field);
  if (changed.size === 0 && ![...before.keys()].some(isGone)) return managers;
  const own = { ...writer, operation: 'Update' as const };
  const known = managers.find((manager) => isSameManager(manager, own));
  const kept = withoutFields(known?.fields ?? new Set(), isGone);
  const others = managers
    .filter((manager) => manager !== known)
    .map((manager) => ({
      ...manager,
      fields: withoutFields(manager.fields, (field) => changed.has(field) || isGone(field)),
    }));
  const fields = new Set([...kept, ...changed]);
  const unchanged = changed.size === 0 && fields.size === known?.fields.size;
  return [...others, { ...own, time: unchanged ? known.time : own.time, fields }];
}

/** The manager of a write, and its subresource. */
export interface Writer {
  readonly manager: string;
  /** The subresource; `''` means the object itself. */
  readonly subresource: string;
}

/** Returns the object with its `managedFields` after a write. */
export function withManagedFields(
  context: ServerContext,
  resource: ServedResource,
  previous: StoredObject | undefined,
  object: StoredObject,
  { manager, subresource }: Writer,
): StoredObject {
  const managers = decodeManagers(previous?.metadata.managedFields);
  const writer = { name: manager, apiVersion: servedApiVersion(resource), subresource, time: timestamp(context) };
  const next = ownChanges(managers, previous ?? {}, object, writer, resource.custom);
  if (next === managers) return object;
  const managedFields = encodeManagers(next);
  const { managedFields: known, ...metadata } = object.metadata;
  if (managedFields.length === 0) return { ...object, metadata };
  return {
    ...object,
    metadata: { ...metadata, managedFields: equalJson(known, managedFields) ? known : managedFields },
  };
}
