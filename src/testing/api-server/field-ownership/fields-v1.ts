import { isJsonObject, type JsonObject } from '../json/json-object.js';
import { pathKey, pathOfKey } from './field-path.js';

/** A set of paths, each by its key. */
export type FieldSet = ReadonlySet<string>;

/** The nested form in which `managedFields` keeps a set of paths. */
export function encodeFields(fields: FieldSet): JsonObject {
  const root: Record<string, unknown> = {};
  for (const key of [...fields].sort()) {
    let node = root;
    for (const element of pathOfKey(key)) node = (node[element] ??= {}) as Record<string, unknown>;
    // Marked by '.', as long as it is not clear that nothing below it is in the set.
    node['.'] = {};
  }
  return simplified(root);
}

/** A path without anything below it needs no mark. */
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
