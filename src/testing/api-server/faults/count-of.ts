/** Checks an argument that counts something. */
export function countOf(name: string, value: number, least = 0): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`${name} is ${value}; an integer of at least ${least} expected`);
}

/** Checks an argument in milliseconds. */
export function millisecondsOf(name: string, value: number): number {
  if (value >= 0 && value < Infinity) return value;
  throw new RangeError(`${name} is ${value}; milliseconds of at least 0 expected`);
}
