/**
 * A computation that can be interrupted: it yields now and then, and gives its result in the end.
 *
 * Whoever drives it decides how much of it is done at once, so that a list of 50,000 objects need not keep everything
 * else waiting, and the computation itself stays pure: it sees nothing but its arguments, however often it is interrupted.
 */
export type Slices<Result> = Generator<undefined, Result, undefined>;

/** How many objects are dealt with from one interruption to the next: some milliseconds at most. Fewer are never interrupted. */
export const objectsPerSlice = 512;

/** The result, at once. */
export function runSlices<Result>(slices: Slices<Result>): Result {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}
