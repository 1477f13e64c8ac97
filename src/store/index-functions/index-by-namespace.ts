import type { KubernetesObject } from '../../kubernetes/object.js';

/**
 * Indexes by namespace; cluster-scoped objects are in the bucket `''` (S16).
 *
 * @example
 * informer(listWatch(client, pods), { indexers: { namespace: indexByNamespace } }).byIndex('namespace', 'web')
 */
export function indexByNamespace(object: KubernetesObject): string {
  return object.metadata?.namespace ?? '';
}
