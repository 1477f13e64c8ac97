import { badRequest } from '../api-error.js';
import { apiVersionOf, type PrinterColumn, type ServedResource } from '../resources/served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { metadataRepresentation } from './metadata-representation.js';
import type { Representation } from './representation.js';
import { valueAtPath } from '../json/value-at-path.js';

const apiVersion = 'meta.k8s.io/v1';

const nameColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name must be unique within a namespace.',
  priority: 0,
};
const createdAtColumn = {
  name: 'Created At',
  type: 'date',
  format: '',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
  priority: 0,
};
const ageColumn = { ...createdAtColumn, name: 'Age' };

/**
 * Rows of a table, as `kubectl get` asks for: name and creation time, and for custom resources their printer columns.
 *
 * @param includeObject `None`, `Metadata` or `Object`: what each row carries beside its cells
 */
export function tableRepresentation(
  resource: ServedResource,
  includeObject: string,
  now: () => number,
): Representation {
  if (!['', 'None', 'Metadata', 'Object'].includes(includeObject)) {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  let columnsSent = false;
  const columnDefinitions = resource.custom
    ? [
        nameColumn,
        ...resource.printerColumns.map(columnDefinition),
        ...(resource.printerColumns.length > 0 ? [] : [ageColumn]),
      ]
    : [nameColumn, createdAtColumn];
  const row = (object: StoredObject): object => ({
    cells: cellsOf(object, resource, now),
    object: includeObject === 'None' ? null : includedObject(object, resource, includeObject),
  });
  const table = (objects: readonly StoredObject[], metadata: object): object => ({
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions,
    // The real server, written in Go, says null where there is nothing.
    rows: objects.length === 0 ? null : objects.map(row),
  });
  return {
    object: (object) => table([object], { resourceVersion: object.metadata.resourceVersion }),
    list: (objects, { shardInfo: _shardInfo, ...metadata }) => table(objects, metadata),
    event: (object) => {
      const whole = { ...table([object], { resourceVersion: object.metadata.resourceVersion }) };
      // The columns come once; later events of the same watch say null.
      const event = columnsSent ? { ...whole, columnDefinitions: null } : whole;
      columnsSent = true;
      return JSON.stringify(event);
    },
    bookmark: (metadata) => ({ kind: 'Table', apiVersion, metadata, columnDefinitions: null, rows: [] }),
  };
}

function columnDefinition({ name, type, format = '', description = '', priority = 0 }: PrinterColumn): object {
  return { name, type, format, description, priority };
}

function cellsOf(object: StoredObject, resource: ServedResource, now: () => number): readonly unknown[] {
  const { name, creationTimestamp } = object.metadata;
  if (!resource.custom) return [name, creationTimestamp];
  if (resource.printerColumns.length === 0) return [name, age(creationTimestamp, now())];
  return [name, ...resource.printerColumns.map((column) => printerCell(object, column, now()))];
}

function printerCell(object: StoredObject, { type, jsonPath }: PrinterColumn, now: number): unknown {
  const value = valueAtPath(object, jsonPath);
  if (value === undefined) return null;
  if (type === 'date') return typeof value === 'string' ? age(value, now) : '<invalid>';
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

function includedObject(object: StoredObject, resource: ServedResource, includeObject: string): object {
  return includeObject === 'Object'
    ? { ...object, apiVersion: apiVersionOf(resource) }
    : metadataRepresentation.object(object);
}

/** As kubectl prints durations: the largest units, two of them while they are small. */
export function age(timestamp: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(timestamp)) / 1000);
  if (Number.isNaN(seconds)) return '<unknown>';
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  if (days < 730) return `${days}d`;
  return `${Math.floor(days / 365)}y`;
}
