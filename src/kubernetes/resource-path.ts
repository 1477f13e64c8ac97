import { RxInformersError } from './errors.js';
import { resourceName, type GroupVersion, type Resource } from './resource.js';

/** Which objects of a resource a path leads to. */
export interface ResourcePathOptions {
  /** Default: `''`, all namespaces. */
  readonly namespace?: string | undefined;
  /** One object; default: the collection. An object of a namespaced resource needs its namespace too. */
  readonly name?: string | undefined;
  /** A part of one object, for example `status`. */
  readonly subresource?: string | undefined;
}

/**
 * The absolute path of a resource at the API server, without a query.
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
 * **Errors**: throws `ResourcePathError` for a namespace where the resource has none, a name without the namespace it needs,
 * a subresource without a name, and for names that would lead to another path (`..`, `a/b`, an empty name).
 *
 * @example
 * import { deployments, resourcePath } from 'rx-informers';
 *
 * resourcePath(deployments, { namespace: 'web', name: 'shop' }); // '/apis/apps/v1/namespaces/web/deployments/shop'
 */
export function resourcePath(resource: Resource<unknown>, options: ResourcePathOptions = {}): string {
  const { namespace = '', name, subresource } = options;
  const refuse = (problem: string): never => {
    throw new ResourcePathError(resource, options, problem);
  };
  if (namespace !== '' && !resource.namespaced) refuse('it is cluster-scoped and has no namespaces');
  if (name !== undefined && namespace === '' && resource.namespaced)
    refuse('one object is addressed by namespace and name');
  if (subresource !== undefined && name === undefined) refuse('a subresource belongs to one object; give its name');

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

/** The path of a group and version: `/api/v1` for the core group, otherwise for example `/apis/apps/v1`. */
export function groupVersionPath({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/**
 * Thrown where the namespace, name or subresource does not fit the resource, for example a
 * namespace for a cluster-scoped kind.
 *
 * **What to do**: Correct the option that the message names.
 */
export class ResourcePathError extends RxInformersError {
  static override readonly code = 'RXI_RESOURCE_PATH';
  override readonly name = 'ResourcePathError';
  constructor(
    readonly resource: Resource<unknown>,
    readonly options: ResourcePathOptions,
    readonly problem: string,
  ) {
    super(`cannot address ${resourceName(resource)} with ${JSON.stringify(options)}: ${problem}`);
  }
}

// The API server's own rule for names (ValidatePathSegmentName): encoding alone would not protect `.` and `..`.
function isPathSegment(value: string): boolean {
  return value !== '' && value !== '.' && value !== '..' && !/[/%]/.test(value);
}
