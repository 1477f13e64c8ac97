import { childPath, cutObject } from './cut-object.js';

/** One path in an object whose value changed in an update. */
export interface ObjectChange {
  readonly path: string;
  /** The previous value as shortened JSON; `undefined` if there was none. */
  readonly before: string | undefined;
  /** The new value as shortened JSON; `undefined` if the field was removed. */
  readonly after: string | undefined;
}

/**
 * The maximum number of changes that are shown. A write with more changes has replaced the object.
 */
const most = 100;

/** Fields that change with every update and tell the reader nothing. */
const silent: ReadonlySet<string> = new Set(['metadata.resourceVersion', 'metadata.managedFields']);

/**
 * Returns the differences between two versions of an object, in the order of its fields. Compares
 * lists item by item.
 */
export function objectChanges(before: unknown, after: unknown): readonly ObjectChange[] {
  const changes: ObjectChange[] = [];
  compare(before, after, '', changes);
  return changes;
}

function compare(before: unknown, after: unknown, path: string, changes: ObjectChange[]): void {
  if (before === after || silent.has(path) || changes.length >= most) return;
  if (!areBothLists(before, after) && !areBothMaps(before, after)) {
    changes.push({ path, before: jsonText(before), after: jsonText(after) });
    return;
  }
  const names = new Set([...Object.keys(before as object), ...Object.keys(after as object)]);
  for (const name of names) {
    compare(own(before, name), own(after, name), childPath(path, name, Array.isArray(before)), changes);
  }
}

function areBothLists(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b);
}

function areBothMaps(a: unknown, b: unknown): boolean {
  return isMap(a) && isMap(b);
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(value: unknown, name: string): unknown {
  return Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function jsonText(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(cutObject(value, { longest: 200, budget: 600 }).value);
}
