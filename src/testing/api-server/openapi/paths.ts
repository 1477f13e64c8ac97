import { apiVersionOf, type ServedResource } from '../resources/served-resource.js';
import { groupVersionKind } from '../schema/schema.js';

/** One request that a path of the documents describes. */
export interface Operation {
  readonly 'x-kubernetes-action': string;
  readonly 'x-kubernetes-group-version-kind': Readonly<Record<string, string>>;
  readonly parameters: readonly object[];
  readonly responses: object;
}

/** Describes a parameter of the query; version 2 and 3 of OpenAPI write it differently. */
export type DescribeParameter = (name: string, type: 'string' | 'boolean' | 'integer') => object;

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'];
const listParameters = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
const types: Readonly<Record<string, 'boolean' | 'integer'>> = {
  force: 'boolean',
  limit: 'integer',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};

/** Returns the paths of a resource: the collection and an object, with its subresources. */
export function pathsOf(resource: ServedResource, parameter: DescribeParameter): Paths {
  const operation = (action: string, names: readonly string[] = []): Operation => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': groupVersionKind(resource),
    parameters: names.map((name) => parameter(name, types[name] ?? 'string')),
    responses: { 200: { description: 'OK' } },
  });
  const root = `${resource.group === '' ? '/api' : '/apis'}/${apiVersionOf(resource)}`;
  const collection = `${root}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.plural}`;
  const get = operation('get');
  const put = operation('put', writeParameters);
  const patch = operation('patch', [...writeParameters, 'force']);
  const list = operation('list', listParameters);
  const subresources = [...(resource.hasStatus ? ['status'] : []), ...(resource.scale ? ['scale'] : [])];
  return {
    ...(resource.namespaced ? { [`${root}/${resource.plural}`]: { get: list } } : {}),
    [collection]: {
      get: list,
      post: operation('post', writeParameters),
      delete: operation('deletecollection', [...listParameters, 'dryRun', 'propagationPolicy']),
    },
    [`${collection}/{name}`]: { get, put, patch, delete: operation('delete', ['dryRun', 'propagationPolicy']) },
    ...Object.fromEntries(subresources.map((name) => [`${collection}/{name}/${name}`, { get, put, patch }])),
  };
}
