import { survivingDeletion } from './collapse-deletions.js';
import type { DeletedDelta, Delta, ReplacedAllDelta, UpsertDelta } from './delta.js';
import { isAnotherIncarnation } from './identity.js';

/**
 * The net effect of a batch: drops every delta that a later one of the same partition makes void. Pure.
 *
 * | delta | a later one of its key, or list | |
 * | --- | --- | --- |
 * | `Added` `Updated` | `Added` `Updated` `Deleted` | dropped |
 * | `Deleted` | `Added` `Updated` of the same uid | dropped: the object is still there |
 * | `Deleted` | `Added` `Updated` of another uid | kept: it is another object |
 * | `Deleted` | `Deleted` | one of them dropped, as in `collapseDeletions` |
 * | any of these, `Bookmark`, `ReplacedAll` | `ReplacedAll` that covers it and does not miss its key | dropped |
 * | `Bookmark` | `Bookmark` | dropped |
 * | `Sync` `Failed` | anything | kept |
 *
 * What is kept stands where it stood, so versions still come in the order in which the server gave them.
 *
 * **Guarantees**: never makes a delta, never moves one; the store holds the same afterwards; gives back the same array
 * where nothing is dropped.
 * **Does not guarantee**: that an object is noticed that came and went within one batch; that of an object deleted
 * before a list of the same batch the final state is known; that the store gets rid of an incarnation whose deletion
 * was never delivered before the next relist (the change that would have shown it may have been dropped).
 */
export function keepLatest<T>(batch: readonly Delta<T>[]): readonly Delta<T>[] {
  if (batch.length < 2) return batch;
  const superseded = new Set<number>();
  const partitions = new Map<string | undefined, PartitionView<T>>();

  batch.forEach((delta, position) => {
    switch (delta.type) {
      case 'Added':
      case 'Updated':
      case 'Deleted':
        replaceWithin(viewOf(partitions, delta.partition), { delta, position }, superseded);
        break;
      case 'ReplacedAll':
        for (const view of coveredBy(delta, partitions)) makeVoid(view, delta, superseded);
        viewOf(partitions, delta.partition).list = position;
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
  return superseded.size === 0 ? batch : batch.filter((_, position) => !superseded.has(position));
}

/** A delta that a later one may make void, and where it stands in the batch. */
interface Candidate<T> {
  readonly delta: UpsertDelta<T> | DeletedDelta<T>;
  readonly position: number;
}

/** What of one partition a later delta may make void, since its last list. */
interface PartitionView<T> {
  readonly keys: Map<string, readonly Candidate<T>[]>;
  list?: number;
  bookmark?: number;
}

function viewOf<T>(partitions: Map<string | undefined, PartitionView<T>>, partition?: string): PartitionView<T> {
  const known = partitions.get(partition);
  if (known) return known;
  const view: PartitionView<T> = { keys: new Map() };
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
  if (older.type !== 'Deleted') return 'newer';
  if (newer.type === 'Deleted') return survivingDeletion(older, newer);
  return isAnotherIncarnation(older.object, newer.object) ? undefined : 'newer';
}

/** A list without a partition replaces the content of all of them. */
function coveredBy<T>(
  list: ReplacedAllDelta<T>,
  partitions: ReadonlyMap<string | undefined, PartitionView<T>>,
): readonly PartitionView<T>[] {
  if (list.partition === undefined) return [...partitions.values()];
  const view = partitions.get(list.partition);
  return view ? [view] : [];
}

/** What the list could not deliver is known from the deltas before it only, and they stay. */
function makeVoid<T>(view: PartitionView<T>, list: ReplacedAllDelta<T>, superseded: Set<number>): void {
  const missing = new Set(list.missing);
  for (const [key, candidates] of view.keys) {
    if (!missing.has(key)) for (const { position } of candidates) superseded.add(position);
  }
  if (view.list !== undefined) superseded.add(view.list);
  if (view.bookmark !== undefined) superseded.add(view.bookmark);
  view.keys.clear();
  delete view.list;
  delete view.bookmark;
}
