import { development } from '../kubernetes/development.js';
/** A live collection that a function reads. */
export interface ReadCollection {
  readonly name: string;
  /** The collections from which this one is computed; `undefined` for an informer. */
  readonly inputs?: readonly ReadCollection[] | undefined;
}

/** Checks a read of a live collection. Returns a text to report, or `undefined`. */
export type ReadCheck = (collection: ReadCollection) => string | undefined;

/** The check of the function that is being called; `undefined` in production. */
let check: ReadCheck | undefined;

/** Calls `act`, and calls `next` for each live collection that `act` reads synchronously. */
export function checkReads<V>(next: ReadCheck, act: () => V): V {
  const outer = check;
  check = next;
  try {
    return act();
  } finally {
    check = outer;
  }
}

/**
 * The functions of an operator, or of indexes, by name. A function that reads a live collection has
 * stale results. In development, that is reported once for each function and collection.
 */
export class PureFunctions {
  readonly #checks = new Map<string, ReadCheck>();

  /** @param nameOf returns the name of a function in reports, such as `select of leftJoin(a, b)` */
  constructor(private readonly nameOf: (name: string) => string) {}

  call<V>(name: string, compute: () => V): V {
    let next = this.#checks.get(name);
    if (next === undefined) this.#checks.set(name, (next = impureReads(this.nameOf(name))));
    return checkReads(next, compute);
  }
}

/** Returns the check of one function. It reports each collection once. */
function impureReads(functionName: string): ReadCheck {
  const reported = new Set<ReadCollection>();
  return (collection) => {
    if (reported.has(collection)) return undefined;
    reported.add(collection);
    const { name } = collection;
    return `${functionName} reads the collection ${name} through a variable. Changes of ${name} do not call this function again, so its results become stale. To combine collections, use derive, and read ${name} through the parameter of its function.`;
  };
}

/** Returns pure functions in development. In production, functions are called directly. */
export function pureFunctions(nameOf: (name: string) => string): PureFunctions | undefined {
  // The form of `isDevelopment` that a bundler can evaluate: see there.
  try {
    if (process.env.NODE_ENV !== 'production') throw development;
  } catch {
    return new PureFunctions(nameOf);
  }
  return undefined;
}

/** Returns a text to report about a read of a live collection, if a check finds one. */
export function checkedRead(collection: ReadCollection): string | undefined {
  return check?.(collection);
}
