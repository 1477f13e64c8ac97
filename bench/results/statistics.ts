/** The statistics of the figures of all rounds. */
export interface Summary {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  /**
   * The difference between the highest and the lowest figure, as a share of the median. It is 0 if
   * the median is 0.
   */
  readonly spread: number;
}

export function summarise(figures: readonly number[]): Summary {
  const sorted = figures.toSorted((a, b) => a - b);
  const [lowest] = sorted;
  const highest = sorted.at(-1);
  if (lowest === undefined || highest === undefined) throw new Error('there are no figures to summarise');
  const median = medianOfSorted(sorted);
  return { median, lowest, highest, spread: median === 0 ? 0 : (highest - lowest) / median };
}

function medianOfSorted(sorted: readonly number[]): number {
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
