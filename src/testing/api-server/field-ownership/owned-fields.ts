import { isJsonObject, type JsonObject } from '../json.js';
import { elementsOf, fieldNames, isAtomicObject, pathKey, type FieldPath, type FieldSet } from './field-path.js';

/** Every field that can be owned, by its path, with its value as JSON; containers have the value `'{}'`. */
export type FieldValues = ReadonlyMap<string, string>;

/** What belongs to the server, or says only which object is meant. */
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

/** Parts of built-in kinds that are always there: nobody owns them as such. */
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
 * The ownable fields of an object.
 *
 * @param containers whether maps and lists count by themselves too, as they do for whoever first puts something into them
 */
export function fieldValues(
  object: JsonObject,
  options: { readonly custom: boolean; readonly containers: boolean },
): FieldValues {
  const values = new Map<string, string>();
  const add = (path: FieldPath, value: string): void => {
    values.set(pathKey(path), value);
  };
  const isStructure = (path: FieldPath): boolean => {
    const name = fieldNames(path).at(-1) ?? '';
    return options.custom ? name === 'metadata' : structures.has(name);
  };
  const container = (path: FieldPath): void => {
    const isItem = path.at(-1)?.startsWith('k:') === true;
    if (isItem || (options.containers && path.length > 0 && !isStructure(path))) add(path, '{}');
  };
  const visit = (path: FieldPath, value: unknown): void => {
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

/** The live object with the applied configuration merged in: item by item where lists are owned item by item. */
export function mergeApplied(live: unknown, applied: unknown, path: FieldPath = []): unknown {
  if (Array.isArray(applied)) return mergeLists(Array.isArray(live) ? live : [], applied, path);
  if (!isJsonObject(applied) || !isJsonObject(live) || isAtomicObject(path)) return applied;
  const merged: Record<string, unknown> = { ...live };
  for (const [field, value] of Object.entries(applied)) {
    if (value !== null) merged[field] = mergeApplied(live[field], value, [...path, `f:${field}`]);
  }
  return merged;
}

function mergeLists(live: readonly unknown[], applied: readonly unknown[], path: FieldPath): unknown {
  const [liveItems, appliedItems] = [elementsOf(live, path), elementsOf(applied, path)];
  if (liveItems === 'atomic' || appliedItems === 'atomic') return applied;
  const [liveByElement, appliedByElement] = [new Map(liveItems), new Map(appliedItems)];
  const merged = new Map<string, unknown>();
  const waiting = [...appliedItems];
  // What is only live keeps its place; what is applied comes in its own order where the live list has its first, or at the end.
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

/** The object without the given fields, and without what they leave empty; undefined where nothing is left. */
export function pruneFields(
  value: unknown,
  gone: FieldSet,
  isOwned: (path: FieldPath) => boolean,
  path: FieldPath = [],
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
