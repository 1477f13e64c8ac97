import { from, lastValueFrom, mergeMap } from 'rxjs';
import { filesOf, readMeasurements, writeFiles } from '../report/publication.js';
import { scenarioTable, targetsTable } from '../report/terminal.js';
import { circumstancesNow } from '../results/circumstances.js';
import { evaluate } from '../results/evaluate.js';
import type { Measurement } from '../results/measurement.js';
import { mergeMeasurements } from '../results/merge.js';
import type { Scale, Scenario } from '../scenario.js';
import { MixedScalesError } from './mixed-scales-error.js';
import { progressTo } from './progress.js';
import { runScenario } from './run-scenario.js';

export interface MeasureAllOptions {
  readonly scale: Scale;
  readonly rounds: number;
  /** Names of scenarios, `undefined` for all. */
  readonly only: readonly string[] | undefined;
  /** The folder for results and charts; `undefined`: nothing is written. */
  readonly output: string | undefined;
  readonly notes: string;
  readonly signal: AbortSignal;
}

/** A quick run judges nothing, so its scenarios may disturb one another. */
const SCENARIOS_AT_ONCE: Readonly<Record<Scale, number>> = { full: 1, quick: 2 };

/** Measures one scenario after the other, and writes after each, so that what took an hour is not lost to what fails then. */
export async function measureAll(
  scenarios: readonly Scenario[],
  { scale, rounds, only, output, notes, signal }: MeasureAllOptions,
): Promise<void> {
  let measurements = output === undefined ? [] : readMeasurements(output);
  if (measurements.some(({ circumstances }) => circumstances.scale !== scale)) {
    throw new MixedScalesError(output ?? '', scale);
  }

  const circumstances = circumstancesNow();
  const progress = progressTo((line) => process.stderr.write(line));
  const results: Parameters<typeof targetsTable>[0][number][] = [];

  async function measure(scenario: Scenario): Promise<void> {
    const roundsOfScenario = scale === 'quick' ? 1 : (scenario.rounds ?? rounds);
    const figures = await runScenario(scenario, { scale, rounds: roundsOfScenario, progress, signal });
    const evaluation = evaluate(scenario, figures);
    results.push({ scenario, evaluation });
    console.log(scenarioTable(scenario, evaluation));

    const measurement: Measurement = {
      scenario: scenario.name,
      circumstances: { ...circumstances, scale, rounds: roundsOfScenario },
      figures,
    };
    measurements = mergeMeasurements(scenarios, measurements, [measurement]);
    if (output !== undefined) {
      writeFiles(await filesOf(scenarios, measurements, { folder: output, notes, hasPage: scale === 'full' }));
    }
  }

  const selected = scenarios.filter(({ name }) => only === undefined || only.includes(name));
  await lastValueFrom(from(selected).pipe(mergeMap(measure, SCENARIOS_AT_ONCE[scale])), { defaultValue: undefined });
  console.log(targetsTable(results));
  if (scale === 'quick') console.log('A quick run says that everything works; it is too small to judge by.');
}
