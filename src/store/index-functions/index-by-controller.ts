import type { KubernetesObject } from '../../kubernetes/object.js';

/**
 * Indexes by the uid of the one owner that manages the object (`controller: true`); objects without one are in no bucket.
 *
 * @example
 * declare const replicaSet: ReplicaSet
 * const owned = informer(listWatch(client, pods), { indexers: { controller: indexByController } })
 * owned.byIndex$('controller', replicaSet.metadata.uid)
 */
export function indexByController(object: KubernetesObject): string | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}
