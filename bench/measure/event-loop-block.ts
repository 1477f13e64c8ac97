import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStopwatch } from './times.js';

/**
 * The resolution of the measurement, in milliseconds. It is also the result if nothing blocks the
 * event loop.
 */
const RESOLUTION = 1;

/**
 * The longest time, in milliseconds, for which a client may block the event loop, for a cluster of
 * any size.
 */
export const LONGEST_BLOCK = 40;

/** The longest delay of a timer, in milliseconds. */
export interface LongestBlock {
  readonly block: number;
  /**
   * The same delay without the pauses of the garbage collector in each block. Marking between the
   * pauses is not subtracted.
   */
  readonly withoutCollector: number;
}

/** The titles of the metrics of {@link LongestBlock}. */
export const blockMetrics = {
  block: { title: 'longest block of the event loop', unit: 'ms', better: 'lower' },
  withoutCollector: {
    title: "longest block, without the garbage collector's pauses",
    unit: 'ms',
    better: 'lower',
  },
} as const;

/** The start and the end of an interval, in milliseconds. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/**
 * Starts to measure the event loop. The returned function ends the measurement after the current
 * task.
 */
export function watchEventLoop(): () => Promise<LongestBlock> {
  const pauses: Interval[] = [];
  const collector = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      pauses.push({ start: startTime, end: startTime + duration });
    }
  });
  const waits: Interval[] = [];
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const start = performance.now();
    timer = setTimeout(() => {
      waits.push({ start: start + RESOLUTION, end: performance.now() });
      wait();
    }, RESOLUTION);
  };
  collector.observe({ entryTypes: ['gc'] });
  wait();
  return async () => {
    // Waits, because the current task is a block as well, and the collector's pauses are reported
    // afterwards.
    await sleep(10 * RESOLUTION);
    clearTimeout(timer);
    collector.disconnect();
    return { block: RESOLUTION + longestWithout([], waits), withoutCollector: longestWithout(pauses, waits) };
  };
}

/**
 * Returns the length of the longest interval. The parts that pauses cover do not count. Pauses are
 * sorted by their start and may overlap.
 */
export function longestWithout(pauses: readonly Interval[], intervals: readonly Interval[]): number {
  return intervals.reduce((longest, interval) => Math.max(longest, lengthOf(interval) - covered(interval, pauses)), 0);
}

function covered({ start, end }: Interval, pauses: readonly Interval[]): number {
  let length = 0;
  let from = start;
  for (const pause of pauses) {
    length += lengthOf({ start: Math.max(from, pause.start), end: Math.min(end, pause.end) });
    from = Math.max(from, pause.end);
  }
  return length;
}

function lengthOf({ start, end }: Interval): number {
  return Math.max(0, end - start);
}

/**
 * Starts to measure how late timers are because this process computes. The returned function ends
 * the measurement and returns the longest delay, in milliseconds.
 *
 * In each delay, only the processor time of this process counts, so other processes on a busy
 * machine do not change the result.
 */
export function watchComputing(): () => number {
  let longest = 0;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const elapsed = startStopwatch();
    timer = setTimeout(() => {
      const { wall, processor } = elapsed();
      longest = Math.max(longest, Math.min(wall - RESOLUTION, processor));
      wait();
    }, RESOLUTION);
  };
  wait();
  return () => {
    clearTimeout(timer);
    return longest;
  };
}
