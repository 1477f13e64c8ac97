import { metaNamespaceKey, invalidObjectError } from '../../kubernetes/keys.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { JsonPatchOperation } from './json-patch/json.js';

/** The identity and the version of a stored object. An edit tests both. */
export interface Stored {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Throws `RXI_INVALID_OBJECT` if the object did not come from the server. */
export function storedIdentity(object: unknown): Stored {
  const key = metaNamespaceKey(object as KubernetesObject);
  const { uid, resourceVersion } = (object as KubernetesObject).metadata ?? {};
  if (!uid)
    throw invalidObjectError(object, `${key} has no metadata.uid; pass the object that the API server returned`);
  if (!resourceVersion) {
    throw invalidObjectError(
      object,
      `${key} has no metadata.resourceVersion; pass the object that the API server returned`,
    );
  }
  return { key, uid, resourceVersion };
}

/** Returns the operations, preceded by their preconditions (RFC 6902 `test`). */
export function guarded(
  { uid, resourceVersion }: Stored,
  operations: readonly JsonPatchOperation[],
): readonly JsonPatchOperation[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    ...operations,
  ];
}
