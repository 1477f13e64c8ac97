import Table from 'cli-table3';
import type { Scenario } from '../model/scenario.js';
import type { Evaluation, MetricResult } from '../results/evaluate.js';
import { describeMeasured, describeTarget } from './describe.js';
import { formatFigure, formatRatio, formatShare } from './format.js';

const HEAD_WIDTH = 24;
const TARGET_WIDTH = 60;

/**
 * Returns a table of each contestant and metric: the median, the lowest and the highest round, and
 * the ratio to this library.
 */
export function scenarioTable(scenario: Scenario, { metrics }: Evaluation): string {
  const table = new Table({
    head: [scenario.title, ...metrics.map(({ metric }) => `${metric.title} (${metric.unit})`)].map((title) =>
      wrap(title, HEAD_WIDTH),
    ),
    colAligns: ['left', ...metrics.map(() => 'right' as const)],
    style: { head: [], border: [] },
  });
  table.push(
    ...scenario.contestants.map((contestant) => [contestant, ...metrics.map((metric) => cellOf(metric, contestant))]),
  );
  return table.toString();
}

function cellOf({ standings }: MetricResult, contestant: string): string {
  const standing = standings.find((candidate) => candidate.contestant === contestant);
  if (standing === undefined) return '–';
  const { median, lowest, highest, spread, ratio } = standing;
  return [
    formatFigure(median),
    ...(lowest === highest ? [] : [`${formatFigure(lowest)}–${formatFigure(highest)} (${formatShare(spread)})`]),
    ...(ratio === undefined ? [] : [formatRatio(ratio)]),
  ].join('\n');
}

/** Returns a table of every target and its outcome. */
export function targetsTable(
  results: readonly { readonly scenario: Scenario; readonly evaluation: Evaluation }[],
): string {
  const table = new Table({ head: ['scenario', 'must reach', 'measured', ''], style: { head: [], border: [] } });
  table.push(
    ...results.flatMap(({ scenario, evaluation }) =>
      evaluation.targets.map(({ target, verdict }) => [
        scenario.name,
        wrap(describeTarget(scenario, target), TARGET_WIDTH),
        describeMeasured(scenario, target, verdict),
        verdict.outcome,
      ]),
    ),
  );
  return table.toString();
}

function wrap(text: string, width: number): string {
  return text.replace(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n').trimEnd();
}
