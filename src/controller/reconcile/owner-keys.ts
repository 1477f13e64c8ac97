import { groupOf } from '../../kubernetes/api-version.js';
import { kindOf } from '../../kubernetes/kind-of.js';
import type { KubernetesObject, OwnerReference } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';

/** Which owners count. */
export interface OwnerKeysOptions {
  /** True: all owners; false: only the one that manages the object (`controller: true`). */
  readonly everyOwner: boolean;
}

/** Where owners are looked for. */
export interface Owners {
  /** The resource of the primary collection, as far as it is known. */
  readonly resource?: Resource<unknown> | undefined;
  /** Returns a primary object by its key. */
  get(key: string): KubernetesObject | undefined;
}

/**
 * Returns the keys of those owners of `object` that are primary objects, in the namespace of the
 * object or in none.
 *
 * A primary object is the owner if the reference has its uid, or its API group, kind and name. Group
 * and kind are those of the collection's resource, or else what the object says. If neither is known,
 * the name decides: a key that is reconciled once too often costs less than one that is not.
 *
 * An owner that is not in the collection has no key. Before it is added there is nothing to
 * reconcile, and its addition is a trigger of its own, as is its deletion.
 * The version of the API is not compared, because an owner is the same in all of them. A uid that
 * differs is no obstacle, because what a deleted object of that name left behind concerns the new one.
 */
export function ownerKeys(
  object: KubernetesObject,
  owners: Owners,
  { everyOwner }: OwnerKeysOptions,
): readonly string[] {
  const { namespace = '', ownerReferences = [] } = object.metadata ?? {};
  return ownerReferences.flatMap((reference) => {
    if (!everyOwner && reference.controller !== true) return [];
    const key = candidateKeys(namespace, reference.name).find((candidate) =>
      isReferredTo(owners.get(candidate), reference, owners.resource),
    );
    return key === undefined ? [] : [key];
  });
}

/** An owner is in the same namespace, or in none. */
function candidateKeys(namespace: string, name: string): readonly string[] {
  return namespace === '' ? [name] : [`${namespace}/${name}`, name];
}

function isReferredTo(
  owner: KubernetesObject | undefined,
  reference: OwnerReference,
  resource: Resource<unknown> | undefined,
): boolean {
  if (owner === undefined) return false;
  if (owner.metadata?.uid === reference.uid) return true;
  const { apiVersion, kind } = kindOf(owner, resource);
  const isSameKind = kind === undefined || kind === reference.kind;
  return isSameKind && (apiVersion === undefined || groupOf(apiVersion) === groupOf(reference.apiVersion));
}
