import type { KubernetesObject, OwnerReference } from '../../kubernetes/object.js';

/** Which owners count. */
export interface OwnerKeysOptions {
  /** True: all owners; false: only the one that manages the object (`controller: true`). */
  readonly everyOwner: boolean;
}

/**
 * The keys of those owners of `object` that are among the primary objects: same API group, kind and name, in the namespace of the
 * object or in none.
 *
 * An owner that is not there has no key, and that is right: before it comes nothing can be reconciled, and its coming is a trigger of
 * its own; after it has gone its going was one; and what another controller, or another selector, is responsible for is not ours.
 * The version of the API is not compared: an owner is the same in all of them. Nor is the uid: what a predecessor left behind
 * concerns its successor.
 *
 * @param primary finds a primary object by its key
 */
export function ownerKeys(
  object: KubernetesObject,
  primary: (key: string) => KubernetesObject | undefined,
  { everyOwner }: OwnerKeysOptions,
): readonly string[] {
  const { namespace = '', ownerReferences = [] } = object.metadata ?? {};
  return ownerReferences.flatMap((reference) => {
    if (!everyOwner && reference.controller !== true) return [];
    const key = candidateKeys(namespace, reference.name).find((candidate) =>
      isReferredTo(primary(candidate), reference),
    );
    return key === undefined ? [] : [key];
  });
}

/** An owner is in the same namespace, or in none. */
function candidateKeys(namespace: string, name: string): readonly string[] {
  return namespace === '' ? [name] : [`${namespace}/${name}`, name];
}

function isReferredTo(owner: KubernetesObject | undefined, { apiVersion, kind }: OwnerReference): boolean {
  return owner?.kind === kind && groupOf(owner.apiVersion) === groupOf(apiVersion);
}

/** The part before the slash; the core group has none. */
function groupOf(apiVersion = ''): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
}
