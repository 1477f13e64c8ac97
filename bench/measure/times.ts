/** A duration: elapsed time, and processor time of this process, both in milliseconds. */
export interface Elapsed {
  readonly wall: number;
  readonly processor: number;
}

/** Starts to measure. The returned function returns the time since then. */
export function startStopwatch(): () => Elapsed {
  const cpu = process.cpuUsage();
  const begin = performance.now();
  return () => {
    const wall = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    return { wall, processor: (user + system) / 1000 };
  };
}

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

/** The number of operations. */
interface OperationTimesOptions {
  /** The number of operations before the first one that counts. */
  readonly warmUp: number;
  readonly operations: number;
}

/**
 * Returns the time of each of many operations, in microseconds. `prepare` makes the input of an
 * operation, and its time does not count.
 */
export function operationTimes<Input>(
  prepare: () => Input,
  operation: (input: Input) => void,
  { warmUp, operations }: OperationTimesOptions,
): readonly number[] {
  const times: number[] = [];
  for (let count = -warmUp; count < operations; count++) {
    const input = prepare();
    const start = performance.now();
    operation(input);
    if (count >= 0) times.push((performance.now() - start) * 1000);
  }
  return times;
}

/** The settings of the samples. */
interface MicrosecondsOptions {
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

/** The minimum number of samples, even if one sample takes longer than the time to spend. */
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
  while (processorTimeSince(begin) < milliseconds || samples.length < FEWEST_SAMPLES) {
    const inputs = Array.from({ length: operationsPerSample }, prepare);
    const start = performance.now();
    for (const input of inputs) operation(input);
    samples.push(((performance.now() - start) * 1000) / operationsPerSample);
  }
  const counted = samples.slice(Math.floor(samples.length / 4)).sort((a, b) => a - b);
  return counted[Math.floor(counted.length / 2)] as number;
}

function processorTimeSince(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

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
