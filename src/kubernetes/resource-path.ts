import { RxInformersError } from './errors.js';
import { resourceName, type GroupVersion, type Resource } from './resource.js';

/** The options of `resourcePath`: the objects that the path addresses. */
export interface ResourcePathOptions {
  /** The namespace. Default: `''`, all namespaces. */
  readonly namespace?: string | undefined;
  /** Default: the whole collection. An object of a namespaced resource needs its namespace. */
  readonly name?: string | undefined;
  /** A part of one object, for example `status`. Default: none, the object itself. */
  readonly subresource?: string | undefined;
}

/**
 * Returns the absolute path of a resource at the API server, without a query.
 *
 * | options | path for `deployments` |
 * | --- | --- |
 * | none | `/apis/apps/v1/deployments` |
 * | namespace | `/apis/apps/v1/namespaces/web/deployments` |
 * | namespace, name | `/apis/apps/v1/namespaces/web/deployments/shop` |
 * | namespace, name, subresource | `/apis/apps/v1/namespaces/web/deployments/shop/status` |
 *
 * Names are percent-encoded.
 *
 * **Errors**: throws `RXI_RESOURCE_PATH` for a namespace of a cluster-scoped resource, for a name
 * without the namespace that it needs, for a subresource without a name, and for names that would
 * address another path (`..`, `a/b`, an empty name).
 *
 * @param resource the resource, for example `deployments`
 * @param options the namespace, the name and the subresource
 * @returns a path that begins with `/api`
 * @throws `RXI_RESOURCE_PATH` for options that do not fit the resource
 * @example
 * import { deployments } from 'rx-informers';
 * import { resourcePath } from 'rx-informers/client';
 *
 * // '/apis/apps/v1/namespaces/web/deployments/shop'
 * resourcePath(deployments, { namespace: 'web', name: 'shop' });
 */
export function resourcePath(resource: Resource<unknown>, options: ResourcePathOptions = {}): string {
  const { namespace = '', name, subresource } = options;
  const refuse = (problem: string): never => {
    throw resourcePathError(resource, options, problem);
  };
  if (namespace !== '' && !resource.namespaced) refuse('the resource is cluster-scoped; leave the namespace out');
  if (name !== undefined && namespace === '' && resource.namespaced)
    refuse('the resource is namespaced; pass the namespace of the object');
  if (subresource !== undefined && name === undefined) refuse('a subresource belongs to one object; pass its name');

  const segment = (what: string, value: string): string =>
    isPathSegment(value)
      ? encodeURIComponent(value)
      : refuse(`${what} ${JSON.stringify(value)} cannot be part of a path`);
  return [
    groupVersionPath(resource),
    ...(namespace === '' ? [] : ['namespaces', segment('namespace', namespace)]),
    resource.plural,
    ...(name === undefined ? [] : [segment('name', name)]),
    ...(subresource === undefined ? [] : [segment('subresource', subresource)]),
  ].join('/');
}

/** Returns `/api/v1` for the core group, otherwise for example `/apis/apps/v1`. */
export function groupVersionPath({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

export function resourcePathError(
  resource: Resource<unknown>,
  options: ResourcePathOptions,
  problem: string,
): RxInformersError<'RXI_RESOURCE_PATH'> {
  const message = `cannot address ${resourceName(resource)} with ${JSON.stringify(options)}: ${problem}`;
  return new RxInformersError('RXI_RESOURCE_PATH', message, { resource, options, problem });
}

// The API server's ValidatePathSegmentName: encoding would not protect `.` and `..`.
function isPathSegment(value: string): boolean {
  return value !== '' && value !== '.' && value !== '..' && !/[/%]/.test(value);
}
