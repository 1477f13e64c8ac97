import type { ManagedFieldsEntry } from 'rx-informers/resources';

/** The writer of a field. */
export interface Writer {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  /** For example `status`; empty for a write to the object itself. */
  readonly subresource: string;
}

/** Returns for example `kubelet (update, status)`. */
export function writerText({ manager, operation, subresource }: Writer): string {
  return `${manager} (${[operation.toLowerCase(), subresource].filter(Boolean).join(', ')})`;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the writers of one changed path of an object. Finds them in the managed fields after the
 * change.
 *
 * An entry has a time in whole seconds, and contains no values. So the writer is the manager that
 * owns the path and has written since the previous version. If no manager owns the path, because
 * the field was removed, every manager that has written since is a writer. If the owner wrote twice
 * within one second, its entry looks unchanged, but it still counts as the writer.
 *
 * @param path the path as `objectChanges` writes it: `status.conditions[0].status`
 * @param object the object after the change, in which items of lists are found by their keys
 * @param before the managed fields of the previous version; `undefined` if they are not known
 */
export function writersOf(
  path: string,
  object: unknown,
  before: readonly ManagedFieldsEntry[] | undefined,
  after: readonly ManagedFieldsEntry[],
): readonly Writer[] {
  const steps = stepsOf(path);
  const owned = after.map((entry) => ({ entry, how: ownership(entry.fieldsV1, steps, object) }));
  const isExact = owned.some(({ how }) => how === 'exact');
  const owning = owned.filter(({ how }) => (isExact ? how === 'exact' : how !== 'none')).map(({ entry }) => entry);
  if (before === undefined) return unique(owning);
  const known = new Set(before.map((entry) => JSON.stringify(entry)));
  const recent = after.filter((entry) => !known.has(JSON.stringify(entry)));
  const writing = owning.filter((entry) => recent.includes(entry));
  if (writing.length > 0) return unique(writing);
  return unique(owning.length > 0 ? owning : recent);
}

function unique(entries: readonly ManagedFieldsEntry[]): readonly Writer[] {
  const writers = new Map<string, Writer>();
  for (const { manager = 'unknown', operation = '', subresource = '' } of entries) {
    writers.set(`${manager} ${operation} ${subresource}`, { manager, operation, subresource });
  }
  return [...writers.values()];
}

/** Splits a path into names and positions: `conditions`, 0, `status`. */
function stepsOf(path: string): readonly (string | number)[] {
  const steps: (string | number)[] = [];
  for (const [, name, place, quoted] of path.matchAll(/([A-Za-z_][\w-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g)) {
    if (place !== undefined) steps.push(Number(place));
    else steps.push(quoted === undefined ? (name ?? '') : String(JSON.parse(quoted)));
  }
  return steps;
}

/**
 * Returns `exact` if a set of fields contains this path, `whole` if the set contains a parent of
 * the path as a whole, and otherwise `none`.
 */
function ownership(fields: unknown, steps: readonly (string | number)[], object: unknown): 'exact' | 'whole' | 'none' {
  let owned = fields;
  let value = object;
  for (const step of steps) {
    if (typeof owned !== 'object' || owned === null) return 'none';
    value = (value as Record<string | number, unknown> | undefined)?.[step];
    const next = typeof step === 'number' ? itemOf(owned as Fields, step, value) : (owned as Fields)[`f:${step}`];
    if (next === undefined) {
      // An empty set of fields means that the manager owns the whole value. A set with only the
      // field `.` means that other managers own the items of the map.
      return owned !== fields && Object.keys(owned).length === 0 ? 'whole' : 'none';
    }
    owned = next;
  }
  return 'exact';
}

function itemOf(owned: Fields, place: number, item: unknown): unknown {
  for (const name of Object.keys(owned)) {
    if (name === `i:${place}`) return owned[name];
    if (name.startsWith('v:') && name.slice(2) === JSON.stringify(item)) return owned[name];
    if (name.startsWith('k:') && hasKeys(item, name.slice(2))) return owned[name];
  }
  return undefined;
}

function hasKeys(item: unknown, text: string): boolean {
  try {
    const keys = JSON.parse(text) as Fields;
    return Object.entries(keys).every(([name, value]) => (item as Fields | undefined)?.[name] === value);
  } catch {
    return false;
  }
}
