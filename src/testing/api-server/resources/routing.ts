import { methodNotAllowed, unknownResource } from '../exchange/api-error.js';
import { parseBoolean, type ApiRequest } from '../exchange/exchange.js';
import type { Catalog, ServedResource } from './catalog.js';

/** The target of a path. */
export type Route =
  | ResourceRoute
  | { readonly type: 'discovery'; readonly of: 'core-versions' | 'groups' }
  | { readonly type: 'group'; readonly group: string }
  | { readonly type: 'group-version'; readonly group: string; readonly version: string }
  | { readonly type: 'openapi-v2' }
  /** The name of the document; `''` means the index of all documents. */
  | { readonly type: 'openapi-v3'; readonly document: string }
  | { readonly type: 'version' }
  | { readonly type: 'health' }
  | { readonly type: 'unknown-resource' }
  | { readonly type: 'unknown-path' };

export interface ResourceRoute {
  readonly type: 'resource';
  readonly resource: ServedResource;
  /** The namespace; `''` means cluster scope, or all namespaces. */
  readonly namespace: string;
  /** The name of the object; `''` means the collection. */
  readonly name: string;
  /** The subresource; `''` means the object itself. */
  readonly subresource: string;
  /** True for the deprecated form `/api/v1/watch/…`. */
  readonly watch: boolean;
}

const podSubresources: ReadonlySet<string> = new Set(['log', 'eviction']);
const namespaceSubresources = new Set(['status', 'finalize']);

/** Resolves a path to one of the targets that are currently served. */
export function parsePath(path: string, catalog: Catalog): Route {
  const segments = path.split('/').filter(Boolean).map(decode);
  const [root, ...rest] = segments;
  switch (root) {
    case 'api':
      return rest.length === 0 ? { type: 'discovery', of: 'core-versions' } : inGroup('', rest, catalog);
    case 'apis': {
      const [group, ...inside] = rest;
      if (group === undefined) return { type: 'discovery', of: 'groups' };
      if (inside.length > 0) return inGroup(group, inside, catalog);
      return catalog.groups().has(group) ? { type: 'group', group } : { type: 'unknown-path' };
    }
    case 'openapi':
      if (rest[0] === 'v3') return { type: 'openapi-v3', document: rest.slice(1).join('/') };
      return rest.length === 1 && rest[0] === 'v2' ? { type: 'openapi-v2' } : { type: 'unknown-path' };
    case 'version':
      return rest.length === 0 ? { type: 'version' } : { type: 'unknown-path' };
    case 'healthz':
    case 'livez':
    case 'readyz':
      return { type: 'health' };
    default:
      return { type: 'unknown-path' };
  }
}

function inGroup(group: string, [version = '', ...segments]: readonly string[], catalog: Catalog): Route {
  const served = catalog.inGroupVersion(group, version);
  if (served.length === 0) return { type: 'unknown-path' };
  if (segments.length === 0) return { type: 'group-version', group, version };
  const watch = segments[0] === 'watch';
  const address = splitAddress(watch ? segments.slice(1) : segments);
  const resource = catalog.find(group, version, address.plural);
  if (resource === undefined || (address.namespace !== '' && !resource.namespaced) || address.rest.length > 2) {
    return served.every((other) => other.custom) ? { type: 'unknown-path' } : { type: 'unknown-resource' };
  }
  const [name = '', subresource = ''] = address.rest;
  return { type: 'resource', resource, namespace: address.namespace, name, subresource, watch };
}

interface Address {
  readonly namespace: string;
  readonly plural: string;
  readonly rest: readonly string[];
}

/** Splits a path. `namespaces/a/pods/b` is a pod; `namespaces/a/status` is the namespace's. */
export function splitAddress(segments: readonly string[]): Address {
  const [first = '', second, third, ...rest] = segments;
  if (
    first === 'namespaces' &&
    second !== undefined &&
    third !== undefined &&
    !(rest.length === 0 && namespaceSubresources.has(third))
  ) {
    return { namespace: second, plural: third, rest };
  }
  return { namespace: '', plural: first, rest: segments.slice(1) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Returns the verb as access rules name it. Throws a 404 or 405 if none fits the request. */
export function verbOf({ method, query }: ApiRequest, route: ResourceRoute): Verb {
  assertSubresource(route);
  const { name, namespace, subresource, resource } = route;
  const isWatch = route.watch || (name === '' && parseBoolean(query.get('watch')) === true);
  if (resource.isComputed && (isWatch || method !== 'GET')) throw methodNotAllowed();
  switch (method) {
    case 'GET':
      if (subresource === 'eviction') throw methodNotAllowed();
      if (isWatch) return 'watch';
      return name === '' ? 'list' : 'get';
    case 'POST':
      if (subresource === 'eviction') return 'create';
      if (name !== '' || (resource.namespaced && namespace === '')) throw methodNotAllowed();
      return 'create';
    case 'PUT':
    case 'PATCH':
      if (name === '' || podSubresources.has(subresource)) throw methodNotAllowed();
      return method === 'PUT' ? 'update' : 'patch';
    case 'DELETE':
      if (subresource !== '' || (resource.namespaced && namespace === '')) throw methodNotAllowed();
      return name === '' ? 'deletecollection' : 'delete';
    default:
      throw methodNotAllowed();
  }
}

function assertSubresource({ resource, name, namespace, subresource, watch }: ResourceRoute): void {
  // An object of a namespaced resource has no address without its namespace.
  if (name !== '' && resource.namespaced && namespace === '' && !watch) throw unknownResource();
  const known =
    subresource === '' ||
    (subresource === 'status' && resource.hasStatus) ||
    (podSubresources.has(subresource) && resource.group === '' && resource.plural === 'pods') ||
    (subresource === 'scale' && resource.scale !== undefined) ||
    (subresource === 'finalize' && resource.plural === 'namespaces');
  if (!known) throw unknownResource();
}
