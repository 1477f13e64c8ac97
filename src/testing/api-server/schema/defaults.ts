import { setField } from '../../../kubernetes/share-structure.js';
import { isJsonObject, type JsonObject } from '../exchange/json.js';
import type { Schema } from '../resources/catalog.js';
import { fieldSchema } from './check-fields.js';
import { schemaAt } from './validate-value.js';

/**
 * Adds the defaults of a structural schema, and drops fields that the schema lacks. Replaces a null
 * by the default of its field, and drops a null without a default, unless the field is nullable.
 * Returns the same value if nothing changes.
 *
 * @param keepsNulls if true, a null without a default stays
 * @param defaults the defaults in the schema
 */
export function complete(schema: Schema | undefined, value: unknown, keepsNulls: boolean, defaults: Defaults): unknown {
  if (schema === undefined || schema.$ref !== undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return completeList(schema, value, keepsNulls, defaults);
  return isJsonObject(value) ? completeObject(schema, value, keepsNulls, defaults) : value;
}

/** The fields with a default, by the schema of their object. */
export type Defaults = ReadonlyMap<Schema, readonly (readonly [field: string, schema: Schema])[]>;

/** @param schemas a schema and all schemas inside of it */
export function defaultsIn(schemas: readonly Schema[]): Defaults {
  const fieldsOf = ({ properties = {} }: Schema) =>
    Object.entries(properties).filter(([, { default: value }]) => value !== undefined && value !== null);
  return new Map(
    schemas.map((schema) => [schema, fieldsOf(schema)] as const).filter(([, fields]) => fields.length > 0),
  );
}

function completeList(
  { items }: Schema,
  list: readonly unknown[],
  keepsNulls: boolean,
  defaults: Defaults,
): readonly unknown[] {
  if (items === undefined) return list;
  const next = list.map((item) =>
    complete(items, item === null && items.nullable !== true ? defaultOf(items) : item, keepsNulls, defaults),
  );
  return next.some((item, index) => item !== list[index]) ? next : list;
}

function defaultOf(schema: Schema): unknown {
  return schema.default ?? null;
}

function completeObject(whole: Schema, object: JsonObject, keepsNulls: boolean, defaults: Defaults): JsonObject {
  let changed: Record<string, unknown> | undefined;
  for (const field of Object.keys(object)) {
    const value = object[field];
    const schema = schemaAt(whole, field);
    if (schema === undefined && fieldSchema(whole, field) === undefined) {
      changed ??= { ...object };
      delete changed[field];
      continue;
    }
    const isDefaulted = value === null && schema !== undefined && schema.nullable !== true;
    const next = complete(schema, isDefaulted ? defaultOf(schema) : value, keepsNulls, defaults);
    if (next === value && (!isDefaulted || keepsNulls)) continue;
    changed ??= { ...object };
    if (next === null) delete changed[field];
    else setField(changed, field, next);
  }
  for (const [field, schema] of defaults.get(whole) ?? []) {
    if (Object.hasOwn(object, field)) continue;
    setField((changed ??= { ...object }), field, complete(schema, schema.default, keepsNulls, defaults));
  }
  return changed ?? object;
}
