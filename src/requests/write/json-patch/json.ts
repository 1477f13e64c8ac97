import { RxInformersError } from '../../../kubernetes/errors.js';
import { isPlainObject } from '../../../kubernetes/share-structure.js';

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonMembers;

export interface JsonMembers {
  readonly [member: string]: Json;
}

/** One operation of a JSON Patch (RFC 6902). `copy` is never used. */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move'; readonly from: string; readonly path: string };

export function isJsonMembers(value: Json | undefined): value is JsonMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns the path of a member or an item, as a JSON Pointer (RFC 6901). */
export function pointerTo(parent: string, segment: string | number): string {
  return `${parent}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function notJsonError(path: string, found: string): RxInformersError<'RXI_NOT_JSON'> {
  const message = `${path || 'the object'} is ${found}, which JSON cannot express`;
  return new RxInformersError('RXI_NOT_JSON', message, { path, found });
}

/**
 * Returns the value as JSON, as the server will read it. Members that are `undefined` are left out,
 * and a `Date` becomes its text.
 *
 * A value that is identical (`===`) to the value at the same place in `original` came from the
 * server, so it is returned unchecked. A value that needs no conversion is also returned unchanged.
 * So `===` still tells which parts were changed.
 *
 * @throws `RXI_NOT_JSON` for a value that JSON would drop or change silently: a function, `NaN`, a
 *   `Map`, `undefined` in an array, a cycle
 */
export function toJson(
  value: unknown,
  original: unknown,
  path: string = '',
  within: readonly unknown[] = [],
): Json | undefined {
  if (value === original) return value as Json | undefined;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'undefined':
      return undefined;
    case 'number':
      if (!Number.isFinite(value)) throw notJsonError(path, String(value));
      return value;
    case 'object':
      return value === null ? null : containerToJson(value, original, path, within);
    default:
      throw notJsonError(path, `a ${typeof value}`);
  }
}

function containerToJson(value: object, original: unknown, path: string, within: readonly unknown[]): Json | undefined {
  if (within.includes(value)) throw notJsonError(path, 'a part of itself');
  const inside = [...within, value];
  if (Array.isArray(value)) {
    const items = Array.from(value as readonly unknown[], (item, index) => {
      const json = toJson(item, childOf(original, String(index)), pointerTo(path, index), inside);
      if (json === undefined) throw notJsonError(pointerTo(path, index), 'undefined');
      return json;
    });
    return items.every((item, index) => item === value[index]) ? (value as readonly Json[]) : items;
  }
  if (hasToJson(value)) return toJson(value.toJSON(), original, path, inside);
  if (!isPlainObject(value)) throw notJsonError(path, `a ${value.constructor.name}`);
  const members = Object.entries(value).map(
    ([name, member]) => [name, toJson(member, childOf(original, name), pointerTo(path, name), inside)] as const,
  );
  if (members.every(([name, json]) => json !== undefined && json === (value as Record<string, unknown>)[name]))
    return value as Json;
  return Object.fromEntries(members.filter((member): member is readonly [string, Json] => member[1] !== undefined));
}

function childOf(container: unknown, name: string): unknown {
  return typeof container === 'object' && container !== null && Object.hasOwn(container, name)
    ? (container as Record<string, unknown>)[name]
    : undefined;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { readonly toJSON?: unknown }).toJSON === 'function';
}
