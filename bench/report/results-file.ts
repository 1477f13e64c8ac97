import { format } from 'oxfmt';
import type { Scenario } from '../model/scenario.js';
import { evaluate } from '../results/evaluate.js';
import type { Measurement } from '../results/measurement.js';
import { describeTarget } from './describe.js';

interface ResultsFile {
  readonly scenarios: readonly Measurement[];
}

/**
 * Returns the text of `results.json`. It contains the measurements. For other programs it also
 * contains the evaluations, which are computed from the measurements.
 */
export async function renderResults(
  scenarios: readonly Scenario[],
  measurements: readonly Measurement[],
): Promise<string> {
  const entries = measurements.flatMap((measurement) => {
    const scenario = scenarios.find(({ name }) => name === measurement.scenario);
    if (scenario === undefined) return [];
    const { metrics, targets } = evaluate(scenario, measurement.figures);
    return {
      ...measurement,
      metrics: Object.fromEntries(metrics.map(({ name, metric, ...standings }) => [name, { ...metric, ...standings }])),
      targets: targets.map(({ target, verdict }) => ({ target: describeTarget(scenario, target), ...verdict })),
    };
  });
  const file: ResultsFile = { scenarios: entries };
  return (await format('results.json', JSON.stringify(file), { printWidth: 120 })).code;
}

/** Returns the measurements in the text of a `results.json`, without the computed evaluations. */
export function parseResults(text: string): readonly Measurement[] {
  const { scenarios } = JSON.parse(text) as ResultsFile;
  return scenarios.map(({ scenario, circumstances, figures }) => ({ scenario, circumstances, figures }));
}
