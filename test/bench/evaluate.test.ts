import { evaluate } from '../../bench/results/evaluate.js';
import { wordCount } from './support/word-count.js';
import { wordCounted } from './support/results.js';

describe('the evaluation of a scenario', () => {
  it('compares medians with the one of this library', () => {
    const { metrics } = evaluate(wordCount, wordCounted.figures);
    const time = metrics.find(({ name }) => name === 'time');
    expect(time?.baseline).toBe('rx-informers');
    expect(time?.standings.map(({ contestant, median, ratio }) => [contestant, median, ratio])).toEqual([
      ['rx-informers', 120, 1],
      ['client-node', 240, 2],
      ['floor', 100, 100 / 120],
    ]);
  });

  it('leaves out contestants without a metric, and metrics without a contestant', () => {
    const { metrics } = evaluate(wordCount, { 'rx-informers': { heap: [1] }, floor: {} });
    expect(metrics.map(({ name, standings }) => [name, standings.length])).toEqual([['heap', 1]]);
  });

  it('compares with the first way of using this library where none is the plain one', () => {
    const scenario = { ...wordCount, contestants: ['floor', 'rx-informers paged', 'rx-informers streamed'] };
    const { metrics } = evaluate(scenario, { floor: { time: [1] }, 'rx-informers paged': { time: [2] } });
    expect(metrics[0]?.baseline).toBe('rx-informers paged');
  });

  it('has no ratios to a median of nothing', () => {
    const { metrics } = evaluate(wordCount, { 'rx-informers': { time: [0] }, floor: { time: [1] } });
    expect(metrics[0]?.standings.some((standing) => 'ratio' in standing)).toBe(false);
  });

  it('says of each target whether it was reached, by the medians', () => {
    const { targets } = evaluate(wordCount, wordCounted.figures);
    expect(targets.map(({ verdict }) => verdict)).toEqual([
      { outcome: 'reached', figure: 120, ratio: 1.2 },
      { outcome: 'missed', figure: 61 },
    ]);
  });

  it('reaches nothing without figures', () => {
    const { metrics, targets } = evaluate(wordCount);
    expect(metrics).toEqual([]);
    expect(targets.map(({ verdict }) => verdict.outcome)).toEqual(['not measured', 'not measured']);
  });
});
