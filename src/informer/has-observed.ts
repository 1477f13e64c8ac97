import { compareResourceVersions } from '../kubernetes/compare-resource-versions.js';
import { isAnotherIncarnation, resourceVersionOf } from '../store/identity.js';

/** What a cache knows that bears on one object. */
export interface Seen {
  /** What stands under the object's key now. */
  readonly held: unknown;
  /** Whether this very object (its uid) has stood there while somebody waited. */
  readonly wasHeld: boolean;
  /** Up to which version each part of the cache that may hold the object has been told; `''` where nobody knows. */
  readonly reached: readonly string[];
  /** False where the source would never deliver the object: its namespace or its labels do not match. */
  readonly isSelected?: boolean;
}

/** What is waited for: that the cache shows the object, or that it no longer holds it. */
export type Awaited = 'written' | 'deleted';

/**
 * Returns true if a cache has caught up with `object` at its resourceVersion. Pure.
 *
 * | under the key stands | observed where |
 * | --- | --- |
 * | the object, and it was deleted | never |
 * | the object | its version is this one or a later one |
 * | the object, without a version | the cache has been told everything up to this version |
 * | anything else, and the object is not selected, or was deleted and has no version | at once |
 * | another incarnation | its version is later: the object is gone; where nobody can tell, the object stood there before |
 * | nothing | the cache has been told everything up to this version; where nobody can tell, the object stood there before |
 *
 * Versions are compared by `compareResourceVersions`: one that is no integer is observed only where it is met exactly.
 */
export function hasObserved(
  { held, wasHeld, reached, isSelected = true }: Seen,
  object: unknown,
  awaited: Awaited = 'written',
): boolean {
  const version = resourceVersionOf(object) ?? '';
  const isHeld = held !== undefined && !isAnotherIncarnation(object, held);
  if (isHeld) {
    if (awaited === 'deleted') return false;
    const heldVersion = resourceVersionOf(held);
    if (heldVersion !== undefined) return (compareResourceVersions(heldVersion, version) ?? -1) >= 0;
  } else {
    if (!isSelected || (awaited === 'deleted' && version === '')) return true;
    if (held !== undefined) {
      const order = compareResourceVersions(resourceVersionOf(held) ?? '', version);
      return order === undefined ? wasHeld : order > 0;
    }
  }
  const orders = reached.map((each) => compareResourceVersions(each, version));
  if (orders.length === 0 || orders.includes(undefined)) return held === undefined && wasHeld;
  return orders.every((order) => order !== undefined && order >= 0);
}
