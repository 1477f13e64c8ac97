import type { Scenario } from '../model/scenario.js';
import { evaluate, type Evaluation } from '../results/evaluate.js';
import type { Measurement } from '../results/measurement.js';
import { formatFigure, formatRatio, markdownTable } from './format.js';

const NOT_MEASURED = 'not measured yet';

const figures = /(<!-- figure: (.+?) -->).*?(<!-- \/figure -->)/gs;
const tables = /(<!-- results: (\S+) -->).*?(<!-- \/results -->)/gs;

/** Thrown if a marker of a page names a figure that is not measured. */
export class UnknownFigureError extends Error {
  override readonly name = 'UnknownFigureError';
}

/**
 * Returns a page with the measured figures. The page is written by hand. Only the text between its
 * markers is replaced.
 *
 * | marker | is filled with |
 * | --- | --- |
 * | `<!-- figure: scenario / contestant / metric -->…<!-- /figure -->` | the median, with its unit |
 * | `<!-- figure: scenario / contestant / metric / other contestant -->…<!-- /figure -->` | the median as a multiple of the other contestant's median |
 * | `<!-- results: scenario -->…<!-- /results -->` | a table of all medians |
 *
 * Filling a page a second time changes nothing. Throws `UnknownFigureError` for a scenario,
 * contestant or metric that does not exist.
 */
export function fillFigures(
  page: string,
  scenarios: readonly Scenario[],
  measurements: readonly Measurement[],
): string {
  const scenarioOf = (name: string, marker: string): Scenario => {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    if (scenario === undefined) throw new UnknownFigureError(`${marker}: there is no scenario ${name}`);
    return scenario;
  };
  const evaluationOf = (scenario: Scenario): Evaluation =>
    evaluate(scenario, measurements.find((measurement) => measurement.scenario === scenario.name)?.figures);

  return page
    .replace(figures, (_, begin: string, place: string, end: string) => {
      const [name = '', contestant = '', metric = '', other] = place.split(' / ');
      const scenario = scenarioOf(name, begin);
      assertKnown(scenario, { contestants: other === undefined ? [contestant] : [contestant, other], metric }, begin);
      return `${begin}${figureOf(evaluationOf(scenario), { contestant, metric, other })}${end}`;
    })
    .replace(tables, (_, begin: string, name: string, end: string) => {
      const scenario = scenarioOf(name, begin);
      return `${begin}\n\n${tableOf(scenario, evaluationOf(scenario))}\n\n${end}`;
    });
}

function assertKnown(
  { contestants, metrics }: Scenario,
  named: { readonly contestants: readonly string[]; readonly metric: string },
  marker: string,
): void {
  const unknown = named.contestants.find((contestant) => !contestants.includes(contestant));
  if (unknown !== undefined) {
    throw new UnknownFigureError(`${marker}: there is no contestant ${unknown}; there are ${contestants.join('; ')}`);
  }
  if (Object.hasOwn(metrics, named.metric)) return;
  const known = Object.keys(metrics).join(', ');
  throw new UnknownFigureError(`${marker}: there is no metric ${named.metric}; there are ${known}`);
}

function figureOf(
  { metrics }: Evaluation,
  {
    contestant,
    metric: name,
    other,
  }: { readonly contestant: string; readonly metric: string; readonly other?: string | undefined },
): string {
  const result = metrics.find((candidate) => candidate.name === name);
  const medianOf = (whose: string): number | undefined =>
    result?.standings.find((standing) => standing.contestant === whose)?.median;
  const median = medianOf(contestant);
  if (result === undefined || median === undefined) return NOT_MEASURED;
  if (other === undefined) return `${formatFigure(median)} ${result.metric.unit}`;
  const reference = medianOf(other);
  return reference === undefined || reference === 0 ? NOT_MEASURED : formatRatio(median / reference);
}

function tableOf({ contestants }: Scenario, { metrics }: Evaluation): string {
  if (metrics.length === 0) return `(${NOT_MEASURED})`;
  const cellOf = (contestant: string, standings: Evaluation['metrics'][number]['standings']): string => {
    const median = standings.find((standing) => standing.contestant === contestant)?.median;
    return median === undefined ? '' : formatFigure(median);
  };
  const measured = contestants.filter((contestant) =>
    metrics.some(({ standings }) => standings.some((standing) => standing.contestant === contestant)),
  );
  return markdownTable(
    ['', ...metrics.map(({ metric: { title, unit } }) => `${title}, ${unit}`)],
    measured.map((contestant) => [contestant, ...metrics.map(({ standings }) => cellOf(contestant, standings))]),
    ['left', ...metrics.map(() => 'right' as const)],
  );
}
