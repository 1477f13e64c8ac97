import { invalidOptionError } from '../kubernetes/errors.js';
import { isSameIncarnation, uidOf } from '../kubernetes/object.js';
import type { Dedup } from '../sources/reflector/read-watch.js';
import { withoutSuperseded } from '../sources/wire/peek.js';
import type { DeletedDelta, Delta, ReplacedAllDelta } from './delta.js';

/**
 * Deduplication of a batch: drops only repeated deletions (`client-go`), or everything except the
 * net effect (`latestOnly`).
 */
export type DedupMode = 'client-go' | Dedup;

/** Returns the function that deduplicates a batch of deltas. */
export function dedupOf<T>(mode: DedupMode = 'client-go'): (deltas: readonly Delta<T>[]) => readonly Delta<T>[] {
  const dedup = mode === 'client-go' ? collapseDeletions : (mode.deltas as typeof keepLatest | undefined);
  if (!dedup) throw invalidOptionError('dedup', mode, '"client-go" or the value latestOnly of rx-informers');
  return dedup;
}

/**
 * Keeps only the net effect of each batch on each object, for consumers that need the current state
 * and not the steps.
 *
 * Use it for `dedup` of `informer` and `listWatch`, and with `dedupDeltas`. `listWatch` does not
 * even parse events that a later event of the same network read supersedes (see its option
 * `dedup`). `keepLatest` defines what happens to the other events.
 *
 * @example
 * import { informer, pods, type KubeClient } from 'rx-informers';
 * import { latestOnly } from 'rx-informers/store';
 *
 * declare const client: KubeClient;
 * informer(client, pods, { dedup: latestOnly });
 */
export const latestOnly: Dedup = { name: 'latest-only', deltas: keepLatest, lines: withoutSuperseded };

/**
 * Drops every delta that a later one of the same batch and partition supersedes. Pure.
 *
 * | delta | later delta of the same key, or later list | result for the first delta |
 * | --- | --- | --- |
 * | `Added` `Updated` | `Added` `Updated` | dropped |
 * | `Added` `Updated` | `Deleted` | kept, because the deletion may have arrived late, and may be that of an earlier object under the key |
 * | `Deleted` | `Added` `Updated` of the same uid | dropped: the object is still there |
 * | `Deleted` | `Added` `Updated` of another uid | kept: it is another object |
 * | `Deleted` | `Deleted` of the same uid | one of the two is dropped, as in `collapseDeletions` |
 * | `Added` `Updated` `Deleted` `ReplacedAll` | `ReplacedAll` of its partition without `missing` objects | dropped |
 * | `Added` `Updated` `Deleted` `ReplacedAll` | `ReplacedAll` with `missing` objects | kept, because the store keeps missing objects as earlier deltas left them |
 * | `Bookmark` | `Bookmark`, or any `ReplacedAll` of its partition | dropped |
 * | `Sync` `Failed` | anything | kept |
 *
 * Kept deltas stay in order, so versions are still in the order in which the server sent them. If
 * two partitions of one batch have objects under the same key, nothing is dropped, because their
 * order decides which object the store refuses. If a batch has several partitions, lists are kept,
 * because an object that is not in a list is deleted, and its key may then be used by another
 * partition.
 *
 * **Guarantees**: never creates or moves a delta; the store has the same content afterwards,
 * regardless of its content before; returns the same array if nothing is dropped.
 * **Does not guarantee**: that subscribers see an object that was added and deleted within one
 * batch; that the final state is known if an object was deleted before a list of the same batch.
 *
 * @param batch the deltas of one batch, in their order
 * @returns the remaining deltas, in the same order
 */
export function keepLatest<T>(batch: readonly Delta<T>[]): readonly Delta<T>[] {
  const superseded = new Set<number>();
  /** By partition and key, the positions of the deltas since the last list that are kept so far. */
  const earlier = new Map<string | undefined, Map<string, readonly number[]>>();
  const partitions = new Set<string | undefined>();

  batch.forEach((newer, position) => {
    if (newer.type === 'Sync' || newer.type === 'Failed') return;
    const { partition } = newer;
    partitions.add(partition);
    if (newer.type === 'ReplacedAll') {
      batch.slice(0, position).forEach((older, before) => {
        if (isReplacedBy(older, newer)) superseded.add(before);
      });
      if (partition === undefined) earlier.clear();
      else earlier.delete(partition);
      return;
    }
    let ofKey = earlier.get(partition);
    if (!ofKey) earlier.set(partition, (ofKey = new Map<string, readonly number[]>()));
    // No object has the empty key, so it is that of bookmarks.
    const key = newer.type === 'Bookmark' ? '' : newer.key;
    const kept: number[] = [];
    for (const before of ofKey.get(key) ?? []) {
      const survivor = survivorOf(batch[before] as Delta<T>, newer);
      if (survivor === 'newer') superseded.add(before);
      else kept.push(before);
      if (survivor === 'older') superseded.add(position);
    }
    if (!superseded.has(position)) kept.push(position);
    ofKey.set(key, kept);
  });
  if (partitions.size > 1) {
    if (haveKeyInCommon(batch)) return batch;
    // An object missing in a list is deleted, which may free its key for another partition.
    const lastOfAll = batch.findLastIndex(
      (delta) => delta.type === 'ReplacedAll' && delta.partition === undefined && (delta.missing ?? []).length === 0,
    );
    batch.forEach(({ type }, position) => {
      if (type === 'ReplacedAll' && position > lastOfAll) superseded.delete(position);
    });
  }
  return superseded.size === 0 ? batch : batch.filter((_, position) => !superseded.has(position));
}

/** Returns which of two equal deletions to keep (Q6): the sent one, or the newer inferred one. */
function survivingDeletion<T>(older: Delta<T>, newer: Delta<T>): 'older' | 'newer' | undefined {
  if (older.type !== 'Deleted' || newer.type !== 'Deleted') return undefined;
  if (older.partition !== newer.partition || uidOf(older.object) !== uidOf(newer.object)) return undefined;
  return older.finalStateUnknown ? 'newer' : 'older';
}

/** Returns true if a list supersedes an earlier delta. */
function isReplacedBy<T>(older: Delta<T>, { partition, missing = [] }: ReplacedAllDelta<T>): boolean {
  if (older.type === 'Sync' || older.type === 'Failed') return false;
  if (partition !== undefined && older.partition !== partition) return false;
  return older.type === 'Bookmark' || missing.length === 0;
}

/** Returns which of two deltas of one key, or of two bookmarks, to keep; both if `undefined`. */
function survivorOf<T>(older: Delta<T>, newer: Delta<T>): 'older' | 'newer' | undefined {
  if (newer.type === 'Deleted') return survivingDeletion(older, newer);
  const isRecreated =
    older.type === 'Deleted' && 'object' in newer && isSameIncarnation(older.object, newer.object) === false;
  return isRecreated ? undefined : 'newer';
}

function haveKeyInCommon<T>(batch: readonly Delta<T>[]): boolean {
  const partitionOfKey = new Map<string, string | undefined>();
  const isInOtherPartition = (key: string, partition: string | undefined): boolean => {
    if (partitionOfKey.has(key)) return partitionOfKey.get(key) !== partition;
    partitionOfKey.set(key, partition);
    return false;
  };
  return batch.some((delta) => {
    switch (delta.type) {
      case 'Added':
      case 'Updated':
      case 'Deleted':
        return isInOtherPartition(delta.key, delta.partition);
      case 'ReplacedAll':
        return delta.items.some(({ key }) => isInOtherPartition(key, delta.partition));
      default:
        return false;
    }
  });
}

/**
 * Drops the `Deleted` with less information if two `Deleted` deltas of a key follow each other.
 * Pure.
 *
 * | the last delta of the key | the next delta of the key | kept |
 * | --- | --- | --- |
 * | `Deleted`, a tombstone | `Deleted` | the second delta |
 * | `Deleted`, final state known | `Deleted` | the first delta |
 * | `Deleted` | `Deleted` of another uid, or only one of them has a uid | both deltas ▲ |
 * | anything else | anything | both deltas |
 *
 * This is client-go's rule (Q6). Nothing else is dropped: a deletion followed by a re-creation
 * stays two deltas (k/k#83810). A `ReplacedAll` concerns every key, so deltas before and after it
 * are never compared.
 *
 * **Guarantees**: never creates or moves a delta; returns the same array if nothing is dropped.
 *
 * @param batch the deltas of one batch, in their order
 * @returns the remaining deltas, in the same order
 */
export function collapseDeletions<T>(batch: readonly Delta<T>[]): readonly Delta<T>[] {
  if (batch.length < 2 || !hasTwoDeletions(batch)) return batch;
  const lastOfKey = new Map<string, Positioned<T>>();
  const superseded = new Set<number>();
  batch.forEach((delta, position) => {
    if (delta.type === 'ReplacedAll') lastOfKey.clear();
    if (!('key' in delta)) return;
    const last = lastOfKey.get(delta.key);
    const survivor = last && survivingDeletion(last.delta, delta);
    if (last && survivor) superseded.add(survivor === 'older' ? position : last.position);
    if (survivor !== 'older') lastOfKey.set(delta.key, { delta, position });
  });
  return superseded.size === 0 ? batch : batch.filter((_, position) => !superseded.has(position));
}

interface Positioned<T> {
  readonly delta: Delta<T>;
  readonly position: number;
}

/** Returns true for two deletions. Most batches have fewer, which saves all allocations. */
function hasTwoDeletions<T>(batch: readonly Delta<T>[]): boolean {
  const first = batch.findIndex(isDeletion);
  return first >= 0 && batch.findLastIndex(isDeletion) > first;
}

function isDeletion<T>(delta: Delta<T>): delta is DeletedDelta<T> {
  return delta.type === 'Deleted';
}
