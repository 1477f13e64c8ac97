import { isJsonObject, type JsonObject } from '../json.js';
import { objectFields, resolve, typeOfRef } from './schema.js';
import type { Schema } from '../resources/catalog.js';

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

/** An object or list on the way; paths are put together only where something is wrong. */
interface Place {
  readonly parent: Place | undefined;
  /** `.spec`, or `[0]` in a list; `''` at the root. */
  readonly segment: string;
  /** Go's decoder leaves out the items of lists and the entries of maps. */
  readonly isField: boolean;
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

  const walk = (given: Schema, value: unknown, parent: Place, segment: () => string, isField: boolean): unknown => {
    if (value === null) return value;
    const expected = resolve(given);
    if (isOpen(expected)) return value;
    if (!fits(expected, value)) {
      const place = { parent, segment: segment(), isField, struct: '' };
      mismatches.push({ path: pathTo(place), value, goField: `${parent.struct}.${goPathTo(place)}`, schema: given });
      return value;
    }
    if (typeof value !== 'object') return value;
    const inside = given.$ref === undefined ? parent.struct : (typeOfRef(given.$ref).split('.').at(-1) ?? '');
    const place = { parent, segment: segment(), isField, struct: inside };
    return Array.isArray(value) ? walkList(expected, value, place) : walkObject(expected, value as JsonObject, place);
  };

  const walkList = (list: Schema, value: readonly unknown[], place: Place): unknown => {
    const { items } = list;
    if (items === undefined) return value;
    const next = value.map((item, index) => walk(items, item, place, () => itemName(list, item, index), false));
    return next.some((item, index) => item !== value[index]) ? next : value;
  };

  const walkObject = (expected: Schema, value: JsonObject, place: Place): JsonObject => {
    /** Fields that do not stay as they are; undefined for those that go. */
    let changes: Map<string, unknown> | undefined;
    for (const field of Object.keys(value)) {
      const segment = (): string => `.${field}`;
      const schemaOfField = fieldSchema(expected, field);
      if (schemaOfField === undefined) {
        unknown.push(pathTo({ parent: place, segment: segment(), isField: true, struct: '' }));
        (changes ??= new Map()).set(field, undefined);
        continue;
      }
      const isField = expected.properties !== undefined && Object.hasOwn(expected.properties, field);
      const walked = walk(schemaOfField, value[field], place, segment, isField);
      if (walked !== value[field]) (changes ??= new Map()).set(field, walked);
    }
    return changes === undefined ? value : withChanges(value, changes);
  };

  const root: Place = { parent: undefined, segment: '', isField: false, struct };
  return { object: walkObject(schema, object, root), unknown, mismatches };
}

function pathTo({ parent, segment }: Place): string {
  let path = segment;
  for (let place = parent; place !== undefined; place = place.parent) path = place.segment + path;
  return path.replace(/^\./, '');
}

function goPathTo(place: Place): string {
  const segments: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    if (at.isField) segments.unshift(at.segment);
  return segments.join('').replace(/^\./, '');
}

function withChanges(object: JsonObject, changes: ReadonlyMap<string, unknown>): JsonObject {
  const next: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(object)) {
    const changed = changes.has(field) ? changes.get(field) : value;
    if (changed !== undefined) setField(next, field, changed);
  }
  return next;
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

/**
 * Returns true if a schema has no rules. The values that it describes are not checked, however deep
 * they are.
 */
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

/** The properties of a field of a JSON text, besides its value. */
export interface FieldProblemInText {
  readonly path: string;
  readonly problem: 'unknown' | 'duplicate';
}

interface Level {
  readonly path: string;
  /** The fields so far; undefined in a list. */
  readonly fields: Set<string> | undefined;
  index: number;
  /** The field that is being read. */
  field: string;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/**
 * Finds fields that a JSON text has twice, which `JSON.parse` overlooks, and puts them in order with those that are unknown.
 *
 * @param text valid JSON
 * @param unknown the paths of fields that the schema does not have
 */
export function fieldProblems(text: string, unknown: ReadonlySet<string>): readonly FieldProblemInText[] {
  const problems: FieldProblemInText[] = [];
  const levels: Level[] = [];
  /** The depth of the unknown field that is being skipped: what it holds does not matter. */
  let skipped = Infinity;
  let key: string | undefined;
  for (const [token] of text.matchAll(tokens)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      levels.push({ path: pathIn(level), fields: token === '{' ? new Set() : undefined, index: 0, field: '' });
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ',') {
      if (level !== undefined) level.index += 1;
      if (levels.length <= skipped) skipped = Infinity;
    } else if (token !== ':') {
      key = token;
    } else if (level?.fields !== undefined && key !== undefined) {
      level.field = JSON.parse(key) as string;
      if (levels.length > skipped) continue;
      skipped = Infinity;
      const path = unknown.size === 0 ? '' : pathIn(level);
      if (unknown.has(path)) {
        skipped = levels.length;
        if (!level.fields.has(level.field)) problems.push({ path, problem: 'unknown' });
      } else if (level.fields.has(level.field)) {
        problems.push({ path: pathIn(level), problem: 'duplicate' });
      }
      level.fields.add(level.field);
    }
  }
  return problems;
}

function pathIn(level: Level | undefined): string {
  if (level === undefined) return '';
  if (level.fields === undefined) return `${level.path}[${level.index}]`;
  return level.path === '' ? level.field : `${level.path}.${level.field}`;
}

/** Returns the value of JSON text in which no object has a key twice; otherwise undefined, and a YAML parser has to say what it is. */
export function uniqueJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return fieldProblems(text, new Set()).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
