import { resourceVersionOf, uidOf } from '../../kubernetes/object.js';
import type { RecordedWrite } from '../api/recording-client.js';

/** The version of an object that a change led to. */
export interface ChangedVersion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isDeleted: boolean;
}

/** The writes of the last runs of one key. */
interface WritesOfKey {
  /**
   * The writes that the caches may not have observed yet, by the uid of the object. A write is left
   * out if a later write replaces it.
   */
  readonly unobserved: Map<string, readonly RecordedWrite[]>;
  /** Every version that was written, each as `uid@resourceVersion`. */
  readonly versions: Set<string>;
  readonly gone: Set<string>;
}

/**
 * Records the writes of the runs of each key, and which of these writes the caches have not
 * observed yet.
 *
 * Memory is held for a key from its first write until its writes have been observed and `forget` is
 * called. Each operation costs O(1); `unobserved` costs O(w) with w writes of the key.
 */
export class OwnWrites {
  readonly #keys = new Map<string, WritesOfKey>();

  /** The keys with writes that are not observed yet. */
  get unobservedKeys(): readonly string[] {
    return [...this.#keys].filter(([, { unobserved }]) => unobserved.size > 0).map(([key]) => key);
  }

  /** The number of keys in memory. */
  get size(): number {
    return this.#keys.size;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  record(key: string, write: RecordedWrite): void {
    let writes = this.#keys.get(key);
    if (!writes) this.#keys.set(key, (writes = { unobserved: new Map(), versions: new Set(), gone: new Set() }));
    note(writes, write);
    if (!write.waitForCache) return;
    const earlier = writes.unobserved.get(write.uid) ?? [];
    writes.unobserved.set(write.uid, [...earlier.filter((each) => !replaces(write, each)), write]);
  }

  /**
   * Returns the writes that the caches have not observed yet: one list for each object, in the
   * order in which they were made.
   */
  unobserved(key: string): readonly (readonly RecordedWrite[])[] {
    return [...(this.#keys.get(key)?.unobserved.values() ?? [])];
  }

  /** Removes a write that has been observed, or that is no longer waited for. */
  settle(key: string, write: RecordedWrite): void {
    const unobserved = this.#keys.get(key)?.unobserved;
    const left = unobserved?.get(write.uid)?.filter((each) => each !== write) ?? [];
    if (left.length > 0) unobserved?.set(write.uid, left);
    else unobserved?.delete(write.uid);
  }

  /** Returns true if one of the last runs of the key led to this version of an object. */
  isOwn(key: string, { uid, resourceVersion, isDeleted }: ChangedVersion): boolean {
    const writes = this.#keys.get(key);
    if (!writes) return false;
    return isDeleted ? writes.gone.has(uid) : writes.versions.has(versionName(uid, resourceVersion));
  }

  /**
   * Forgets all writes of a key except the unobserved writes. Called when a run of the key begins,
   * or when nothing more is expected for the key.
   */
  forget(key: string): void {
    const writes = this.#keys.get(key);
    if (!writes) return;
    const { unobserved, versions, gone } = writes;
    versions.clear();
    gone.clear();
    if (unobserved.size === 0) this.#keys.delete(key);
    for (const each of unobserved.values()) for (const write of each) note(writes, write);
  }
}

/**
 * Returns the version that a change led to; `undefined` if the object has no uid or no
 * resourceVersion.
 */
export function changedVersion(object: unknown, isDeleted: boolean): ChangedVersion | undefined {
  const uid = uidOf(object);
  const resourceVersion = resourceVersionOf(object);
  return uid === undefined || resourceVersion === undefined ? undefined : { uid, resourceVersion, isDeleted };
}

function note({ versions, gone }: Pick<WritesOfKey, 'versions' | 'gone'>, write: RecordedWrite): void {
  if (write.resourceVersion !== undefined) versions.add(versionName(write.uid, write.resourceVersion));
  if (write.isGone) gone.add(write.uid);
}

/**
 * Returns true if a cache that has observed the later write need not be checked for the earlier
 * write. This holds for a later version of the same object. It does not hold for a deletion: a
 * cache that never held the object may still receive its creation. It does not hold if the labels
 * differ: a cache that selects only the earlier labels may still receive the earlier version.
 */
function replaces(later: RecordedWrite, earlier: RecordedWrite): boolean {
  if (later.isGone) return earlier.isGone;
  return labelsOf(later) === labelsOf(earlier);
}

function labelsOf({ object }: RecordedWrite): string {
  return JSON.stringify(object.metadata?.labels ?? {});
}

function versionName(uid: string, resourceVersion: string): string {
  return `${uid}@${resourceVersion}`;
}
