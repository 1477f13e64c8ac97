/** How samples are taken. */
export interface MicrosecondsOptions {
  /** How much processor time to spend; on a busy machine it takes longer, and is as good. */
  readonly milliseconds: number;
  /** How many operations are timed together: enough for the clock, few enough that most samples are undisturbed (default 1). */
  readonly operationsPerSample?: number;
}

const FEWEST_SAMPLES = 7;

/**
 * Gives the median of how long one operation takes, in microseconds; `prepare` makes its input, and is not timed.
 *
 * Whatever else runs on the machine only ever makes a sample slower, and a median of many short samples is not moved by a few slow ones.
 * The first quarter warms up, and is not counted.
 */
export function microseconds<Input>(
  prepare: () => Input,
  operation: (input: Input) => void,
  { milliseconds, operationsPerSample = 1 }: MicrosecondsOptions,
): number {
  const samples: number[] = [];
  const begin = process.cpuUsage();
  while (processorMilliseconds(begin) < milliseconds || samples.length < FEWEST_SAMPLES) {
    const inputs = Array.from({ length: operationsPerSample }, prepare);
    const start = performance.now();
    for (const input of inputs) operation(input);
    samples.push(((performance.now() - start) * 1000) / operationsPerSample);
  }
  const counted = samples.slice(Math.floor(samples.length / 4)).sort((a, b) => a - b);
  return counted[Math.floor(counted.length / 2)] as number;
}

function processorMilliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
