import type { Scenario } from '../model/scenario.js';
import { evaluate, type MetricResult, type Standing, isOurs } from '../results/evaluate.js';
import type { Measurement } from '../results/measurement.js';
import { formatFigure, formatRatio, markdownTable } from './format.js';

/** A figure that has changed by at least this factor is listed first. */
const remarkable = 1.25;

interface Row {
  readonly cells: readonly string[];
  /**
   * The factor by which the head is worse than the base; below 1 the head is better. `undefined` if
   * one side is missing.
   */
  readonly worse: number | undefined;
}

/**
 * Returns a comment for a pull request, as Markdown: the figures of this library on the base and on
 * the head, and their ratio. The comment does not judge them.
 *
 * @param base the measurements of the base; empty if the base could not be measured
 * @param head the measurements of the head
 */
export function comparison(
  scenarios: readonly Scenario[],
  base: readonly Measurement[],
  head: readonly Measurement[],
): string {
  const rows = scenarios.flatMap((scenario) => rowsOf(scenario, figuresIn(base, scenario), figuresIn(head, scenario)));
  const changed = rows
    .filter(({ worse }) => worse !== undefined && (worse >= remarkable || worse <= 1 / remarkable))
    .sort((one, other) => distance(other) - distance(one));
  return [
    `### Quick benchmark: base ${commitOf(base)}, head ${commitOf(head)}`,
    'One small run each, on a shared machine: a figure often differs by a fifth without a reason.',
    changed.length === 0
      ? `No figure of ${rows.length} differs by a quarter or more.`
      : `${changed.length} of ${rows.length} figures differ by a quarter or more:\n\n${tableOf(changed)}`,
    `<details><summary>All figures</summary>\n\n${tableOf(rows)}\n\n</details>\n`,
  ].join('\n\n');
}

const figuresIn = (measurements: readonly Measurement[], { name }: Scenario): Measurement['figures'] | undefined =>
  measurements.find(({ scenario }) => scenario === name)?.figures;

const distance = ({ worse = 1 }: Row): number => Math.abs(Math.log(worse));

const commitOf = (measurements: readonly Measurement[]): string =>
  measurements[0] === undefined ? '(not measured)' : `\`${measurements[0].circumstances.commit ?? 'unknown'}\``;

function tableOf(rows: readonly Row[]): string {
  return markdownTable(
    ['scenario', 'contestant', 'figure', 'base', 'head', 'head ÷ base', ''],
    rows.map(({ cells }) => cells),
    ['left', 'left', 'left', 'right', 'right', 'right', 'left'],
  );
}

function rowsOf(scenario: Scenario, base: Measurement['figures'] = {}, head: Measurement['figures'] = {}): Row[] {
  const before = evaluate(scenario, base).metrics;
  const after = evaluate(scenario, head).metrics;
  // If no contestant has the name of the library, all contestants are ways to use it.
  const isShown = scenario.contestants.some(isOurs) ? isOurs : (): boolean => true;
  return Object.entries(scenario.metrics).flatMap(([name, metric]) =>
    scenario.contestants.filter(isShown).flatMap((contestant) => {
      const old = medianOf(before, name, contestant);
      const now = medianOf(after, name, contestant);
      if (old === undefined && now === undefined) return [];
      const ratio = old === undefined || now === undefined || old === 0 ? undefined : now / old;
      const worse = ratio === undefined || ratio === 0 ? undefined : metric.better === 'lower' ? ratio : 1 / ratio;
      const cells = [scenario.name, contestant, `${metric.title} (${metric.unit})`, ...[old, now].map(figure)];
      return [{ cells: [...cells, ratio === undefined ? '–' : formatRatio(ratio), verdictOf(worse)], worse }];
    }),
  );
}

function medianOf(metrics: readonly MetricResult[], metric: string, contestant: string): number | undefined {
  const standings: readonly Standing[] = metrics.find(({ name }) => name === metric)?.standings ?? [];
  return standings.find((standing) => standing.contestant === contestant)?.median;
}

const figure = (median: number | undefined): string => (median === undefined ? '–' : formatFigure(median));

function verdictOf(worse: number | undefined): string {
  if (worse === undefined || (worse < remarkable && worse > 1 / remarkable)) return '';
  return worse > 1 ? 'worse' : 'better';
}
