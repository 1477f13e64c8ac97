import type { Verdict } from '../results/judge.js';
import type { Scenario, Target } from '../model/scenario.js';
import { formatFigure, formatRatio } from './format.js';

/** Returns a text such as `rx-informers: wall time ≤ 1.3 × floor`. */
export function describeTarget({ metrics }: Scenario, { figure, is, factor, reference }: Target): string {
  const titleOf = (metric: string): string => metrics[metric]?.title ?? metric;
  const unit = metrics[figure.metric]?.unit ?? '';
  const subject = `${figure.contestant}: ${titleOf(figure.metric)} ${is === 'at most' ? '≤' : '≥'}`;
  if (reference === undefined) return `${subject} ${formatFigure(factor)} ${unit}`;
  const ofWhom = [
    ...(reference.contestant === figure.contestant ? [] : [reference.contestant]),
    ...(reference.metric === figure.metric ? [] : [titleOf(reference.metric)]),
  ];
  return `${subject} ${formatRatio(factor)} ${ofWhom.join(': ')}`;
}

/** Returns the measured value as the target expresses it: a ratio or a figure. */
export function describeMeasured({ metrics }: Scenario, { figure }: Target, verdict: Verdict): string {
  if (verdict.outcome === 'not measured') return '–';
  return verdict.ratio === undefined
    ? `${formatFigure(verdict.figure)} ${metrics[figure.metric]?.unit ?? ''}`
    : formatRatio(verdict.ratio);
}
