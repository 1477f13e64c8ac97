import type { StorageEvent } from '../storage/history.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { StorageAddress } from './object-reference.js';

/** How many deleted objects are remembered. */
const memory = 10_000;

/** Who belongs to whom, by uid, and where each object is stored. */
export class OwnerIndex {
  readonly #addresses = new Map<string, StorageAddress>();
  readonly #dependents = new Map<string, Set<string>>();
  /** The uids of those that were deleted last, oldest first. */
  readonly #gone = new Set<string>();

  follow(resource: string, { type, key, object, previous }: StorageEvent): void {
    if (previous !== undefined) this.#unlink(previous);
    const { uid } = object.metadata;
    if (type === 'DELETED') {
      this.#addresses.delete(uid);
      this.#remember(uid);
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

  /** Whether there was such an object; one that never was is not gone. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  dependentsOf(uid: string): readonly StorageAddress[] {
    return [...(this.#dependents.get(uid) ?? [])]
      .map((dependent) => this.#addresses.get(dependent))
      .filter((address) => address !== undefined);
  }

  #remember(uid: string): void {
    this.#gone.add(uid);
    if (this.#gone.size <= memory) return;
    for (const oldest of this.#gone) {
      this.#gone.delete(oldest);
      return;
    }
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
