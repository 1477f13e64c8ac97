import { setField } from '../../../kubernetes/share-structure.js';
import { isJsonObject, ownField, type JsonObject } from '../exchange/json.js';
import { elementsOf, fieldNames, isAtomicObject, pathKey, type OwnedFieldPath, type FieldSet } from './field-path.js';

/** All fields that can be owned, as JSON by path. An owned map or list is `'{}'`. */
export type FieldValues = ReadonlyMap<string, string>;

/** Fields that the server owns, or that only identify the object. */
const unowned = new Set([
  'f:apiVersion',
  'f:kind',
  ...[
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'managedFields',
    'selfLink',
  ].map((field) => pathKey(['f:metadata', `f:${field}`])),
]);

/** Parts of built-in kinds that always exist, and that no manager owns. */
const structures = new Set([
  'metadata',
  'spec',
  'status',
  'template',
  'jobTemplate',
  'strategy',
  'updateStrategy',
  'containers',
  'resources',
]);

/**
 * Returns the fields of an object that can be owned. `custom`: of a custom resource. `containers`:
 * with maps and lists themselves, which belong to the manager that creates them.
 */
export function fieldValues(
  object: JsonObject,
  options: { readonly custom: boolean; readonly containers: boolean },
): FieldValues {
  const values = new Map<string, string>();
  const add = (path: OwnedFieldPath, value: string): void => {
    values.set(pathKey(path), value);
  };
  const isStructure = (path: OwnedFieldPath): boolean => {
    const name = fieldNames(path).at(-1) ?? '';
    return options.custom ? name === 'metadata' : structures.has(name);
  };
  const container = (path: OwnedFieldPath): void => {
    const isItem = path.at(-1)?.startsWith('k:') === true;
    if (isItem || (options.containers && path.length > 0 && !isStructure(path))) add(path, '{}');
  };
  const visit = (path: OwnedFieldPath, value: unknown): void => {
    if (value === null || value === undefined || unowned.has(pathKey(path))) return;
    if (Array.isArray(value)) {
      const elements = elementsOf(value, path);
      if (elements === 'atomic' || elements.length === 0) {
        if (!isStructure(path) || value.length > 0) add(path, JSON.stringify(value));
        return;
      }
      container(path);
      for (const [element, item] of elements) visit([...path, element], item);
    } else if (isJsonObject(value)) {
      if (isAtomicObject(path)) {
        add(path, JSON.stringify(value));
        return;
      }
      const fields = Object.entries(value);
      if (fields.length === 0) {
        if (!isStructure(path)) add(path, '{}');
        return;
      }
      container(path);
      for (const [field, child] of fields) visit([...path, `f:${field}`], child);
    } else add(path, JSON.stringify(value));
  };
  visit([], object);
  return values;
}

/** Merges the applied configuration into the live object; lists owned by item, item by item. */
export function mergeApplied(live: unknown, applied: unknown, path: OwnedFieldPath = []): unknown {
  if (Array.isArray(applied)) return mergeLists(Array.isArray(live) ? live : [], applied, path);
  if (!isJsonObject(applied) || !isJsonObject(live) || isAtomicObject(path)) return applied;
  const merged: Record<string, unknown> = { ...live };
  for (const [field, value] of Object.entries(applied)) {
    if (value !== null) setField(merged, field, mergeApplied(ownField(live, field), value, [...path, `f:${field}`]));
  }
  return merged;
}

function mergeLists(live: readonly unknown[], applied: readonly unknown[], path: OwnedFieldPath): unknown {
  const [liveItems, appliedItems] = [elementsOf(live, path), elementsOf(applied, path)];
  if (liveItems === 'atomic' || appliedItems === 'atomic') return applied;
  const [liveByElement, appliedByElement] = [new Map(liveItems), new Map(appliedItems)];
  const merged = new Map<string, unknown>();
  const waiting = [...appliedItems];
  // Items only in the live list keep their places. At the place of a live item that is also
  // applied, all applied items up to it are inserted; the rest is appended.
  for (const [element, item] of liveItems) {
    if (!appliedByElement.has(element)) merged.set(element, item);
    while (appliedByElement.has(element) && !merged.has(element) && waiting.length > 0) take();
  }
  while (waiting.length > 0) take();
  return [...merged.values()];

  function take(): void {
    for (const [element, item] of waiting.splice(0, 1))
      merged.set(element, mergeApplied(liveByElement.get(element), item, [...path, element]));
  }
}

/** Removes fields, and maps and lists that become empty; `undefined` if nothing is left. */
export function pruneFields(
  value: unknown,
  gone: FieldSet,
  isOwned: (path: OwnedFieldPath) => boolean,
  path: OwnedFieldPath = [],
): unknown {
  if (Array.isArray(value)) {
    const elements = elementsOf(value, path);
    if (elements === 'atomic') return gone.has(pathKey(path)) ? undefined : value;
    const kept = elements
      .map(([element, item]) => pruneFields(item, gone, isOwned, [...path, element]))
      .filter((item) => item !== undefined);
    return kept.length === 0 && elements.length > 0 ? undefined : kept;
  }
  if (gone.has(pathKey(path)) && !isOwned(path)) return undefined;
  if (!isJsonObject(value) || isAtomicObject(path)) return value;
  const entries = Object.entries(value);
  const kept = entries
    .map(([field, child]) => [field, pruneFields(child, gone, isOwned, [...path, `f:${field}`])] as const)
    .filter(([, child]) => child !== undefined);
  return kept.length === 0 && entries.length > 0 ? undefined : Object.fromEntries(kept);
}
