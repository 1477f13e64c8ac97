/**
 * Returns the value that this share of all values does not exceed: for 0.5 the median, for 1 the
 * largest value. Throws for an empty list.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error('no values, no percentile');
  return value;
}
