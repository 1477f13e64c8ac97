/** A run of one contestant in one round. */
export interface Step {
  readonly scenario: string;
  readonly contestant: string;
  /** The number of the round, counted from 1. */
  readonly round: number;
  readonly rounds: number;
}

/** Does the work of a step, and reports its progress. */
export type Progress = <T>(step: Step, work: () => Promise<T>) => Promise<T>;

/**
 * Prints a line for each run when it has ended, with its duration. It prints only whole lines,
 * because runs may be concurrent.
 */
export function progressTo(write: (line: string) => void, now: () => number = () => performance.now()): Progress {
  return async ({ scenario, contestant, round, rounds }, work) => {
    const name = `${scenario} · round ${round}/${rounds} · ${contestant}`;
    const start = now();
    try {
      const result = await work();
      write(`${name}: ${((now() - start) / 1000).toFixed(1)} s\n`);
      return result;
    } catch (error) {
      write(`${name}: failed\n`);
      throw error;
    }
  };
}
