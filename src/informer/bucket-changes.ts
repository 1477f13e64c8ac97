import type { Bucket } from '../store/bucket.js';
import type { Change } from '../store/change.js';
import { isAnotherIncarnation } from '../store/identity.js';
import type { Announcement } from './announcement.js';

/**
 * What a commit did to one bucket: its net effect on each key.
 *
 * | before the commit | after it | change |
 * | --- | --- | --- |
 * | outside | inside | added |
 * | inside | inside, another object | updated; deleted and added where the uid differs |
 * | inside | outside, still in the store | deleted, with the object as it was in the bucket (D10) |
 * | inside | gone from the store | deleted, with its final state |
 */
export function bucketChanges<T>(
  before: Bucket<T> | undefined,
  after: Bucket<T> | undefined,
  keys: readonly string[],
  announcement: Announcement<T>,
): readonly Change<T>[] {
  const removal = (key: string, object: T): Change<T> =>
    announcement.deletion(key) ?? { type: 'deleted', key, object, finalStateUnknown: false };
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
