import { percentile } from './percentile.js';
import { startStopwatch } from './stopwatch.js';

const FEWEST_SAMPLES = 7;

/**
 * Returns the median processor time of one operation, in milliseconds. The collection of its
 * garbage counts. `prepare` makes the input, and its time does not count.
 *
 * Use this for operations of many milliseconds. On a busy machine, other processes interrupt nearly
 * all such operations, which would increase the elapsed time. The first quarter of the operations
 * warms up and does not count.
 */
export function processorMilliseconds<Input>(
  prepare: () => Input,
  operation: (input: Input) => void,
  { milliseconds }: { readonly milliseconds: number },
): number {
  const samples: number[] = [];
  for (let spent = 0; spent < milliseconds || samples.length < FEWEST_SAMPLES; spent += samples.at(-1) ?? 0) {
    const input = prepare();
    const stopwatch = startStopwatch();
    operation(input);
    samples.push(stopwatch().processor);
  }
  return percentile(samples.slice(Math.floor(samples.length / 4)), 0.5);
}
