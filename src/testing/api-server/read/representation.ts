import { apiVersionOf, type ServedResource, type PrinterColumn } from '../resources/catalog.js';
import type { StoredObject } from '../storage/stored-object.js';
import { badRequest, ApiError } from '../api-error.js';
import { valueAtPath } from '../json.js';

/** Encodes objects for a response: in full, only their metadata, or as rows of a table. */
export interface Representation {
  object(object: StoredObject): object;
  list(items: readonly StoredObject[], metadata: ListMeta): object;
  /** The `object` of a watch event, as JSON. */
  event(object: StoredObject): string;
  bookmark(metadata: Readonly<Record<string, unknown>>): object;
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly shardInfo?: ShardInfo;
}

/** The shard of a list. Only lists of whole objects of built-in kinds have it. */
export interface ShardInfo {
  readonly selector: string;
}

/**
 * Returns the representation for an `Accept` header and `includeObject`.
 *
 * @throws ApiError 406 if the server does not have it
 */
export function representationFor(
  resource: ServedResource,
  request: { readonly headers: Readonly<Record<string, string>>; readonly query: URLSearchParams },
  of: 'object' | 'list' | 'events',
  now: () => number,
): Representation {
  const form: Form = negotiate(request.headers['accept'], resource, of);
  switch (form) {
    case 'full':
      return fullRepresentation(resource);
    case 'metadata':
      return metadataRepresentation;
    case 'table':
      return tableRepresentation(resource, request.query.get('includeObject') ?? 'Metadata', now);
  }
  return form satisfies never;
}

/** The JSON of objects. One object may be sent to many watchers, and is encoded once. */
const jsonOf = new WeakMap<StoredObject, string>();

function fullRepresentation(resource: ServedResource): Representation {
  const { kind, listKind, custom } = resource;
  const apiVersion = apiVersionOf(resource);
  const inVersion = (object: StoredObject): StoredObject =>
    object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  return {
    object: inVersion,
    list: (items, { shardInfo, ...metadata }) => ({
      kind: listKind,
      apiVersion,
      metadata: custom ? { continue: '', ...metadata } : { ...metadata, ...(shardInfo && { shardInfo }) },
      items: custom ? items.map(inVersion) : items.map(withoutKind),
    }),
    event: (object) => {
      const known = jsonOf.get(object);
      if (known !== undefined && object.apiVersion === apiVersion) return known;
      const json = JSON.stringify(inVersion(object));
      if (object.apiVersion === apiVersion) jsonOf.set(object, json);
      return json;
    },
    bookmark: (metadata) => ({ kind, apiVersion, metadata }),
  };
}

/** Returns an item of a built-in list, which has neither kind nor apiVersion: the list has both. */
function withoutKind({ kind: _kind, apiVersion: _apiVersion, ...item }: StoredObject): object {
  return item;
}

const apiVersion = 'meta.k8s.io/v1';
const kind = 'PartialObjectMetadata';

function partial({ metadata }: StoredObject): object {
  return { kind, apiVersion, metadata };
}

/** Metadata only, for clients that ask with `as=PartialObjectMetadata`. */
export const metadataRepresentation: Representation = {
  object: partial,
  // The real server, written in Go, says null where there is nothing.
  list: (items, { shardInfo: _shardInfo, ...metadata }) => ({
    kind: `${kind}List`,
    apiVersion,
    metadata,
    items: items.length === 0 ? null : items.map(partial),
  }),
  event: (object) => JSON.stringify(partial(object)),
  bookmark: (metadata) => ({ kind, apiVersion, metadata }),
};

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

/** Returns a duration as kubectl prints it: the largest units, two of them while they are small. */
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

export type Form = 'full' | 'metadata' | 'table';

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const jsonTypes = new Set(['application/json', '*/*']);

/**
 * Returns the first media type in the `Accept` header that the server has.
 *
 * @throws ApiError 406 if it has none of them
 */
export function negotiate(
  accept: string | undefined,
  resource: ServedResource,
  of: 'object' | 'list' | 'events',
): Form {
  const ranges = parseAccept(accept ?? '*/*').filter(({ type }) => jsonTypes.has(type));
  if (ranges.length === 0) {
    throw notAcceptable(
      '406: Not Acceptable\n\nAvailable representations: application/json, application/json;stream=watch',
      {},
    );
  }
  for (const { parameters } of ranges) {
    const as = parameters.get('as');
    if (as === undefined) return 'full';
    const known =
      parameters.get('g') === 'meta.k8s.io' && (parameters.get('v') === 'v1' || parameters.get('v') === 'v1beta1');
    if (known && as === 'Table') return 'table';
    if (known && as === 'PartialObjectMetadata')
      return assertFits(of !== 'list', as, `a list (*${goType(resource, of)})`);
    if (known && as === 'PartialObjectMetadataList')
      return assertFits(of === 'list', as, `not a list (*${goType(resource, of)})`);
  }
  throw notAcceptable('only the following media types are accepted: application/json');
}

function assertFits(fits: boolean, as: string, found: string): Form {
  if (fits) return 'metadata';
  throw notAcceptable(`you requested ${as}, but the requested object is ${found}`);
}

function goType(resource: ServedResource, of: 'object' | 'list' | 'events'): string {
  return `${resource.version}.${of === 'list' ? resource.listKind : resource.kind}`;
}

function parseAccept(accept: string): readonly MediaRange[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    return {
      type,
      parameters: new Map(
        parameters.map((parameter) => {
          const [name = '', value = ''] = parameter.split('=');
          return [name, value] as const;
        }),
      ),
    };
  });
}

function notAcceptable(message: string, details?: object): ApiError {
  return new ApiError(406, 'NotAcceptable', message, details ? { details } : {});
}
