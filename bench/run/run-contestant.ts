import type { Figures, RunContext, Scenario } from '../model/scenario.js';
import { startWorker, WorkerError } from './worker.js';

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

/** The message that tells a contestant's process what to measure. */
export interface Assignment {
  /**
   * The URL of the module that exports the scenario. The process loads no other scenario, so that
   * nothing else is in memory.
   */
  readonly module: string;
  readonly scenario: string;
  readonly contestant: string;
  readonly context: RunContext;
}

/** The answer of a contestant's process. */
export type Answer =
  | { readonly type: 'figures'; readonly figures: Figures }
  | { readonly type: 'error'; readonly error: string };

const entry = new URL('./contestant-process.ts', import.meta.url).href;
const TEN_MINUTES = 10 * 60_000;
const SIGNIFICANT_DIGITS = 6;

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

/**
 * Returns the figures, rounded to significant digits. Throws if a value is not a number, or if a
 * value has no metric.
 */
export function checkFigures(title: string, metrics: Scenario['metrics'], figures: Figures): Figures {
  const entries = Object.entries(figures);
  if (entries.length === 0) throw new Error(`${title}: no figure was measured`);
  return Object.fromEntries(
    entries.map(([metric, figure]) => {
      if (!Object.hasOwn(metrics, metric)) throw new Error(`${title}: ${metric} is no metric of this scenario`);
      if (!Number.isFinite(figure)) throw new Error(`${title}: ${metric} is ${String(figure)}, which is no figure`);
      return [metric, Number(figure.toPrecision(SIGNIFICANT_DIGITS))];
    }),
  );
}
