import { apiVersionOf, type ServedResource } from '../resources/served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { metadataRepresentation } from './metadata-representation.js';
import { negotiate, type Form } from './negotiate.js';
import { tableRepresentation } from './table-representation.js';

/** The form in which objects leave the server: in full, their metadata only, or as rows of a table. */
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

/** Which shard a list is; only lists of whole objects of built-in kinds say so. */
export interface ShardInfo {
  readonly selector: string;
}

/** What the `Accept` header and `includeObject` ask for; throws 406 where that cannot be. */
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

/** One object may go to many watchers: its JSON is made once. */
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

/** Items of built-in lists carry neither kind nor apiVersion: the list says both. */
function withoutKind({ kind: _kind, apiVersion: _apiVersion, ...item }: StoredObject): object {
  return item;
}
