import { isDevelopment } from './freeze.js';

/** A function of a user whose result is computed again only when its parameters change. */
interface PureFunction {
  readonly name: string;
  /** The live collections whose reads by this function were reported. */
  readonly reported: Set<object>;
}

/** The function that is being called; `undefined` outside of such functions, and in production. */
let called: PureFunction | undefined;

/**
 * The functions of one operator, or of the indexes of a collection, by name. If such a function
 * reads a live collection through a variable, its result becomes stale. In development, the read is
 * reported once for each function and collection.
 */
export class PureFunctions {
  readonly #functions = new Map<string, PureFunction>();

  /** @param nameOf returns the name of a function in reports, such as `select of leftJoin(a, b)` */
  constructor(private readonly nameOf: (name: string) => string) {}

  call<V>(name: string, compute: () => V): V {
    let next = this.#functions.get(name);
    if (next === undefined) {
      next = { name: this.nameOf(name), reported: new Set() };
      this.#functions.set(name, next);
    }
    const outer = called;
    called = next;
    try {
      return compute();
    } finally {
      called = outer;
    }
  }
}

/** Returns pure functions in development. In production, functions are called directly. */
export function pureFunctions(nameOf: (name: string) => string): PureFunctions | undefined {
  return isDevelopment() ? new PureFunctions(nameOf) : undefined;
}

/**
 * Returns a text about a read of a live collection if a pure function is being called, and
 * `undefined` if there is none, or if its read of this collection was reported before.
 */
export function impureRead(collection: { readonly name: string }): string | undefined {
  if (called === undefined || called.reported.has(collection)) return undefined;
  called.reported.add(collection);
  const { name } = collection;
  return `${called.name} reads the collection ${name} through a variable. Changes of ${name} do not call this function again, so its results become stale. To combine collections, use derive, and read ${name} through the parameter of its function.`;
}
