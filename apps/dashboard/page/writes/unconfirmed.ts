import type { KubernetesObject } from 'rx-informers';

/**
 * Returns whether an object shows a write that the watch has not confirmed. The object has no
 * version until then.
 */
export function isUnconfirmed({ metadata }: KubernetesObject): boolean {
  return metadata?.resourceVersion === undefined;
}
