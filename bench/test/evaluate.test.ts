import fc from 'fast-check';
import type { FigureOf, Target } from '../model/scenario.js';
import { evaluate } from '../results/evaluate.js';
import { judge } from '../results/judge.js';
import { summarise } from '../results/statistics.js';
import { wordCounted } from './support/results.js';
import { wordCount } from './support/word-count.js';

describe('the summary of all rounds', () => {
  it('uses the middle figure of an odd number of figures as the median', () => {
    expect(summarise([30, 10, 20])).toEqual({ median: 20, lowest: 10, highest: 30, spread: 1 });
  });

  it('uses the mean of the two middle figures of an even number of figures as the median', () => {
    expect(summarise([4, 1, 2, 100])).toEqual({ median: 3, lowest: 1, highest: 100, spread: 33 });
  });

  it('sorts figures as numbers, not as text', () => {
    expect(summarise([9, 100, 80]).median).toBe(80);
  });

  it('has no spread if the median is zero or there is only one figure', () => {
    expect(summarise([0, 0, 5]).spread).toBe(0);
    expect(summarise([7])).toEqual({ median: 7, lowest: 7, highest: 7, spread: 0 });
  });

  it('reports that there are no figures', () => {
    expect(() => summarise([])).toThrow('no figures');
  });

  it('does not depend on the order of the rounds, and does not modify them', () => {
    const figures = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(figures, (some) => {
        const before = [...some];
        const summary = summarise(some);
        expect(some).toEqual(before);
        expect(summarise(some.toReversed())).toEqual(summary);
        expect(summary.lowest).toBeLessThanOrEqual(summary.median);
        expect(summary.median).toBeLessThanOrEqual(summary.highest);
      }),
    );
  });
});

const ours: FigureOf = { contestant: 'rx-informers', metric: 'time' };

const floor: FigureOf = { contestant: 'floor', metric: 'time' };

const atMost: Target = { figure: ours, is: 'at most', factor: 1.5, reference: floor };

describe('a performance target', () => {
  it.each([
    ['at most', 149, 'reached'],
    ['at most', 150, 'reached'],
    ['at most', 151, 'missed'],
    ['at least', 149, 'missed'],
    ['at least', 150, 'reached'],
    ['at least', 151, 'reached'],
  ] as const)('with the rule %s 1.5 times 100, the figure %d is %s', (is, figure, outcome) => {
    const verdict = judge({ ...atMost, is }, medians({ 'rx-informers': figure, floor: 100 }));
    expect(verdict).toEqual({ outcome, figure, ratio: figure / 100 });
  });

  it('without a reference is compared with its own number', () => {
    const target: Target = { figure: ours, is: 'at most', factor: 50 };
    expect(judge(target, medians({ 'rx-informers': 50 }))).toEqual({ outcome: 'reached', figure: 50 });
    expect(judge(target, medians({ 'rx-informers': 51 }))).toEqual({ outcome: 'missed', figure: 51 });
  });

  it('counts as not measured until both of its figures are measured', () => {
    expect(judge(atMost, medians({ floor: 1 }))).toEqual({ outcome: 'not measured' });
    expect(judge(atMost, medians({ 'rx-informers': 1 }))).toEqual({ outcome: 'not measured' });
  });

  it('has no ratio if its reference is zero, and is then met only by zero', () => {
    expect(judge(atMost, medians({ 'rx-informers': 0, floor: 0 }))).toEqual({ outcome: 'reached', figure: 0 });
    expect(judge(atMost, medians({ 'rx-informers': 1, floor: 0 }))).toEqual({ outcome: 'missed', figure: 1 });
  });
});

function medians(byContestant: Readonly<Record<string, number>>): (of: FigureOf) => number | undefined {
  return ({ contestant, metric }) => (metric === 'time' ? byContestant[contestant] : undefined);
}

describe('the evaluation of a scenario', () => {
  it('compares medians with the median of this library', () => {
    const { metrics } = evaluate(wordCount, wordCounted.figures);
    const time = metrics.find(({ name }) => name === 'time');
    expect(time?.baseline).toBe('rx-informers');
    expect(time?.standings.map(({ contestant, median, ratio }) => [contestant, median, ratio])).toEqual([
      ['rx-informers', 120, 1],
      ['client-node', 240, 2],
      ['floor', 100, 100 / 120],
    ]);
  });

  it('leaves out contestants without the metric, and metrics without a contestant', () => {
    const { metrics } = evaluate(wordCount, { 'rx-informers': { heap: [1] }, floor: {} });
    expect(metrics.map(({ name, standings }) => [name, standings.length])).toEqual([['heap', 1]]);
  });

  it('compares with the first way of using this library if none is the plain one', () => {
    const scenario = { ...wordCount, contestants: ['floor', 'rx-informers paged', 'rx-informers streamed'] };
    const { metrics } = evaluate(scenario, { floor: { time: [1] }, 'rx-informers paged': { time: [2] } });
    expect(metrics[0]?.baseline).toBe('rx-informers paged');
  });

  it('has no ratio to a median of zero', () => {
    const { metrics } = evaluate(wordCount, { 'rx-informers': { time: [0] }, floor: { time: [1] } });
    expect(metrics[0]?.standings.some((standing) => 'ratio' in standing)).toBe(false);
  });

  it('states for each target whether the medians meet it', () => {
    const { targets } = evaluate(wordCount, wordCounted.figures);
    expect(targets.map(({ verdict }) => verdict)).toEqual([
      { outcome: 'reached', figure: 120, ratio: 1.2 },
      { outcome: 'missed', figure: 61 },
    ]);
  });

  it('meets no target without figures', () => {
    const { metrics, targets } = evaluate(wordCount);
    expect(metrics).toEqual([]);
    expect(targets.map(({ verdict }) => verdict.outcome)).toEqual(['not measured', 'not measured']);
  });
});
