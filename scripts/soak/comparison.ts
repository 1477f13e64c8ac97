import type { KubernetesObject } from 'rx-informers';
import type { Observer } from './observers/observer.js';
import type { Rows } from './rows.js';

/** The difference between one view of an observer and the server. */
export interface Difference {
  readonly observer: string;
  readonly view: string;
  /** Rows that the view must show and does not show. */
  readonly lost: Rows;
  /** Rows that the view shows and must not show, or shows twice. */
  readonly phantom: Rows;
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
  const differences = observers.flatMap(({ name, views }) =>
    views
      .map((view) => ({
        observer: name,
        view: view.name,
        ...differenceOf(view.expected(listed), view.shown()),
      }))
      .filter(({ lost, phantom }) => lost.length + phantom.length > 0),
  );
  return { objects: listed.length, waited, differences };
}

function differenceOf(expected: Rows, shown: Rows): Pick<Difference, 'lost' | 'phantom'> {
  const missing = new Set(expected);
  // Deletes each row that is shown once, so that a row that is shown twice is a phantom.
  const phantom = shown.filter((row) => !missing.delete(row));
  return { lost: [...missing], phantom };
}
