import type { Figures, RunContext, Scale, Scenario, ServerContent } from '../model/scenario.js';
import type { FiguresOfRounds } from '../results/measurement.js';
import type { Progress } from './progress.js';
import { runContestant, type RunContestantOptions } from './run-contestant.js';
import { startWorker } from './worker.js';

interface RunScenarioOptions extends RunContestantOptions {
  readonly scale: Scale;
  readonly rounds: number;
  readonly progress: Progress;
}

/** The API server of one scenario. It runs in its own process, so that its cost is not measured. */
export interface Server {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const serverEntry = new URL('../server/main.ts', import.meta.url).href;
const TWO_MINUTES = 2 * 60_000;

/**
 * Runs every contestant once in each round. Each run has a fresh process. One server serves the
 * whole scenario.
 *
 * Each round begins with another contestant, so that changes of the machine over time (heat, other
 * load) favour no contestant. The first failure ends the scenario.
 */
export async function runScenario(
  scenario: Scenario,
  { scale, rounds, progress, ...options }: RunScenarioOptions,
): Promise<FiguresOfRounds> {
  const content = scenario.server?.(scale);
  const server = content === undefined ? undefined : await startServer(scenario.name, content, options.signal);
  const context: RunContext = { scale, url: server?.url ?? '', content };
  const measured: { readonly contestant: string; readonly figures: Figures }[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      for (const contestant of rotate(scenario.contestants, round)) {
        const figures = await progress({ scenario: scenario.name, contestant, round: round + 1, rounds }, () =>
          runContestant(scenario, contestant, context, options),
        );
        measured.push({ contestant, figures });
      }
    }
  } finally {
    await server?.close();
  }
  return collect(scenario, measured);
}

export async function startServer(scenario: string, content: ServerContent, signal: AbortSignal): Promise<Server> {
  const title = `${scenario}, its server`;
  const worker = startWorker({ title, module: serverEntry, message: { ...content }, signal, timeout: TWO_MINUTES });
  try {
    const { url } = (await worker.answer) as { readonly url: string };
    return { url, close: worker.end };
  } catch (error) {
    await worker.end();
    throw error;
  }
}

/**
 * Moves the first `by` items to the end, so that over the rounds no contestant always comes first.
 */
export function rotate<T>(items: readonly T[], by: number): readonly T[] {
  const first = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** Collects the figures in the order of the scenario, not in the order of the runs. */
function collect(
  { contestants, metrics }: Scenario,
  measured: readonly { readonly contestant: string; readonly figures: Figures }[],
): FiguresOfRounds {
  return Object.fromEntries(
    contestants.map((contestant) => {
      const rounds = measured.filter((run) => run.contestant === contestant).map((run) => run.figures);
      const byMetric = Object.keys(metrics).map((metric) => [
        metric,
        rounds.flatMap((figures) => figures[metric] ?? []),
      ]);
      return [
        contestant,
        Object.fromEntries(byMetric.filter(([, figures]) => figures !== undefined && figures.length > 0)),
      ];
    }),
  );
}
