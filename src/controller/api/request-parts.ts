import { apiVersionOf } from '../../kubernetes/api-version.js';
import { metaNamespaceKey, splitMetaNamespaceKey } from '../../kubernetes/key.js';
import type { ObjectMeta } from '../../kubernetes/object.js';
import { resourcePath, ResourcePathError } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
import { formatLabelSelector } from '../../kubernetes/selector.js';
import type { DeleteOptions, SelectionOptions } from './call-options.js';
import type { Target } from './object-types.js';

/** As kubectl and client-go have it. */
export const defaultLimit = 500;

export const json = { 'content-type': 'application/json' };
// JSON is YAML, and the only media types that every server knows.
export const applyHeaders = { 'content-type': 'application/apply-patch+yaml' };
export const patchHeaders = {
  json: { 'content-type': 'application/json-patch+json' },
  merge: { 'content-type': 'application/merge-patch+json' },
  strategic: { 'content-type': 'application/strategic-merge-patch+json' },
} as const;

export function creationPath(
  resource: Resource<unknown>,
  { namespace, name }: ObjectMeta,
  subresource?: string,
): string {
  if (subresource !== undefined) return resourcePath(resource, { namespace, name, subresource });
  return collectionPath(resource, { namespace, name }, 'one object is created in a namespace');
}

/** The path of all objects in one namespace; the server's answer to another one (405) does not say what is missing. */
export function collectionPath(resource: Resource<unknown>, { namespace, name }: ObjectMeta, rule: string): string {
  if (resource.namespaced && !namespace) throw new ResourcePathError(resource, { namespace, name }, rule);
  return resourcePath(resource, { namespace });
}

export function selectionQuery({ labelSelector, fieldSelector }: SelectionOptions) {
  const labels = typeof labelSelector === 'object' ? formatLabelSelector(labelSelector) : labelSelector;
  return { labelSelector: labels || undefined, fieldSelector: fieldSelector || undefined };
}

/** The server reads the query of a DELETE only if there is no body. */
export function deleteBody({ dryRun, ...options }: DeleteOptions): string {
  const dry = dryRun === true ? { dryRun: ['All'] } : {};
  return JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...dry, ...options });
}

export function keyOf(target: Target): string {
  return typeof target === 'string' ? target : metaNamespaceKey(target);
}

export function checkedLimit(limit: number): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new RangeError(`limit must be a whole number from 1, not ${limit}`);
}

/** The path of one object, or of a part of it. */
export function objectPath(resource: Resource<unknown>, target: Target, subresource?: string): string {
  return resourcePath(resource, { ...splitMetaNamespaceKey(keyOf(target)), subresource });
}

/** The object as JSON, with the kind and apiVersion of the resource if it has none. */
export function objectBody({ group, version, kind }: Resource<unknown>, object: object): string {
  const type = { apiVersion: apiVersionOf({ group, version }), ...(kind === undefined ? {} : { kind }) };
  // `{ kind: undefined }` must not hide the kind that the resource says.
  const given = Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
  return JSON.stringify({ ...type, ...given });
}
