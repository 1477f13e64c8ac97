/** The settings of the samples. */
export interface MicrosecondsOptions {
  /**
   * The processor time to spend. On a busy machine this takes longer, but the quality is the same.
   */
  readonly milliseconds: number;
  /**
   * The number of operations that are timed together (default 1). It must be large enough for the
   * resolution of the clock, and small enough that most samples are undisturbed.
   */
  readonly operationsPerSample?: number;
}

const FEWEST_SAMPLES = 7;

/**
 * Returns the median time of one operation, in microseconds. `prepare` makes the input of the
 * operation, and its time does not count.
 *
 * Other load on the machine only makes a sample slower, and a few slow samples do not move the
 * median of many short ones. The first quarter of the samples warms up and does not count.
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
