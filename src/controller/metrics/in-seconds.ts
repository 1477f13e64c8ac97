/** Metrics speak of seconds; everything else in this library of milliseconds. */
export function inSeconds(milliseconds: number): number {
  return milliseconds / 1_000;
}
