import type { Metric, Scenario, Target } from '../scenario.js';
import { baselineOf } from './baseline.js';
import { judge, type Verdict } from './judge.js';
import type { FiguresOfRounds } from './measurement.js';
import { summarise, type Summary } from './statistics.js';

/** One contestant in one metric. */
export interface Standing extends Summary {
  readonly contestant: string;
  /** How many times the baseline's median this one is; `undefined` where that is 0 or was not measured. */
  readonly ratio?: number;
}

export interface MetricResult {
  readonly name: string;
  readonly metric: Metric;
  /** Whom the ratios are of. */
  readonly baseline: string;
  /** In the order of the scenario, without those that do not have this metric. */
  readonly standings: readonly Standing[];
}

export interface JudgedTarget {
  readonly target: Target;
  readonly verdict: Verdict;
}

/** What follows from the figures of one scenario. */
export interface Evaluation {
  /** Without metrics that nobody has. */
  readonly metrics: readonly MetricResult[];
  readonly targets: readonly JudgedTarget[];
}

/** Without figures, nothing is measured, and no target is reached. */
export function evaluate(scenario: Scenario, figures: FiguresOfRounds = {}): Evaluation {
  const metrics = Object.entries(scenario.metrics)
    .map(([name, metric]) => ({
      name,
      metric,
      ...standingsOf(scenario.contestants, (contestant) => figures[contestant]?.[name]),
    }))
    .filter(({ standings }) => standings.length > 0);
  const medianOf = (contestant: string, metric: string): number | undefined =>
    metrics.find(({ name }) => name === metric)?.standings.find((standing) => standing.contestant === contestant)
      ?.median;
  const targets = scenario.targets.map((target) => ({
    target,
    verdict: judge(target, ({ contestant, metric }) => medianOf(contestant, metric)),
  }));
  return { metrics, targets };
}

function standingsOf(
  contestants: readonly string[],
  figuresOf: (contestant: string) => readonly number[] | undefined,
): Pick<MetricResult, 'baseline' | 'standings'> {
  const summaries = contestants.flatMap((contestant) => {
    const figures = figuresOf(contestant) ?? [];
    return figures.length === 0 ? [] : { contestant, ...summarise(figures) };
  });
  const baseline = baselineOf(summaries.map(({ contestant }) => contestant)) ?? '';
  const unit = summaries.find(({ contestant }) => contestant === baseline)?.median ?? 0;
  const standings = summaries.map((summary) => (unit === 0 ? summary : { ...summary, ratio: summary.median / unit }));
  return { baseline, standings };
}
