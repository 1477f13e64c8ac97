import type { FiguresOfRounds } from '../results/measurement.js';
import type { Figures, RunContext, Scale, Scenario } from '../scenario.js';
import type { Progress } from './progress.js';
import { rotate } from './rotate.js';
import { runContestant, type RunContestantOptions } from './run-contestant.js';
import { startServer } from './start-server.js';

export interface RunScenarioOptions extends RunContestantOptions {
  readonly scale: Scale;
  readonly rounds: number;
  readonly progress: Progress;
}

/**
 * Runs every contestant once a round, each in a fresh process, against one server that lasts for the scenario.
 *
 * Who comes first changes with the round, so that what a machine does over time (it gets hot, others use it) is nobody's advantage.
 * The first failure ends it.
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

/** In the order of the scenario, whichever came first. */
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
