/** A received JSON object, whose fields are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a field that the object itself has, not one of its prototype. */
export function ownField(object: JsonObject, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

/** Returns the field as an object; an empty object if it is missing or not an object. */
export function objectField(parent: JsonObject | undefined, field: string): JsonObject {
  const value = parent?.[field];
  return isJsonObject(value) ? value : {};
}

/** Returns the objects in the list under a field; `[]` if the field is missing or not a list. */
export function objectsAt(parent: JsonObject, field: string): readonly JsonObject[] {
  const value = parent[field];
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isJsonObject) : [];
}

/** Returns the field as a string; `undefined` if it is missing or not a string. */
export function stringAt(parent: JsonObject | undefined, field: string): string | undefined {
  const value = parent?.[field];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the object without the fields that are `undefined`. */
export function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Compares JSON, with fields in any order. A field that is `undefined` is missing. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const count = countOf(a);
  return count === countOf(b) && Object.keys(a).every((key) => equalJson(a[key], b[key]));
}

function countOf(object: Readonly<Record<string, unknown>>): number {
  let count = 0;
  for (const key of Object.keys(object)) if (object[key] !== undefined) count += 1;
  return count;
}

/**
 * Returns the value at a simple JSONPath: `.spec.replicas`, `.metadata.labels['a.b/c']`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.items[0].name`; `undefined` if there is no
 * value.
 */
export function valueAtPath(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const [, field, quoted, index, filterField, filterValue] of path.matchAll(steps)) {
    if (value === null || typeof value !== 'object') return undefined;
    if (filterField !== undefined) {
      const candidates: readonly unknown[] = Array.isArray(value) ? value : [];
      value = candidates.find((candidate) => fieldOf(candidate, filterField) === filterValue);
    } else {
      value = fieldOf(value, field ?? quoted?.replace(/\\(.)/g, '$1') ?? index ?? '');
    }
  }
  return value;
}

const steps = /\.((?:\\.|[\w-])+)|\['((?:\\.|[^'])*)'\]|\[(\d+)\]|\[\?\(@\.(\w+)\s*==\s*["']([^"']*)["']\)\]/g;

function fieldOf(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[field.replace(/\\(.)/g, '$1')];
}

/** Returns the object with a new value at a path of plain fields, such as `.spec.replicas`. */
export function withValueAtPath(object: unknown, path: string, value: unknown): unknown {
  const [field, ...rest] = path.split('.').filter(Boolean);
  if (field === undefined) return value;
  const parent = typeof object === 'object' && object !== null ? (object as Readonly<Record<string, unknown>>) : {};
  return { ...parent, [field]: withValueAtPath(parent[field], rest.join('.'), value) };
}
