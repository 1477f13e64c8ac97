import { comparison } from '../report/comparison.js';
import type { Measurement } from '../results/measurement.js';
import { circumstances } from './support/results.js';
import { wordCount } from './support/word-count.js';

const measured = (commit: string, figures: Measurement['figures'], scenario = wordCount.name): Measurement => ({
  scenario,
  circumstances: { ...circumstances, commit },
  figures,
});
const withOurs = (commit: string, time: number, heap: number): Measurement =>
  measured(commit, { 'rx-informers': { time: [time], heap: [heap] }, floor: { time: [100] } });
const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('| word-count'));

describe('the comment that compares a benchmark on base and head', () => {
  it('names both commits, and shows each figure of this library with its ratio', () => {
    const text = comparison([wordCount], [withOurs('aaa', 100, 50)], [withOurs('bbb', 110, 50)]);

    expect(text).toContain('base `aaa`, head `bbb`');
    expect(text).toContain('No figure of 2 differs by a quarter or more.');
    expect(linesOf(text)).toEqual([
      '| word-count | rx-informers | wall time (ms) | 100 | 110 | 1.1 × |  |',
      '| word-count | rx-informers | heap (MB) | 50 | 50 | 1 × |  |',
    ]);
  });

  it('lists figures that differ by a quarter or more first, the largest difference at the top', () => {
    const text = comparison([wordCount], [withOurs('aaa', 100, 50)], [withOurs('bbb', 130, 20)]);

    expect(text).toContain('2 of 2 figures differ by a quarter or more:');
    expect(linesOf(text).slice(0, 2)).toEqual([
      '| word-count | rx-informers | heap (MB) | 50 | 20 | 0.4 × | better |',
      '| word-count | rx-informers | wall time (ms) | 100 | 130 | 1.3 × | worse |',
    ]);
  });

  it('reports a higher figure as better if higher is better', () => {
    const speed = { ...wordCount, metrics: { time: { title: 'words', unit: 'events/s', better: 'higher' } as const } };
    const text = comparison([speed], [withOurs('aaa', 100, 50)], [withOurs('bbb', 200, 50)]);

    expect(linesOf(text)[0]).toBe('| word-count | rx-informers | words (events/s) | 100 | 200 | 2 × | better |');
  });

  it('shows every contestant of a scenario that compares only ways to use this library', () => {
    const ways = { ...wordCount, contestants: ['pages', 'stream'] };
    const figures = { pages: { time: [1] }, stream: { time: [2] } };
    const text = comparison([ways], [measured('aaa', figures)], [measured('bbb', figures)]);

    expect(linesOf(text).map((line) => line.split(' | ')[1])).toEqual(['pages', 'stream']);
  });

  it.each([
    ['the base could not be measured', [], [withOurs('bbb', 110, 50)], 'base (not measured), head `bbb`'],
    ['the head could not be measured', [withOurs('aaa', 110, 50)], [], 'base `aaa`, head (not measured)'],
    ['a figure was 0', [withOurs('aaa', 0, 0)], [withOurs('bbb', 110, 50)], 'base `aaa`, head `bbb`'],
    ['nothing was measured', [], [], 'base (not measured), head (not measured)'],
  ])('has no ratio if %s', (_, base, head, title) => {
    const text = comparison([wordCount], base, head);

    expect(text).toContain(title);
    for (const line of linesOf(text)) expect(line).toMatch(/\| – \| {2}\|$/);
  });
});
