/**
 * The indexes of a longest run of values, not necessarily neighbours, that grow from left to right; what is `undefined` is left out.
 *
 * Patience sorting, O(n log n): whatever is not in it has to be moved, and nothing else.
 */
export function increasing(values: readonly (number | undefined)[]): readonly number[] {
  // tails[k] is the index of the smallest value with which a run of k + 1 values can end.
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  values.forEach((value, index) => {
    if (value === undefined) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((values[tails[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = tails[low - 1];
    tails[low] = index;
  });
  const run: number[] = [];
  for (let index = tails.at(-1); index !== undefined; index = previous[index]) run.push(index);
  return run.reverse();
}
