import { from, lastValueFrom, mergeMap } from 'rxjs';
import { ROUNDS, type Scale, type Scenario } from '../model/scenario.js';
import { filesOf, readMeasurements, writeFiles } from '../report/publication.js';
import { scenarioTable, targetsTable } from '../report/terminal.js';
import { circumstancesNow } from '../results/circumstances.js';
import { evaluate } from '../results/evaluate.js';
import { type Measurement, mergeMeasurements } from '../results/measurement.js';
import { progressTo } from './progress.js';
import { runScenario } from './run-scenario.js';

interface MeasureAllOptions {
  readonly scale: Scale;
  /** The number of rounds. `undefined`: the number that each scenario defines. */
  readonly rounds: number | undefined;
  /** The names of the scenarios to run. `undefined`: all scenarios. */
  readonly only: readonly string[] | undefined;
  /** The folder for results and charts. `undefined`: no results are written. */
  readonly output: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Thrown if a quick run would add results to a file with results of a full run, or a full run to a
 * file with results of a quick run. The two cannot be in one table.
 */
export class MixedScalesError extends Error {
  override readonly name = 'MixedScalesError';

  constructor(
    readonly folder: string,
    readonly scale: Scale,
  ) {
    super(`${folder} has results that are not of a ${scale} run; name another folder with --output`);
  }
}

/**
 * The number of scenarios that run at once. The figures of a quick run are not judged, so its
 * scenarios may run side by side.
 */
const SCENARIOS_AT_ONCE: Readonly<Record<Scale, number>> = { full: 1, quick: 2 };

/**
 * Measures the scenarios, and writes the results after each, so that a later failure loses no
 * results.
 */
export async function measureAll(
  scenarios: readonly Scenario[],
  { scale, rounds, only, output, signal }: MeasureAllOptions,
): Promise<void> {
  let measurements = output === undefined ? [] : readMeasurements(output);
  if (measurements.some(({ circumstances }) => circumstances.scale !== scale)) {
    throw new MixedScalesError(output ?? '', scale);
  }

  const circumstances = circumstancesNow();
  const progress = progressTo((line) => process.stderr.write(line));
  const results: Parameters<typeof targetsTable>[0][number][] = [];

  async function measure(scenario: Scenario): Promise<void> {
    const roundsOfScenario = scale === 'quick' ? 1 : (rounds ?? scenario.rounds ?? ROUNDS);
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
      writeFiles(await filesOf(scenarios, measurements, { folder: output, hasPages: scale === 'full' }));
    }
  }

  const selected = scenarios
    .filter(({ name }) => only === undefined || only.includes(name))
    .filter((scenario) => {
      const reason = scenario.unavailable?.();
      if (reason !== undefined) console.log(`${scenario.name} is left out: ${reason}`);
      return reason === undefined;
    });
  await lastValueFrom(from(selected).pipe(mergeMap(measure, SCENARIOS_AT_ONCE[scale])), { defaultValue: undefined });
  console.log(targetsTable(results));
  if (scale === 'quick') console.log('A quick run says that everything works; it is too small to judge by.');
}
