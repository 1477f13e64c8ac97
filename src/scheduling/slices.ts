/**
 * A pure computation that can be interrupted: it yields from time to time, and returns its result.
 * The caller continues it: an informer for 8 ms at a time, so that a list of 50,000 objects does
 * not block the event loop; an operator runs it to the end at once.
 */
export type Slices<Result> = Generator<undefined, Result, undefined>;

/**
 * The number of objects that a computation handles before it yields: a few milliseconds of work at
 * most. With fewer objects it never yields.
 */
export const objectsPerSlice = 512;

/** Runs a computation to its end and returns the result. */
export function runSlices<Result>(slices: Slices<Result>): Result;
/** Runs a computation until `isOver` returns true after a step; then the result is `undefined`. */
export function runSlices<Result>(slices: Slices<Result>, isOver: () => boolean): Result | undefined;
export function runSlices<Result>(slices: Slices<Result>, isOver?: () => boolean): Result | undefined {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    if (isOver?.()) return undefined;
  }
}

/**
 * Calls `visit` for each item, and yields after each `objectsPerSlice` of them.
 *
 * If there are few items, all are visited before this returns. Most commits change one object, for
 * which a generator would cost more than the visit.
 */
export function forEachInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Iterable<undefined, void, undefined> {
  if (sizeOf(items) > objectsPerSlice) return visitInSlices(items, visit);
  for (const item of items) visit(item);
  return nothing;
}

const nothing: Iterable<undefined, void, undefined> = Object.freeze([]);

function sizeOf(items: object): number {
  if (Array.isArray(items)) return items.length;
  return items instanceof Set || items instanceof Map ? items.size : Infinity;
}

function* visitInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Slices<void> {
  let count = 0;
  for (const item of items) {
    visit(item);
    if (++count % objectsPerSlice === 0) yield;
  }
}
