import { isJsonObject, type JsonObject } from '../exchange/json.js';
import { isPrimitiveSet, mergeKeysAt } from '../schema/merge-keys.js';

/**
 * One step of a field path, encoded as in `FieldsV1`: `f:name` is a field, `k:{"name":"c"}` is an
 * item of a keyed list, and `v:"a"` is an item of a set.
 */
export type PathElement = string;

/** The path from an object to one of its fields. */
export type OwnedFieldPath = readonly PathElement[];

/** Returns a path as the key of a map. */
export function pathKey(path: OwnedFieldPath): string {
  return path.join('\0');
}

export function pathOfKey(key: string): OwnedFieldPath {
  return key.split('\0');
}

/** The field names without items of lists, as they are keys in the tables of list types. */
export function fieldNames(path: OwnedFieldPath): readonly string[] {
  return path.filter((element) => element.startsWith('f:')).map((element) => element.slice(2));
}

/** Returns a path as text for messages: `.spec.containers[name="c"].image`. */
export function printPath(path: OwnedFieldPath): string {
  return path
    .map((element) => {
      const content = element.slice(2);
      if (element.startsWith('f:')) return `.${content}`;
      if (element.startsWith('v:')) return `[=${content}]`;
      const keys = JSON.parse(content) as Readonly<Record<string, unknown>>;
      return `[${Object.entries(keys)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(',')}]`;
    })
    .join('');
}

/** Returns how the list is owned: as a whole, or by items, identified by key or value. */
export function elementsOf(
  list: readonly unknown[],
  path: OwnedFieldPath,
): readonly (readonly [PathElement, unknown])[] | 'atomic' {
  const names = fieldNames(path);
  if (isPrimitiveSet(names)) return list.map((item) => [`v:${JSON.stringify(item)}`, item]);
  const keys = mergeKeysAt(names);
  if (keys === undefined || !list.every(isJsonObject)) return 'atomic';
  return list.map((item) => [`k:${JSON.stringify(keyOf(item, keys))}`, item]);
}

function keyOf(item: Readonly<Record<string, unknown>>, keys: readonly string[]): object {
  const present = [...keys]
    .sort()
    .map((key) => [key, item[key] ?? (key === 'protocol' ? 'TCP' : undefined)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(present);
}

/** The objects that are owned as a whole, because their fields have no meaning by themselves. */
const atomicObjects = new Set([
  'selector',
  'labelSelector',
  'nodeSelector',
  'namespaceSelector',
  'podSelector',
  'fieldRef',
  'resourceFieldRef',
  'secretKeyRef',
  'configMapKeyRef',
  'claimRef',
  'targetRef',
  'involvedObject',
  'regarding',
  'scaleTargetRef',
]);

export function isAtomicObject(path: OwnedFieldPath): boolean {
  return atomicObjects.has(fieldNames(path).at(-1) ?? '');
}

/** A set of paths, each as a key of `pathKey`. */
export type FieldSet = ReadonlySet<string>;

/** Returns the nested form in which `managedFields` stores a set of paths. */
export function encodeFields(fields: FieldSet): JsonObject {
  const root: Record<string, unknown> = {};
  for (const key of [...fields].sort()) {
    let node = root;
    for (const element of pathOfKey(key)) node = (node[element] ??= {}) as Record<string, unknown>;
    // `.` marks a path of the set. The mark is removed later if nothing below the path is in the
    // set.
    node['.'] = {};
  }
  return simplified(root);
}

/** Removes the marks of paths that have nothing below them. */
function simplified(node: Record<string, unknown>): JsonObject {
  const entries = Object.entries(node);
  if (entries.length === 1 && entries[0]?.[0] === '.') return {};
  return Object.fromEntries(
    entries
      .map(
        ([element, child]) => [element, element === '.' ? {} : simplified(child as Record<string, unknown>)] as const,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export function decodeFields(encoded: JsonObject): FieldSet {
  const fields = new Set<string>();
  const visit = (node: JsonObject, path: readonly string[]): void => {
    const elements = Object.entries(node);
    if (path.length > 0 && (elements.length === 0 || '.' in node)) fields.add(pathKey(path));
    for (const [element, child] of elements) {
      if (element !== '.' && isJsonObject(child)) visit(child, [...path, element]);
    }
  };
  visit(encoded, []);
  return fields;
}
