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
