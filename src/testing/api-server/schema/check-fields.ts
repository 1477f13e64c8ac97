import { setField } from '../../../kubernetes/share-structure.js';
import { isJsonObject, type JsonObject } from '../exchange/json.js';
import type { Schema } from '../resources/catalog.js';
import { objectFields, resolve, typeOfRef } from './schema.js';

/** The result of comparing an object with its schema. */
export interface CheckedFields {
  /** The object without its unknown fields; the same object if all fields are known. */
  readonly object: JsonObject;
  /** The paths of the fields that were left out, in the order of the object. */
  readonly unknown: readonly string[];
  /** The values of a wrong type, in the order of the object. */
  readonly mismatches: readonly Mismatch[];
}

export interface Mismatch {
  readonly path: string;
  readonly value: unknown;
  /** The struct and path as Go's JSON decoder names them: `Container.spec.containers.image`. */
  readonly goField: string;
  readonly schema: Schema;
}

/** A position during the traversal. It is turned into a path only if there is a problem. */
interface Place {
  readonly parent: Place | undefined;
  /** Returns the last part of the path: `.spec`, or `[0]` in a list; `''` at the root. */
  readonly segment: () => string;
  /** False for items of lists and entries of maps, which Go's decoder leaves out of paths. */
  readonly isField: boolean;
  /** The Go struct that has the field. For a value that is walked through: its own struct. */
  readonly struct: string;
}

/** Returns the name of a list item in a path. */
export type ItemName = (list: Schema, item: unknown, index: number) => string;

const byIndex: ItemName = (_list, _item, index) => `[${index}]`;

/**
 * Leaves out fields that the schema lacks, and finds values of a wrong type. `struct`: the kind;
 * `itemName`: names of list items in paths, by default their indexes.
 */
export function checkFields(
  schema: Schema,
  object: JsonObject,
  struct: string,
  itemName: ItemName = byIndex,
): CheckedFields {
  if (fitsWhole(schema, object)) return { object, unknown: [], mismatches: [] };
  const unknown: string[] = [];
  const mismatches: Mismatch[] = [];

  const walk = (unresolved: Schema, value: unknown, place: Place): unknown => {
    if (value === null) return value;
    const expected = resolve(unresolved);
    if (isOpen(expected)) return value;
    if (!fits(expected, value)) {
      mismatches.push({
        path: pathTo(place),
        value,
        goField: `${place.struct}.${goPathTo(place)}`,
        schema: unresolved,
      });
      return value;
    }
    if (typeof value !== 'object') return value;
    const inside =
      unresolved.$ref === undefined ? place : { ...place, struct: typeOfRef(unresolved.$ref).split('.').at(-1) ?? '' };
    return Array.isArray(value) ? walkList(expected, value, inside) : walkObject(expected, value as JsonObject, inside);
  };

  const walkList = (list: Schema, value: readonly unknown[], place: Place): unknown => {
    const { items } = list;
    if (items === undefined) return value;
    const next = value.map((item, index) =>
      walk(
        items,
        item,
        placeIn(place, () => itemName(list, item, index), false),
      ),
    );
    return next.some((item, index) => item !== value[index]) ? next : value;
  };

  const walkObject = (expected: Schema, value: JsonObject, place: Place): JsonObject => {
    /** The new values of changed fields; `undefined` for fields to remove. */
    let changes: Map<string, unknown> | undefined;
    for (const field of Object.keys(value)) {
      const isField = expected.properties !== undefined && Object.hasOwn(expected.properties, field);
      const inside = placeIn(place, () => `.${field}`, isField);
      const schemaOfField = fieldSchema(expected, field);
      if (schemaOfField === undefined) {
        unknown.push(pathTo(inside));
        (changes ??= new Map()).set(field, undefined);
        continue;
      }
      const walked = walk(schemaOfField, value[field], inside);
      if (walked !== value[field]) (changes ??= new Map()).set(field, walked);
    }
    return changes === undefined ? value : withChanges(value, changes);
  };

  const root: Place = { parent: undefined, segment: () => '', isField: false, struct };
  return { object: walkObject(schema, object, root), unknown, mismatches };
}

/** True if there is nothing to report. Takes less time than the walk, which knows all paths. */
function fitsWhole(unresolved: Schema, value: unknown): boolean {
  if (value === null) return true;
  const expected = resolve(unresolved);
  if (isOpen(expected)) return true;
  if (!fits(expected, value)) return false;
  if (Array.isArray(value)) {
    const { items } = expected;
    return items === undefined || value.every((item) => fitsWhole(items, item));
  }
  if (!isJsonObject(value)) return true;
  for (const field of Object.keys(value)) {
    const inside = fieldSchema(expected, field);
    if (inside === undefined || !fitsWhole(inside, value[field])) return false;
  }
  return true;
}

function placeIn(parent: Place, segment: () => string, isField: boolean): Place {
  return { parent, segment, isField, struct: parent.struct };
}

function pathTo({ parent, segment }: Place): string {
  let path = segment();
  for (let place = parent; place !== undefined; place = place.parent) path = place.segment() + path;
  return path.replace(/^\./, '');
}

function goPathTo(place: Place): string {
  const segments: string[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    if (at.isField) segments.unshift(at.segment());
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

/** Returns the schema of a field; `undefined` if objects of this schema have no such field. */
export function fieldSchema(schema: Schema, field: string): Schema | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, field)) return properties[field];
  if (schema['x-kubernetes-embedded-resource'] === true && Object.hasOwn(objectFields, field))
    return objectFields[field];
  if (typeof additionalProperties === 'object') return additionalProperties;
  const open = additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return open || (schema.type === undefined && properties === undefined) ? {} : undefined;
}

/** True without rules: then neither values nor what is inside of them are checked. */
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
      // Every value passes for a time, because Go does not decode times like other strings.
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

/** A problem of one field of a JSON text. */
export interface FieldProblemInText {
  readonly path: string;
  readonly problem: 'unknown' | 'duplicate';
}

interface Level {
  readonly path: string;
  /** The fields read so far; `undefined` in a list. */
  readonly fields: Set<string> | undefined;
  index: number;
  /** The field that is being read. */
  field: string;
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/** Returns the duplicate fields of valid JSON, and the `unknown` paths, in text order. */
export function fieldProblems(text: string, unknown: ReadonlySet<string>): readonly FieldProblemInText[] {
  const problems: FieldProblemInText[] = [];
  const levels: Level[] = [];
  /** The depth of the unknown field that is being skipped. Its content is not checked. */
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

/** Parses JSON without duplicate keys; `undefined` for other text, which needs a YAML parser. */
export function uniqueJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return fieldProblems(text, new Set()).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
