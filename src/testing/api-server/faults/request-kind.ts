import type { ApiRequest } from '../exchange.js';
import type { Catalog } from '../resources/catalog.js';
import { parsePath } from '../routing/parse-path.js';
import { verbOf, type Verb } from '../routing/verb.js';
import type { RequestKind } from './server-fault.js';

/** What a request asks for; undefined where it is not for objects, or is nonsense that the server itself will answer. */
export function requestKind(request: ApiRequest, catalog: Catalog): RequestKind | undefined {
  const route = parsePath(request.path, catalog);
  if (route.type !== 'resource') return undefined;
  try {
    return kindOf(verbOf(request, route));
  } catch {
    return undefined;
  }
}

function kindOf(verb: Verb): RequestKind {
  switch (verb) {
    case 'list':
    case 'watch':
    case 'get':
      return verb;
    case 'create':
    case 'update':
    case 'patch':
    case 'delete':
    case 'deletecollection':
      return 'write';
  }
  return verb satisfies never;
}
