import type { JsonObject } from '../json/json-object.js';
import { isSameManager, without, type Manager } from './managers.js';
import { fieldValues } from './owned-fields.js';

/** The owners after somebody wrote without applying: what he changed becomes his alone, what is gone belongs to nobody. */
export function ownChanges(
  managers: readonly Manager[],
  previous: JsonObject,
  next: JsonObject,
  writer: Omit<Manager, 'fields' | 'operation'>,
  custom: boolean,
): readonly Manager[] {
  const before = fieldValues(previous, { custom, containers: true });
  const after = fieldValues(next, { custom, containers: true });
  const changed = new Set([...after].filter(([field, value]) => before.get(field) !== value).map(([field]) => field));
  const isGone = (field: string): boolean => before.has(field) && !after.has(field);
  if (changed.size === 0 && ![...before.keys()].some(isGone)) return managers;
  const own = { ...writer, operation: 'Update' as const };
  const known = managers.find((manager) => isSameManager(manager, own));
  const kept = without(known?.fields ?? new Set(), isGone);
  const others = managers
    .filter((manager) => manager !== known)
    .map((manager) => ({
      ...manager,
      fields: without(manager.fields, (field) => changed.has(field) || isGone(field)),
    }));
  const fields = new Set([...kept, ...changed]);
  const unchanged = changed.size === 0 && fields.size === known?.fields.size;
  return [...others, { ...own, time: unchanged ? known.time : own.time, fields }];
}
