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
}

/**
 * Whether a cache has caught up with `object` at its resourceVersion. Pure.
 *
 * | under the key stands | observed where |
 * | --- | --- |
 * | the object | its version is this one or a later one |
 * | the object, without a version | the cache has been told everything up to this version |
 * | another incarnation | its version is later: the object is gone; where nobody can tell, the object stood there before |
 * | nothing | the cache has been told everything up to this version; where nobody can tell, the object stood there before |
 *
 * Versions are compared by `compareResourceVersions`: one that is no integer is observed only where it is met exactly.
 */
export function hasObserved({ held, wasHeld, reached }: Seen, object: unknown): boolean {
  const version = resourceVersionOf(object) ?? '';
  if (held !== undefined) {
    const heldVersion = resourceVersionOf(held);
    if (isAnotherIncarnation(object, held)) {
      const order = compareResourceVersions(heldVersion ?? '', version);
      return order === undefined ? wasHeld : order > 0;
    }
    if (heldVersion !== undefined) return (compareResourceVersions(heldVersion, version) ?? -1) >= 0;
  }
  const orders = reached.map((each) => compareResourceVersions(each, version));
  if (orders.length === 0 || orders.includes(undefined)) return held === undefined && wasHeld;
  return orders.every((order) => order !== undefined && order >= 0);
}
