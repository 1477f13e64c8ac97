/** The value that `share` of all values do not exceed: 0.5 gives the median, 1 the largest. Throws where there is none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error('no values, no percentile');
  return value;
}
