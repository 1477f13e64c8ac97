import { percentile } from './percentile.js';
import { startStopwatch } from './stopwatch.js';

const FEWEST_SAMPLES = 7;

/**
 * Gives the median of what one operation takes of the processors, in milliseconds, with the collection of its garbage; `prepare` makes its input, and
 * is not timed.
 *
 * For operations of many milliseconds: on a busy machine others run in the middle of nearly all of them, and the clock on the wall counts those as well.
 * The first quarter warms up, and is not counted.
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
