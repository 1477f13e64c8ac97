import { monitorEventLoopDelay } from 'node:perf_hooks';

/** In milliseconds: how exact the measure is, and what it shows where nothing blocks. */
const RESOLUTION = 1;

/** Begins to watch how long the event loop is kept from its timers; the function gives the longest time so far, in milliseconds. */
export function watchEventLoop(): () => number {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  return () => delay.max / 1e6;
}
