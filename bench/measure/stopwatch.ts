/** How long something took: by the clock on the wall, and of the processors of this process, both in milliseconds. */
export interface Elapsed {
  readonly wall: number;
  readonly processor: number;
}

/** Begins to measure; the function gives what has passed since then. */
export function startStopwatch(): () => Elapsed {
  const cpu = process.cpuUsage();
  const begin = performance.now();
  return () => {
    const wall = performance.now() - begin;
    const { user, system } = process.cpuUsage(cpu);
    return { wall, processor: (user + system) / 1000 };
  };
}
