import type { ManagedFieldsEntry } from '../storage/stored-object.js';
import { decodeFields, encodeFields, type FieldSet } from './fields-v1.js';

/** One owner, and the fields that are his. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly fields: FieldSet;
}

export function decodeManagers(entries: readonly ManagedFieldsEntry[] = []): readonly Manager[] {
  return entries.map(({ manager, operation, apiVersion, subresource = '', time = '', fieldsV1 }) => ({
    name: manager,
    operation,
    apiVersion,
    subresource,
    time,
    fields: decodeFields(fieldsV1),
  }));
}

/** Without owners of nothing; appliers first, then by time and name, as the real server sorts them. */
export function encodeManagers(managers: readonly Manager[]): readonly ManagedFieldsEntry[] {
  return managers
    .filter(({ fields }) => fields.size > 0)
    .sort(
      (a, b) =>
        compare(a.operation, b.operation) ||
        compare(a.time, b.time) ||
        compare(a.name, b.name) ||
        compare(a.subresource, b.subresource),
    )
    .map(({ name, operation, apiVersion, subresource, time, fields }) => ({
      manager: name,
      operation,
      apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFields(fields),
      ...(subresource === '' ? {} : { subresource }),
    }));
}

export function isSameManager(
  a: Manager,
  b: Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>,
): boolean {
  return (
    a.name === b.name && a.operation === b.operation && a.apiVersion === b.apiVersion && a.subresource === b.subresource
  );
}

export function isSameSet(a: FieldSet, b: FieldSet): boolean {
  return a.size === b.size && [...a].every((field) => b.has(field));
}

export function without(fields: FieldSet, gone: (field: string) => boolean): FieldSet {
  return new Set([...fields].filter((field) => !gone(field)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
