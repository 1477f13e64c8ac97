import type { KubeRequest } from '../../sources/client/kube-client.js';
import { isJsonObject } from '../api-server/exchange/json.js';
import { splitAddress } from '../api-server/resources/routing.js';
import type { NeededRight } from './policy-rule.js';

/**
 * Returns the rights that a request needs. The first is the right to the request itself; the others
 * are rights that it needs in some cases: to list where a server cannot stream a list, to create
 * what an apply does not find, and to update the finalizers of owners whose deletion is blocked.
 * Returns nothing for documents, such as `/version`, and for reviews of the sender.
 */
export function rightsOf(request: KubeRequest): readonly NeededRight[] {
  const [root, ...segments] = request.path.split('/').filter(Boolean);
  if (root !== 'api' && root !== 'apis') return [];
  const [group = '', , ...inVersion] = root === 'api' ? ['', ...segments] : segments;
  const { plural, rest } = splitAddress(inVersion);
  const [name = '', subresource] = rest;
  if (plural === '' || plural.startsWith('selfsubject')) return [];
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const verb = verbOf(request, name);
  const right = { group, resource, verb };
  if (verb === 'watch') return [right, { ...right, verb: 'list' }];
  const creates = isApply(request) && subresource === undefined;
  return [right, ...(creates ? [{ ...right, verb: 'create' }] : []), ...finalizersOf(request)];
}

export function isApply({ method, headers }: KubeRequest): boolean {
  return method === 'PATCH' && headers?.['content-type']?.startsWith('application/apply-patch') === true;
}

function verbOf({ method, query }: KubeRequest, name: string): string {
  switch (method) {
    case 'GET':
      if (name !== '') return 'get';
      return query?.['watch'] === true || query?.['watch'] === 'true' ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
  }
  return method satisfies never;
}

/** Returns the rights to the finalizers of the owners whose deletion a JSON body blocks. */
export function finalizersOf({ body = '' }: KubeRequest): readonly NeededRight[] {
  if (!body.includes('blockOwnerDeletion')) return [];
  const rights: NeededRight[] = [];
  try {
    JSON.parse(body, (_, value: unknown) => {
      if (isJsonObject(value) && value['blockOwnerDeletion'] === true) {
        const [group = ''] = /^.*(?=\/)/.exec(String(value['apiVersion'])) ?? [];
        rights.push({ group, resource: `${pluralOf(String(value['kind']))}/finalizers`, verb: 'update' });
      }
      return value;
    });
  } catch {
    // The body is not JSON, for example an apply in YAML. The request must pass unchanged.
  }
  return rights;
}

/** The plural of a kind, as kubectl guesses it: an owner reference does not have it. */
function pluralOf(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
