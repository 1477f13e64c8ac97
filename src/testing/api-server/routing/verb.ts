import { methodNotAllowed, unknownResource } from '../api-error.js';
import type { ApiRequest } from '../exchange.js';
import { parseBoolean } from '../read/list-options.js';
import type { ResourceRoute } from './parse-path.js';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a request wants, in the words of the access rules; throws 404 and 405 where that cannot be. */
export function verbOf({ method, query }: ApiRequest, route: ResourceRoute): Verb {
  assertSubresource(route);
  const { name, namespace, subresource, resource } = route;
  switch (method) {
    case 'GET':
      if (route.watch) return 'watch';
      if (name !== '') return 'get';
      return parseBoolean(query.get('watch')) === true ? 'watch' : 'list';
    case 'POST':
      if (name !== '' || (resource.namespaced && namespace === '')) throw methodNotAllowed();
      return 'create';
    case 'PUT':
    case 'PATCH':
      if (name === '') throw methodNotAllowed();
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
    (subresource === 'scale' && resource.scale !== undefined) ||
    (subresource === 'finalize' && resource.plural === 'namespaces');
  if (!known) throw unknownResource();
}
