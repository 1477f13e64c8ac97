import type { KubernetesObject } from '../../kubernetes/object.js';

/**
 * Indexes by the uid of every owner: the objects that the garbage collector deletes after it.
 *
 * @example
 * declare const job: Job
 * const owned = informer(listWatch(client, pods), { indexers: { owner: indexByOwner } })
 * owned.byIndex$('owner', job.metadata.uid)
 */
export function indexByOwner(object: KubernetesObject): readonly string[] {
  return object.metadata?.ownerReferences?.map(({ uid }) => uid) ?? NO_OWNERS;
}

const NO_OWNERS: readonly string[] = Object.freeze([]);
