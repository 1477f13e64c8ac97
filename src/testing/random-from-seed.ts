/**
 * Returns a generator of random numbers in [0, 1) that are determined by a seed (mulberry32). Pass
 * it as any option `random` of this library.
 *
 * @param seed any integer; the same seed repeats the same numbers
 * @returns a function like `Math.random`
 * @example
 * const server = createInMemoryApiServer({ random: randomFromSeed(42) });
 */
export function randomFromSeed(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
