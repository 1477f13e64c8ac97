/** Which of all the runs this is. */
export interface Step {
  readonly scenario: string;
  readonly contestant: string;
  /** Counted from 1. */
  readonly round: number;
  readonly rounds: number;
}

/** Does the work, and says so. */
export type Progress = <T>(step: Step, work: () => Promise<T>) => Promise<T>;

/** A line for each run when it is over, with how long it took: whole lines, because runs may go on side by side. */
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
