import { isAnotherIncarnation, uidOf } from '../kubernetes/object.js';
import type { LineDedup } from '../sources/reflector/read-watch.js';
import { withoutSuperseded } from '../sources/wire/peek.js';
import type { DeletedDelta, Delta, ReplacedAllDelta, UpsertDelta } from './delta.js';

/** Deduplicates one batch. A bundle that does not use this value does not contain its functions. */
export interface Dedup extends LineDedup {
  /** Returns the deltas that are not superseded; the same array if nothing is dropped. */
  readonly deltas: typeof keepLatest;
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
 * import { informer, latestOnly, pods, type KubeClient } from 'rx-informers';
 *
 * declare const client: KubeClient;
 * informer(client, pods, { dedup: latestOnly });
 */
export const latestOnly: Dedup = { deltas: keepLatest, lines: withoutSuperseded };

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
  if (batch.length < 2) return batch;
  const superseded = new Set<number>();
  const partitions = new Map<string | undefined, PartitionView<T>>();
  const lastOfAll = batch.findLastIndex((delta) => delta.type === 'ReplacedAll' && isOfAll(delta));

  batch.forEach((delta, position) => {
    switch (delta.type) {
      case 'Added':
      case 'Updated':
      case 'Deleted': {
        const view = viewOf(partitions, delta.partition);
        view.sinceList.push(position);
        replaceWithin(view, { delta, position }, superseded);
        break;
      }
      case 'ReplacedAll':
        for (const view of coveredBy(delta, partitions)) makeVoid(view, delta, superseded);
        viewOf(partitions, delta.partition).sinceList.push(position);
        break;
      case 'Bookmark': {
        const view = viewOf(partitions, delta.partition);
        if (view.bookmark !== undefined) superseded.add(view.bookmark);
        view.bookmark = position;
        break;
      }
      case 'Sync':
      case 'Failed':
        break;
      default:
        delta satisfies never;
    }
  });
  if (partitions.size > 1) {
    if (haveKeyInCommon(batch)) return batch;
    // An object missing in a list is deleted, which may free its key for another partition.
    batch.forEach(({ type }, position) => {
      if (type === 'ReplacedAll' && position > lastOfAll) superseded.delete(position);
    });
  }
  if (superseded.size === 0) return batch;
  return batch.filter((_, position) => !superseded.has(position));
}

/** Returns which of two equal deletions to keep (Q6): the sent one, or the newer inferred one. */
export function survivingDeletion<T>(older: Delta<T>, newer: Delta<T>): 'older' | 'newer' | undefined {
  if (older.type !== 'Deleted' || newer.type !== 'Deleted') return undefined;
  if (older.partition !== newer.partition || uidOf(older.object) !== uidOf(newer.object)) return undefined;
  return older.finalStateUnknown ? 'newer' : 'older';
}

/** A delta that a later one may supersede, and its position in the batch. */
interface Candidate<T> {
  readonly delta: UpsertDelta<T> | DeletedDelta<T>;
  readonly position: number;
}

/** The deltas of one partition that a later delta may supersede. */
interface PartitionView<T> {
  readonly keys: Map<string, readonly Candidate<T>[]>;
  /** The positions of the deltas that the next list would supersede. */
  sinceList: number[];
  bookmark?: number;
}

function viewOf<T>(partitions: Map<string | undefined, PartitionView<T>>, partition?: string): PartitionView<T> {
  const known = partitions.get(partition);
  if (known) return known;
  const view: PartitionView<T> = { keys: new Map(), sinceList: [] };
  partitions.set(partition, view);
  return view;
}

function replaceWithin<T>(view: PartitionView<T>, newer: Candidate<T>, superseded: Set<number>): void {
  const { key } = newer.delta;
  const kept: Candidate<T>[] = [];
  let isNeeded = true;
  for (const older of view.keys.get(key) ?? []) {
    const survivor = survivorOf(older.delta, newer.delta);
    if (survivor === 'newer') superseded.add(older.position);
    else kept.push(older);
    if (survivor === 'older') isNeeded = false;
  }
  if (isNeeded) kept.push(newer);
  else superseded.add(newer.position);
  view.keys.set(key, kept);
}

function survivorOf<T>(older: Candidate<T>['delta'], newer: Candidate<T>['delta']): 'older' | 'newer' | undefined {
  if (newer.type === 'Deleted') return survivingDeletion(older, newer);
  return older.type === 'Deleted' && isAnotherIncarnation(older.object, newer.object) ? undefined : 'newer';
}

/** Returns the partitions that a list covers. A list without a partition covers all partitions. */
function coveredBy<T>(
  list: ReplacedAllDelta<T>,
  partitions: ReadonlyMap<string | undefined, PartitionView<T>>,
): readonly PartitionView<T>[] {
  if (list.partition === undefined) return [...partitions.values()];
  const view = partitions.get(list.partition);
  return view ? [view] : [];
}

/** Returns true for a list that replaces the content of all partitions. */
function isOfAll<T>({ partition, missing = [] }: ReplacedAllDelta<T>): boolean {
  return partition === undefined && missing.length === 0;
}

function makeVoid<T>(view: PartitionView<T>, list: ReplacedAllDelta<T>, superseded: Set<number>): void {
  view.keys.clear();
  if (view.bookmark !== undefined) superseded.add(view.bookmark);
  delete view.bookmark;
  if (list.missing !== undefined && list.missing.length > 0) return;
  for (const position of view.sinceList) superseded.add(position);
  view.sinceList = [];
}

function haveKeyInCommon<T>(batch: readonly Delta<T>[]): boolean {
  const partitionOfKey = new Map<string, string | undefined>();
  const isElsewhere = (key: string, partition: string | undefined): boolean => {
    if (partitionOfKey.has(key)) return partitionOfKey.get(key) !== partition;
    partitionOfKey.set(key, partition);
    return false;
  };
  return batch.some((delta) => {
    switch (delta.type) {
      case 'Added':
      case 'Updated':
      case 'Deleted':
        return isElsewhere(delta.key, delta.partition);
      case 'ReplacedAll':
        return delta.items.some(({ key }) => isElsewhere(key, delta.partition));
      default:
        return false;
    }
  });
}
