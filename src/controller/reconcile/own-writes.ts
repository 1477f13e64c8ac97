import { resourceVersionOf, uidOf } from '../../kubernetes/object.js';
import { noVersion } from '../../requests/resource-client/reported-writes.js';
import type { RecordedWrite } from '../../sources/client/kube-client.js';
import type { Change } from '../../store/change.js';

/** The step that a cache has announced: from one version of an object to another version. */
export interface ChangedVersion {
  readonly uid: string;
  /** The version that the cache held before; `noVersion` if it did not hold the object. */
  readonly previous: string;
  readonly resourceVersion: string;
  readonly isDeleted: boolean;
}

/**
 * Who has caused a step.
 *
 * - `own`: only the last runs of the key
 * - `unclear`: a run of the key, and perhaps another writer before it, because the run has not
 *   named the version that it changed
 * - `other`: another writer
 */
export type Author = 'own' | 'unclear' | 'other';

interface WritesOfKey {
  /** Writes that caches may not have observed, by uid, without those that a later one replaced. */
  readonly unobserved: Map<string, readonly RecordedWrite[]>;
  /** Each written `uid@resourceVersion`, with the version that it replaced, if known. */
  readonly replaced: Map<string, string | undefined>;
  /** The deleted objects by uid; false if another writer may have deleted the object. */
  readonly deleted: Map<string, boolean>;
}

const noWrites: Pick<WritesOfKey, 'replaced' | 'deleted'> = { replaced: new Map(), deleted: new Map() };

/**
 * The writes of the runs of each key, and which of them the caches have not observed. Memory is
 * held from the first write until all are observed and `forget` is called. Operations cost O(1);
 * `unobserved` O(w) with w writes of the key.
 */
export class OwnWrites {
  readonly #keys = new Map<string, WritesOfKey>();
  /** The times of the writes that are not observed yet. */
  readonly #writtenAt = new Map<RecordedWrite, number>();

  /** @param now returns the current time */
  constructor(private readonly now: () => number = () => 0) {}

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
    if (!writes) this.#keys.set(key, (writes = { unobserved: new Map(), replaced: new Map(), deleted: new Map() }));
    note(writes, write);
    if (!write.waitForCache) return;
    this.#writtenAt.set(write, this.now());
    const earlier = writes.unobserved.get(write.uid) ?? [];
    for (const each of earlier) if (replaces(write, each)) this.#writtenAt.delete(each);
    writes.unobserved.set(write.uid, [...earlier.filter((each) => this.#writtenAt.has(each)), write]);
  }

  /** Returns the unobserved writes: one list for each object, in their order. */
  unobserved(key: string): readonly (readonly RecordedWrite[])[] {
    return [...(this.#keys.get(key)?.unobserved.values() ?? [])];
  }

  /** Removes a write that was observed or given up. Returns the milliseconds since its response. */
  settle(key: string, write: RecordedWrite): number {
    const took = this.now() - (this.#writtenAt.get(write) ?? this.now());
    this.#writtenAt.delete(write);
    const unobserved = this.#keys.get(key)?.unobserved;
    const left = unobserved?.get(write.uid)?.filter((each) => each !== write) ?? [];
    if (left.length > 0) unobserved?.set(write.uid, left);
    else unobserved?.delete(write.uid);
    return took;
  }

  /**
   * Returns the author of a step. The step is `own` if the writes of the last runs lead from its
   * previous version to its version, each write from exactly the version that the write before it
   * has created. Pure.
   *
   * | the version, or a version from which these writes have led to it | author |
   * | --- | --- |
   * | is the previous version of the step | `own` |
   * | was written, but the run has not named the version that it changed | `unclear` |
   * | was not written, and the cache held the object before | `other` |
   * | was not written, and the cache did not hold the object: a write made it match a selector | `unclear` |
   */
  authorOf(key: string, { uid, previous, resourceVersion, isDeleted }: ChangedVersion): Author {
    const { replaced, deleted } = this.#keys.get(key) ?? noWrites;
    if (isDeleted && deleted.has(uid)) return deleted.get(uid) === true ? 'own' : 'unclear';
    if (isDeleted) return 'other';
    let version = resourceVersion;
    // The loop ends even if the versions of a server form a circle.
    for (let left = replaced.size; left > 0; left--) {
      const name = versionName(uid, version);
      if (!replaced.has(name)) break;
      const before = replaced.get(name);
      if (before === undefined) return 'unclear';
      if (before === previous) return 'own';
      version = before;
    }
    return version !== resourceVersion && previous === noVersion ? 'unclear' : 'other';
  }

  /** Forgets observed writes of a key, when its run begins or nothing more is expected. */
  forget(key: string): void {
    const writes = this.#keys.get(key);
    if (!writes) return;
    const { unobserved, replaced, deleted } = writes;
    replaced.clear();
    deleted.clear();
    if (unobserved.size === 0) this.#keys.delete(key);
    for (const each of unobserved.values()) for (const write of each) note(writes, write);
  }
}

/** Returns the step of a change; `undefined` if the object has no uid or no resourceVersion. */
export function changedVersion(change: Change<unknown>): ChangedVersion | undefined {
  const uid = uidOf(change.object);
  const resourceVersion = resourceVersionOf(change.object);
  if (uid === undefined || resourceVersion === undefined) return undefined;
  const previous = (change.type === 'updated' && resourceVersionOf(change.previous)) || noVersion;
  return { uid, previous, resourceVersion, isDeleted: change.type === 'deleted' };
}

function note({ replaced, deleted }: WritesOfKey, write: RecordedWrite): void {
  const { uid, resourceVersion, replacedVersion } = write;
  // A delete removes what others have written before. Any other write only ends their deletion.
  if (write.isGone !== false) deleted.set(uid, write.verb === 'delete');
  // A write that changes nothing is answered with the version of another write.
  if (resourceVersion === undefined || resourceVersion === replacedVersion) return;
  const name = versionName(uid, resourceVersion);
  replaced.set(name, replaced.get(name) ?? replacedVersion);
}

/**
 * True if a cache with the later write need not be checked for the earlier one: it is a later
 * version of the object. Not for a deletion (a cache without the object may still receive its
 * creation), nor if labels differ (a cache may select only the earlier ones).
 */
function replaces(later: RecordedWrite, earlier: RecordedWrite): boolean {
  if (later.isGone === true) return earlier.isGone === true;
  return later.resource === earlier.resource && labelsOf(later) === labelsOf(earlier);
}

function labelsOf({ object }: RecordedWrite): string {
  return JSON.stringify(object.metadata?.labels ?? {});
}

function versionName(uid: string, resourceVersion: string): string {
  return `${uid}@${resourceVersion}`;
}
