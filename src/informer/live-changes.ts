import { Bucket } from '../store/bucket.js';
import type { Change, ChangeSet, DeletedChange } from '../store/change.js';
import { isAnotherIncarnation } from '../store/identity.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { BucketReads } from '../store/snapshot.js';
import type { Announcement } from './listeners.js';
import type { Follower } from './live-query.js';

/**
 * Follows the changes of one bucket: its state as a change set with reason `initial`, then the
 * changes of each commit. A first content that comes later replaces the state: what it lacks is
 * deleted, as by a relist.
 *
 * @param changesOf returns what a commit changed in the bucket
 */
export function liveChanges<T>(
  bucketOf: (snapshot: IndexedSnapshot<T>) => BucketReads<T> | undefined,
  changesOf: (announcement: Announcement<T>, keys: readonly string[]) => readonly Change<T>[],
): () => Follower<T, ChangeSet<T>> {
  const bucketIn = (snapshot: IndexedSnapshot<T>): BucketReads<T> => bucketOf(snapshot) ?? Bucket.empty<T>();
  return () => {
    let held: BucketReads<T> = Bucket.empty<T>();
    return {
      start(snapshot, emit) {
        held = bucketIn(snapshot);
        emit(stateChangeSet(held.keys(), held.objects()));
      },
      follow(announcement, keys, emit) {
        const { isFirst, commit } = announcement;
        const before = held;
        held = bucketIn(commit.snapshot);
        const changes = isFirst ? replacement(before, held) : changesOf(announcement, keys);
        if (changes.length > 0) emit({ reason: isFirst ? 'relist' : commit.reason, changes });
      },
    };
  };
}

/**
 * Returns what a commit did to one bucket: its net effect on each key.
 *
 * | before the commit | after it | change |
 * | --- | --- | --- |
 * | outside | inside | added |
 * | inside | inside, another object | updated; deleted and added where the uid differs |
 * | inside | outside, still in the store | deleted, with the object as it was in the bucket (D10) |
 * | inside | gone from the store | deleted, with its final state |
 */
export function bucketChanges<T>(
  before: BucketReads<T> | undefined,
  after: BucketReads<T> | undefined,
  keys: readonly string[],
  announcement: Announcement<T>,
): readonly Change<T>[] {
  return differences(before, after, keys, (key, object) => announcement.deletion(key) ?? deletion(key, object, false));
}

/** Returns what turns one bucket into another; deletions come first and are inferred (D3). */
function replacement<T>(before: BucketReads<T>, after: BucketReads<T>): readonly Change<T>[] {
  const gone = before.keys().filter((key) => !after.has(key));
  return differences(before, after, [...gone, ...after.keys()], (key, object) => deletion(key, object, true));
}

function differences<T>(
  before: BucketReads<T> | undefined,
  after: BucketReads<T> | undefined,
  keys: readonly string[],
  removal: (key: string, object: T) => DeletedChange<T>,
): readonly Change<T>[] {
  return keys.flatMap((key): Change<T>[] => {
    const previous = before?.get(key)?.object;
    const object = after?.get(key)?.object;
    if (previous === object) return [];
    if (previous === undefined) return object === undefined ? [] : [{ type: 'added', key, object }];
    if (object === undefined) return [removal(key, previous)];
    if (isAnotherIncarnation(previous, object)) return [removal(key, previous), { type: 'added', key, object }];
    return [{ type: 'updated', key, object, previous }];
  });
}

/** Returns the state as a change set: what a subscriber gets first, however late it comes (G1). */
function stateChangeSet<T>(keys: readonly string[], objects: readonly T[]): ChangeSet<T> {
  const changes = objects.map((object, position): Change<T> => ({
    type: 'added',
    key: keys[position] as string,
    object,
  }));
  return { reason: 'initial', changes };
}

function deletion<T>(key: string, object: T, finalStateUnknown: boolean): DeletedChange<T> {
  return { type: 'deleted', key, object, finalStateUnknown };
}
