import { judge } from '../../bench/results/judge.js';
import type { FigureOf, Target } from '../../bench/scenario.js';

const ours: FigureOf = { contestant: 'rx-informers', metric: 'time' };
const floor: FigureOf = { contestant: 'floor', metric: 'time' };
const atMost: Target = { figure: ours, is: 'at most', factor: 1.5, reference: floor };

describe('a target', () => {
  it.each([
    ['at most', 149, 'reached'],
    ['at most', 150, 'reached'],
    ['at most', 151, 'missed'],
    ['at least', 149, 'missed'],
    ['at least', 150, 'reached'],
    ['at least', 151, 'reached'],
  ] as const)('of %s 1.5 times 100 with %d is %s', (is, figure, outcome) => {
    const verdict = judge({ ...atMost, is }, medians({ 'rx-informers': figure, floor: 100 }));
    expect(verdict).toEqual({ outcome, figure, ratio: figure / 100 });
  });

  it('without a reference is compared with its number', () => {
    const target: Target = { figure: ours, is: 'at most', factor: 50 };
    expect(judge(target, medians({ 'rx-informers': 50 }))).toEqual({ outcome: 'reached', figure: 50 });
    expect(judge(target, medians({ 'rx-informers': 51 }))).toEqual({ outcome: 'missed', figure: 51 });
  });

  it('is not measured as long as one of its two figures is not', () => {
    expect(judge(atMost, medians({ floor: 1 }))).toEqual({ outcome: 'not measured' });
    expect(judge(atMost, medians({ 'rx-informers': 1 }))).toEqual({ outcome: 'not measured' });
  });

  it('of a reference that is nothing has no ratio, and is reached by nothing only', () => {
    expect(judge(atMost, medians({ 'rx-informers': 0, floor: 0 }))).toEqual({ outcome: 'reached', figure: 0 });
    expect(judge(atMost, medians({ 'rx-informers': 1, floor: 0 }))).toEqual({ outcome: 'missed', figure: 1 });
  });
});

function medians(byContestant: Readonly<Record<string, number>>): (of: FigureOf) => number | undefined {
  return ({ contestant, metric }) => (metric === 'time' ? byContestant[contestant] : undefined);
}
