import type { Figures, RunContext, Scenario } from '../model/scenario.js';
import type { Answer, Assignment } from './assignment.js';
import { checkFigures } from './check-figures.js';
import { startWorker } from './worker.js';
import { WorkerError } from './worker-error.js';

export interface RunContestantOptions {
  /**
   * The URL of the module that exports the scenario. Default: the module in `bench/scenarios` with
   * the name of the scenario.
   */
  readonly module?: string;
  readonly signal: AbortSignal;
  /** The timeout in milliseconds (default: ten minutes). */
  readonly timeout?: number;
}

const entry = new URL('./contestant-process.ts', import.meta.url).href;
const TEN_MINUTES = 10 * 60_000;

/** Measures one contestant in its own process. The process has ended when the promise resolves. */
export async function runContestant(
  { name: scenario, metrics, nodeOptions = [] }: Scenario,
  contestant: string,
  context: RunContext,
  { module = moduleOf(scenario), signal, timeout = TEN_MINUTES }: RunContestantOptions,
): Promise<Figures> {
  const title = `${scenario}, ${contestant}`;
  const worker = startWorker({
    title,
    module: entry,
    message: { module, scenario, contestant, context } satisfies Assignment,
    nodeOptions: ['--expose-gc', ...nodeOptions],
    signal,
    timeout,
  });
  try {
    const answer = (await worker.answer) as Answer;
    await worker.ended;
    if (answer.type === 'error') throw new WorkerError(title, answer.error, worker.output());
    return checkFigures(title, metrics, answer.figures);
  } finally {
    await worker.end();
  }
}

function moduleOf(scenario: string): string {
  return new URL(`../scenarios/${scenario}.ts`, import.meta.url).href;
}
