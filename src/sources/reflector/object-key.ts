import { metaNamespaceKey } from '../../kubernetes/key.js';
import type { KubernetesObject } from '../../kubernetes/object.js';

/** `namespace/name`, or `undefined` for what cannot be identified so: here that is no error, the key function reports it. */
export function objectKey(object: unknown): string | undefined {
  try {
    return metaNamespaceKey(object as KubernetesObject);
  } catch {
    return undefined;
  }
}
