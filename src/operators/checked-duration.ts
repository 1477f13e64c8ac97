/** The longest time that a timer can wait for; a longer one fires at once, in Node and in browsers. */
const LONGEST_DURATION = 2 ** 31 - 1;

/** Gives `milliseconds` back where a timer can wait that long; throws a `RangeError` where it would fire at once instead. */
export function checkedDuration(name: string, milliseconds: number): number {
  if (milliseconds >= 0 && milliseconds <= LONGEST_DURATION) return milliseconds;
  throw new RangeError(`${name} must be between 0 and ${LONGEST_DURATION} ms, not ${milliseconds}`);
}
