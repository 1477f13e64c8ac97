import type { DeletedDelta, Delta } from './delta.js';
import { uidOf } from './identity.js';

/**
 * Of two deltas of one key that follow each other in a batch and both say `Deleted`, keeps the one that says more. Pure.
 *
 * | the last delta of the key | the next one | kept |
 * | --- | --- | --- |
 * | `Deleted`, a tombstone | `Deleted` | the next one |
 * | `Deleted`, final state known | `Deleted` | the first one |
 * | `Deleted` | `Deleted` of another uid, or only one of them has a uid | both ▲ |
 * | anything else | anything | both |
 *
 * This is client-go's rule (Q6), and nothing else is ever collapsed: a delete followed by a re-creation must stay two
 * deltas (k/k#83810). A `ReplacedAll` speaks of every key, so nothing is collapsed across one.
 *
 * **Guarantees**: never makes a delta, never moves one; gives back the same array where nothing collapses.
 */
export function collapseDeletions<T>(batch: readonly Delta<T>[]): readonly Delta<T>[] {
  if (!hasTwoDeletions(batch)) return batch;
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

/**
 * Returns which of two deltas of one key is to be kept if both report the same disappearance (Q6): an object that the server
 * sent says more than one that was inferred, and of two inferred ones the newer.
 */
export function survivingDeletion<T>(older: Delta<T>, newer: Delta<T>): 'older' | 'newer' | undefined {
  if (older.type !== 'Deleted' || newer.type !== 'Deleted') return undefined;
  if (older.partition !== newer.partition || uidOf(older.object) !== uidOf(newer.object)) return undefined;
  return older.finalStateUnknown ? 'newer' : 'older';
}

interface Positioned<T> {
  readonly delta: Delta<T>;
  readonly position: number;
}

/** Most batches have no deletion, or one: they are passed on without anything being allocated. */
function hasTwoDeletions<T>(batch: readonly Delta<T>[]): boolean {
  const first = batch.findIndex(isDeletion);
  return first >= 0 && batch.findLastIndex(isDeletion) > first;
}

function isDeletion<T>(delta: Delta<T>): delta is DeletedDelta<T> {
  return delta.type === 'Deleted';
}
