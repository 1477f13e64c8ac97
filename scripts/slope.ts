/** A measured value, and its time. */
export interface Sample {
  readonly at: number;
  readonly value: number;
}

/**
 * Returns the growth of the value per unit of `at`: the slope of the least-squares line. Throws if
 * there are fewer than two different times.
 */
export function slope(samples: readonly Sample[]): number {
  const middle = mean(samples.map(({ at }) => at));
  const level = mean(samples.map(({ value }) => value));
  let covariance = 0;
  let variance = 0;
  for (const { at, value } of samples) {
    covariance += (at - middle) * (value - level);
    variance += (at - middle) ** 2;
  }
  if (!(variance > 0)) throw new Error('a slope needs samples of at least two moments');
  return covariance / variance;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
