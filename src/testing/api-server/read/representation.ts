import { type RxInformersError } from '../../../kubernetes/errors.js';
import { durationText } from '../../../kubernetes/status/status-summary.js';
import { badRequest, apiError } from '../exchange/api-error.js';
import { valueAtPath } from '../exchange/json.js';
import { completed, servedApiVersion, type ServedResource, type PrinterColumn } from '../resources/catalog.js';
import type { StoredObject } from '../storage/stored-object.js';

/** Encodes objects for a response: whole objects, only their metadata, or rows of a table. */
export interface Representation {
  object(object: StoredObject): object;
  list(items: readonly StoredObject[], metadata: ListMeta): object;
  /** Returns the `object` of a watch event, as JSON. */
  event(object: StoredObject): string;
  bookmark(metadata: Readonly<Record<string, unknown>>): object;
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Chooses by `Accept` and `includeObject`. Throws a 406 for an unsupported media type. */
export function representationFor(
  resource: ServedResource,
  request: { readonly headers: Readonly<Record<string, string>>; readonly query: URLSearchParams },
  of: 'object' | 'list' | 'events',
  now: () => number,
): Representation {
  const { form, dropsManagedFields } = negotiate(request.headers['accept'], resource, of);
  const representation = representationIn(form, resource, request.query.get('includeObject') ?? 'Metadata', now);
  return dropsManagedFields ? withoutManagedFields(representation) : representation;
}

function representationIn(
  form: Form,
  resource: ServedResource,
  includeObject: string,
  now: () => number,
): Representation {
  switch (form) {
    case 'full':
      return fullRepresentation(resource);
    case 'metadata':
      return metadataRepresentation;
    case 'table':
      return tableRepresentation(resource, includeObject, now);
  }
  return form satisfies never;
}

/** The JSON of objects. An object may be sent to many watchers, but is encoded only once. */
const jsonOf = new WeakMap<StoredObject, string>();

function fullRepresentation(resource: ServedResource): Representation {
  const { kind, listKind, custom } = resource;
  const apiVersion = servedApiVersion(resource);
  const inVersion = (object: StoredObject): StoredObject => {
    const complete = completed(resource, object);
    return complete.apiVersion === apiVersion ? complete : { ...complete, apiVersion };
  };
  return {
    object: inVersion,
    list: (items, metadata) => ({
      kind: listKind,
      apiVersion,
      metadata: custom ? { continue: '', ...metadata } : metadata,
      items: custom ? items.map(inVersion) : items.map(withoutKind),
    }),
    event: (object) => {
      const shown = inVersion(object);
      const json = (shown === object ? jsonOf.get(object) : undefined) ?? JSON.stringify(shown);
      if (shown === object) jsonOf.set(object, json);
      return json;
    },
    bookmark: (metadata) => ({ kind, apiVersion, metadata }),
  };
}

/** An item of a built-in list has neither kind nor apiVersion: the list has both. */
function withoutKind({ kind: _kind, apiVersion: _apiVersion, ...item }: StoredObject): object {
  return item;
}

/** Encodes without `metadata.managedFields`, for `drop=metadata.managedFields` (KEP-5958). */
function withoutManagedFields(whole: Representation): Representation {
  return {
    object: (object) => whole.object(stripped(object)),
    list: (items, metadata) => whole.list(items.map(stripped), metadata),
    event: (object) => whole.event(stripped(object)),
    bookmark: (metadata) => whole.bookmark(metadata),
  };
}

/** An object may be sent to many watchers, but is copied only once. */
const strippedCopies = new WeakMap<StoredObject, StoredObject>();

function stripped(object: StoredObject): StoredObject {
  if (object.metadata.managedFields === undefined) return object;
  const known = strippedCopies.get(object);
  if (known !== undefined) return known;
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  const copy = { ...object, metadata };
  strippedCopies.set(object, copy);
  return copy;
}

const apiVersion = 'meta.k8s.io/v1';
const kind = 'PartialObjectMetadata';

function partial({ metadata }: StoredObject): object {
  return { kind, apiVersion, metadata };
}

/** Metadata only, for clients that ask with `as=PartialObjectMetadata`. */
const metadataRepresentation: Representation = {
  object: partial,
  // The real server, written in Go, encodes an empty list as null.
  list: (items, metadata) => ({
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
 * Returns rows of a table, for `kubectl get`: the name and the creation time, or instead of that a
 * custom resource's printer columns. `includeObject` adds `None`, `Metadata` or `Object`.
 */
function tableRepresentation(resource: ServedResource, includeObject: string, now: () => number): Representation {
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
    // The real server, written in Go, encodes an empty list as null.
    rows: objects.length === 0 ? null : objects.map(row),
  });
  return {
    object: (object) => table([object], { resourceVersion: object.metadata.resourceVersion }),
    list: table,
    event: (object) => {
      const whole = { ...table([object], { resourceVersion: object.metadata.resourceVersion }) };
      // The first event of a watch has the column definitions; later events have null.
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
    ? { ...object, apiVersion: servedApiVersion(resource) }
    : metadataRepresentation.object(object);
}

/** Returns the time since a timestamp, as kubectl prints it. */
function age(timestamp: string, now: number): string {
  const duration = now - Date.parse(timestamp);
  if (Number.isNaN(duration)) return '<unknown>';
  return duration <= -2_000 ? '<invalid>' : durationText(duration);
}

type Form = 'full' | 'metadata' | 'table';

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const jsonTypes = new Set(['application/json', '*/*']);

/** The representation that a client asks for. */
interface Negotiated {
  readonly form: Form;
  readonly dropsManagedFields: boolean;
}

/** Returns the first supported media type of `Accept`. Throws a 406 if there is none. */
function negotiate(accept: string | undefined, resource: ServedResource, of: 'object' | 'list' | 'events'): Negotiated {
  const ranges = parseAccept(accept ?? '*/*').filter(({ type }) => jsonTypes.has(type));
  if (ranges.length === 0) {
    throw notAcceptable(
      '406: Not Acceptable\n\nAvailable representations: application/json, application/json;stream=watch',
      {},
    );
  }
  for (const { parameters } of ranges) {
    const as = parameters.get('as');
    // Unknown fields are ignored, because later versions may be able to drop more fields.
    const dropsManagedFields = parameters.get('drop')?.split('+').includes('metadata.managedFields') === true;
    if (as === undefined) return { form: 'full', dropsManagedFields };
    const known =
      parameters.get('g') === 'meta.k8s.io' && (parameters.get('v') === 'v1' || parameters.get('v') === 'v1beta1');
    if (known && as === 'Table') return { form: 'table', dropsManagedFields };
    if (known && as === 'PartialObjectMetadata') {
      assertFits(of !== 'list', as, `a list (*${goType(resource, of)})`);
      return { form: 'metadata', dropsManagedFields };
    }
    if (known && as === 'PartialObjectMetadataList') {
      assertFits(of === 'list', as, `not a list (*${goType(resource, of)})`);
      return { form: 'metadata', dropsManagedFields };
    }
  }
  throw notAcceptable('only the following media types are accepted: application/json');
}

function assertFits(fits: boolean, as: string, found: string): void {
  if (!fits) throw notAcceptable(`you requested ${as}, but the requested object is ${found}`);
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

function notAcceptable(message: string, details?: object): RxInformersError<'RXI_API'> {
  return apiError(406, 'NotAcceptable', message, details ? { details } : {});
}
