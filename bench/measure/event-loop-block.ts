import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startStopwatch } from './stopwatch.js';

/** In milliseconds: how exact the measure is, and what it shows where nothing blocks. */
const RESOLUTION = 1;

/** Begins to watch how long the event loop is kept from its timers; the function gives the longest time so far, in milliseconds. */
export function watchEventLoop(): () => number {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  return () => delay.max / 1e6;
}

/**
 * Begins to watch for how long timers are late because this process computes; the function ends it, and gives the longest time, in
 * milliseconds.
 *
 * Of each pause counts what the process had of the processors meanwhile, so that other processes on a busy machine are not charged to it.
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
