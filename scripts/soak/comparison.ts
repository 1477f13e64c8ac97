import type { KubernetesObject } from 'rx-informers';
import { versionsOf, type Observer } from './observers.js';

/** How one view of an observer differs from the server. */
export interface Difference {
  readonly observer: string;
  readonly view: string;
  /** Keys that exist and are not held, or are held in another version. */
  readonly lost: readonly string[];
  /** Keys that are held and do not exist. */
  readonly phantom: readonly string[];
}

/** All views of all observers beside what the API server lists. */
export interface Comparison {
  /** How many objects exist. */
  readonly objects: number;
  /** Milliseconds since the API server was asked. */
  readonly waited: number;
  /** Empty if every view agrees with the server. */
  readonly differences: readonly Difference[];
}

/** Compares every view of every observer with what the API server lists. */
export function compare(
  observers: readonly Observer[],
  listed: readonly KubernetesObject[],
  waited: number,
): Comparison {
  return {
    objects: listed.length,
    waited,
    differences: observers.flatMap((observer) => differencesOf(observer, listed)),
  };
}

function differencesOf(observer: Observer, listed: readonly KubernetesObject[]): readonly Difference[] {
  const expected = versionsOf(listed.filter(observer.follows));
  return Array.from(observer.views(), ([view, held]) => ({
    observer: observer.name,
    view,
    lost: [...expected].filter(([key, version]) => held.get(key) !== version).map(([key]) => key),
    phantom: [...held.keys()].filter((key) => !expected.has(key)),
  })).filter(({ lost, phantom }) => lost.length + phantom.length > 0);
}
