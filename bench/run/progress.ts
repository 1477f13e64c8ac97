/** Which of all the runs this is. */
export interface Step {
  readonly scenario: string;
  readonly contestant: string;
  /** Counted from 1. */
  readonly round: number;
  readonly rounds: number;
}

/** Does the work, and says so while it is done. */
export type Progress = <T>(step: Step, work: () => Promise<T>) => Promise<T>;

/** A line for each run, begun when the run begins, and ended with how long it took. */
export function progressTo(write: (text: string) => void, now: () => number = () => performance.now()): Progress {
  return async ({ scenario, contestant, round, rounds }, work) => {
    write(`${scenario} · round ${round}/${rounds} · ${contestant} … `);
    const start = now();
    try {
      const result = await work();
      write(`${((now() - start) / 1000).toFixed(1)} s\n`);
      return result;
    } catch (error) {
      write('failed\n');
      throw error;
    }
  };
}
