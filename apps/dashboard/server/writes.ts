import type { ApiPath } from './api-path.js';

/**
 * Returns true for a POST that only queries the identity or the permissions of the user. It changes
 * nothing, so it is allowed without `--allow-writes`. Pure.
 */
export function isReview(method: string, { group, resource, name }: ApiPath): boolean {
  if (method !== 'POST' || name !== undefined) return false;
  if (group === 'authentication.k8s.io') return resource === 'selfsubjectreviews';
  return (
    group === 'authorization.k8s.io' &&
    (resource === 'selfsubjectaccessreviews' || resource === 'selfsubjectrulesreviews')
  );
}

/**
 * Returns true for the writes that a dashboard needs. Returns false for all other writes, including
 * those that a future API may add. Examples are tokens of service accounts, ephemeral containers,
 * approvals of certificates, and new pods. Pure.
 *
 * Server-side apply is not permitted: it creates an object that does not exist, and nothing in the
 * request prevents that.
 *
 * | method | on | for |
 * | --- | --- | --- |
 * | PATCH, PUT | one object | restart, cordon, edit as YAML, with or without dry run |
 * | PATCH, PUT | `scale` of one object | scale |
 * | DELETE | one object | delete |
 * | POST | `eviction` of a pod | drain |
 */
export function isPermittedWrite(
  method: string,
  { group, resource, name, subresource, isWatch }: ApiPath,
  contentType?: string,
): boolean {
  if (resource === undefined || name === undefined || isWatch) return false;
  switch (method) {
    case 'PATCH':
      return isPatchOfExisting(contentType) && (subresource === undefined || subresource === 'scale');
    case 'PUT':
      return subresource === undefined || subresource === 'scale';
    case 'DELETE':
      return subresource === undefined;
    case 'POST':
      return group === '' && resource === 'pods' && subresource === 'eviction';
    default:
      return false;
  }
}

const patches: ReadonlySet<string> = new Set([
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
]);

/**
 * Returns true for the formats of patches that change an existing object only. The API server
 * refuses a patch without a format.
 */
function isPatchOfExisting(contentType: string | undefined): boolean {
  return contentType === undefined || patches.has(contentType.split(';', 1)[0]?.trim() ?? '');
}
