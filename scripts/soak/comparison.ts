import type { KubernetesObject } from 'rx-informers';
import { versionsOf, type Observer } from './observers.js';

/** The difference between one view of an observer and the server. */
export interface Difference {
  readonly observer: string;
  readonly view: string;
  /** Keys of existing objects that the view lacks or has in another version. */
  readonly lost: readonly string[];
  /** Keys that the view has but that do not exist on the server. */
  readonly phantom: readonly string[];
}

/** The result of comparing all views of all observers with the list of the API server. */
export interface Comparison {
  /** The number of objects that exist. */
  readonly objects: number;
  /** Milliseconds since the soak began to request the list of the API server. */
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
