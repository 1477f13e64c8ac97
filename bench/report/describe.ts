import type { Scenario, Target } from '../model/scenario.js';
import type { Verdict } from '../results/judge.js';
import type { Circumstances } from '../results/measurement.js';
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

/** Returns a text such as `2 × AMD EPYC 7B13, 8 GB, Linux 6.1.0 x64, Node v20.20.2`. */
export function describeMachine({ machine }: Circumstances): string {
  const { processor, cores, memoryGigabytes, operatingSystem, node } = machine;
  return `${cores} × ${processor}, ${memoryGigabytes} GB, ${operatingSystem}, Node ${node}`;
}

/** Returns a text such as `5 rounds on 2026-11-21, at commit 0123456789ab, with rxjs 7.8.2`. */
export function describeRun({ date, commit, rounds, libraries }: Circumstances): string {
  return [
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'} on ${date}`,
    ...(commit === undefined ? [] : [describeCommit(commit)]),
    `with ${Object.entries(libraries)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}`,
  ].join(', ');
}

function describeCommit(commit: string): string {
  return commit.endsWith('+')
    ? `at commit ${commit.slice(0, -1)} with changes that were not committed yet`
    : `at commit ${commit}`;
}
