import { isJsonObject, type JsonObject } from '../json/json-object.js';
import { objectFields, resolve, typeOfRef, type Schema } from './schema.js';

/** An object compared with its schema. */
export interface CheckedFields {
  /** The object without the fields that its schema does not have; the same object if there are none. */
  readonly object: JsonObject;
  /** The paths of the fields that were left out, in the order of the object. */
  readonly unknown: readonly string[];
  /** The values of a wrong type, likewise. */
  readonly mismatches: readonly Mismatch[];
}

export interface Mismatch {
  readonly path: string;
  readonly value: unknown;
  /** The struct and path as Go's JSON decoder names them: `Container.spec.containers.image`. */
  readonly goField: string;
  readonly schema: Schema;
}

/** Where the walk is. */
interface Place {
  readonly path: string;
  readonly goPath: string;
  readonly struct: string;
}

/** Names an item of a list in a path. */
export type ItemName = (list: Schema, item: unknown, index: number) => string;

const byIndex: ItemName = (_list, _item, index) => `[${index}]`;

/**
 * Compares an object with its schema: leaves out unknown fields, and finds values of a wrong type.
 *
 * @param struct the kind of the object
 * @param itemName how paths name the items of lists; default: by index
 */
export function checkFields(
  schema: Schema,
  object: JsonObject,
  struct: string,
  itemName: ItemName = byIndex,
): CheckedFields {
  const unknown: string[] = [];
  const mismatches: Mismatch[] = [];

  const walk = (given: Schema, value: unknown, place: Place): unknown => {
    if (value === null) return value;
    const expected = resolve(given);
    if (isOpen(expected)) return value;
    if (!fits(expected, value)) {
      mismatches.push({ path: place.path, value, goField: `${place.struct}.${place.goPath}`, schema: given });
      return value;
    }
    const inside = given.$ref === undefined ? place.struct : (typeOfRef(given.$ref).split('.').at(-1) ?? '');
    if (Array.isArray(value)) return walkList(expected, value, { ...place, struct: inside });
    return isJsonObject(value) ? walkObject(expected, value, { ...place, struct: inside }) : value;
  };

  const walkList = (list: Schema, value: readonly unknown[], place: Place): unknown => {
    const { items } = list;
    if (items === undefined) return value;
    const next = value.map((item, index) =>
      walk(items, item, { ...place, path: place.path + itemName(list, item, index) }),
    );
    return next.some((item, index) => item !== value[index]) ? next : value;
  };

  const walkObject = (expected: Schema, value: JsonObject, place: Place): JsonObject => {
    const next: Record<string, unknown> = {};
    let changed = false;
    for (const [field, child] of Object.entries(value)) {
      const path = place.path === '' ? field : `${place.path}.${field}`;
      const schemaOfField = fieldSchema(expected, field);
      if (schemaOfField === undefined) {
        unknown.push(path);
        changed = true;
        continue;
      }
      // Go's decoder names the entries of a map by the map.
      const isEntry = expected.properties?.[field] === undefined;
      const goPath = isEntry ? place.goPath : place.goPath === '' ? field : `${place.goPath}.${field}`;
      const walked = walk(schemaOfField, child, { ...place, path, goPath });
      changed ||= walked !== child;
      setField(next, field, walked);
    }
    return changed ? next : value;
  };

  const checked = walkObject(schema, object, { path: '', goPath: '', struct });
  return { object: checked, unknown, mismatches };
}

/** A field may be named `__proto__`. */
function setField(object: Record<string, unknown>, field: string, value: unknown): void {
  if (field !== '__proto__') object[field] = value;
  else Object.defineProperty(object, field, { value, enumerable: true, configurable: true, writable: true });
}

/** The schema of a field; undefined if objects of this schema have no such field. */
function fieldSchema(schema: Schema, field: string): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, field)) return properties[field];
  if (schema['x-kubernetes-embedded-resource'] === true && Object.hasOwn(objectFields, field))
    return objectFields[field];
  if (typeof additionalProperties === 'object') return additionalProperties;
  const open = additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return open || (schema.type === undefined && properties === undefined) ? {} : undefined;
}

/** Whether a schema says nothing: what it describes is not looked into, however deep it is. */
function isOpen({ type, properties, additionalProperties, items }: Schema): boolean {
  return type === undefined && (properties ?? additionalProperties ?? items) === undefined;
}

function fits({ type, format }: Schema, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
      // Times read their own text.
      return typeof value === 'string' || format === 'date-time';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    default:
      return true;
  }
}
