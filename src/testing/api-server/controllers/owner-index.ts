import type { StorageEvent } from '../storage/history.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { StorageAddress } from './object-reference.js';

/** Who belongs to whom, by uid, and where each object is stored. */
export class OwnerIndex {
  readonly #addresses = new Map<string, StorageAddress>();
  readonly #dependents = new Map<string, Set<string>>();

  follow(resource: string, { type, key, object, previous }: StorageEvent): void {
    if (previous !== undefined) this.#unlink(previous);
    const { uid } = object.metadata;
    if (type === 'DELETED') {
      this.#addresses.delete(uid);
      return;
    }
    this.#addresses.set(uid, { resource, key });
    for (const owner of ownersOf(object)) {
      const dependents = this.#dependents.get(owner) ?? new Set();
      this.#dependents.set(owner, dependents.add(uid));
    }
  }

  addressOf(uid: string): StorageAddress | undefined {
    return this.#addresses.get(uid);
  }

  dependentsOf(uid: string): readonly StorageAddress[] {
    return [...(this.#dependents.get(uid) ?? [])]
      .map((dependent) => this.#addresses.get(dependent))
      .filter((address) => address !== undefined);
  }

  #unlink(object: StoredObject): void {
    for (const owner of ownersOf(object)) {
      const dependents = this.#dependents.get(owner);
      dependents?.delete(object.metadata.uid);
      if (dependents?.size === 0) this.#dependents.delete(owner);
    }
  }
}

export function ownersOf({ metadata }: StoredObject): readonly string[] {
  return (metadata.ownerReferences ?? []).map(({ uid }) => uid);
}
