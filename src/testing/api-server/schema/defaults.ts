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
 */
export function complete(schema: Schema | undefined, value: unknown, keepsNulls: boolean): unknown {
  if (schema === undefined || schema.$ref !== undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return completeList(schema, value, keepsNulls);
  return isJsonObject(value) ? completeObject(schema, value, keepsNulls) : value;
}

function completeList({ items }: Schema, list: readonly unknown[], keepsNulls: boolean): readonly unknown[] {
  if (items === undefined) return list;
  const next = list.map((item) =>
    complete(items, item === null && items.nullable !== true ? defaultOf(items) : item, keepsNulls),
  );
  return next.some((item, index) => item !== list[index]) ? next : list;
}

function defaultOf(schema: Schema): unknown {
  return schema.default ?? null;
}

function completeObject(whole: Schema, object: JsonObject, keepsNulls: boolean): JsonObject {
  let changed: Record<string, unknown> | undefined;
  for (const [field, value] of Object.entries(object)) {
    const schema = schemaAt(whole, field);
    if (schema === undefined && fieldSchema(whole, field) === undefined) {
      changed ??= { ...object };
      delete changed[field];
      continue;
    }
    const isDefaulted = value === null && schema !== undefined && schema.nullable !== true;
    const next = complete(schema, isDefaulted ? defaultOf(schema) : value, keepsNulls);
    if (next === value && (!isDefaulted || keepsNulls)) continue;
    changed ??= { ...object };
    if (next === null) delete changed[field];
    else setField(changed, field, next);
  }
  for (const [field, schema] of Object.entries(whole.properties ?? {})) {
    if (schema.default === undefined || schema.default === null || Object.hasOwn(object, field)) continue;
    setField((changed ??= { ...object }), field, complete(schema, schema.default, keepsNulls));
  }
  return changed ?? object;
}
