import { setField } from '../../../kubernetes/share-structure.js';
import { isJsonObject, type JsonObject } from '../exchange/json.js';
import type { Schema } from '../resources/catalog.js';
import { fieldSchema } from './check-fields.js';

/**
 * Adds the defaults of a structural schema, and drops fields that the schema lacks. Replaces a null
 * by the default of its field, and drops a null without a default, unless the field is nullable.
 * Returns the same value if nothing changes.
 */
export function complete(schema: Schema | undefined, value: unknown): unknown {
  if (schema === undefined || schema.$ref !== undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return completeList(schema, value);
  return isJsonObject(value) ? completeObject(schema, value) : value;
}

function completeList({ items }: Schema, list: readonly unknown[]): readonly unknown[] {
  if (items === undefined) return list;
  const next = list.map((item) => complete(items, item === null && items.nullable !== true ? defaultOf(items) : item));
  return next.some((item, index) => item !== list[index]) ? next : list;
}

function defaultOf(schema: Schema): unknown {
  return schema.default ?? null;
}

function completeObject(whole: Schema, object: JsonObject): JsonObject {
  const { properties = {}, additionalProperties } = whole;
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  let changed: Record<string, unknown> | undefined;
  for (const [field, value] of Object.entries(object)) {
    const schema = Object.hasOwn(properties, field) ? properties[field] : others;
    if (schema === undefined && fieldSchema(whole, field) === undefined) {
      changed ??= { ...object };
      delete changed[field];
      continue;
    }
    const isDefaulted = value === null && schema !== undefined && schema.nullable !== true;
    const next = complete(schema, isDefaulted ? defaultOf(schema) : value);
    if (next === value && !isDefaulted) continue;
    changed ??= { ...object };
    if (next === null) delete changed[field];
    else setField(changed, field, next);
  }
  for (const [field, schema] of Object.entries(properties)) {
    if (schema.default === undefined || schema.default === null || Object.hasOwn(object, field)) continue;
    setField((changed ??= { ...object }), field, complete(schema, schema.default));
  }
  return changed ?? object;
}
