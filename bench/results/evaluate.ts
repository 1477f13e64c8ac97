import type { Metric, Scenario, Target } from '../model/scenario.js';
import { judge, type Verdict } from './judge.js';
import type { FiguresOfRounds } from './measurement.js';
import { summarise, type Summary } from './statistics.js';

/** The result of one contestant in one metric. */
export interface Standing extends Summary {
  readonly contestant: string;
  /**
   * The ratio to the median of the baseline. `undefined` if that median is 0 or was not measured.
   */
  readonly ratio?: number;
}

export interface MetricResult {
  readonly name: string;
  readonly metric: Metric;
  /** The contestant that the ratios refer to. */
  readonly baseline: string;
  /** The results in the order of the scenario, without contestants that do not have this metric. */
  readonly standings: readonly Standing[];
}

interface JudgedTarget {
  readonly target: Target;
  readonly verdict: Verdict;
}

/** The evaluation of the figures of one scenario. */
export interface Evaluation {
  /** The results of all metrics that at least one contestant has. */
  readonly metrics: readonly MetricResult[];
  readonly targets: readonly JudgedTarget[];
}

const OURS = 'rx-informers';

/** Evaluates the figures of a scenario. Without figures, every target counts as not measured. */
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

/** Returns true if a contestant is this library, in any way of use. */
export function isOurs(contestant: string): boolean {
  return contestant.startsWith(OURS);
}

/**
 * Returns the contestant with which all others are compared. It is this library in its simplest
 * form, if this library takes part.
 */
function baselineOf(contestants: readonly string[]): string | undefined {
  return contestants.includes(OURS) ? OURS : (contestants.find(isOurs) ?? contestants[0]);
}
