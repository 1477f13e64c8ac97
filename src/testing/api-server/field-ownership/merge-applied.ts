import { isJsonObject } from '../json/json-object.js';
import { elementsOf, isAtomicObject, pathKey, type FieldPath } from './field-path.js';
import type { FieldSet } from './fields-v1.js';

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
