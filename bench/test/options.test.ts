import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { problemsOfScenarios } from '../model/check-scenarios.js';
import { parseOptions, type BenchOptions } from '../options.js';
import { checkFigures } from '../run/run-contestant.js';
import { scenarios } from '../scenarios.js';
import { wordCount } from './support/word-count.js';

describe('the command line of the benchmarks', () => {
  it('without options measures every scenario with its own number of rounds, and writes the results to the documentation', () => {
    expect(parse()).toEqual({
      task: 'measure',
      scale: 'full',
      rounds: undefined,
      only: undefined,
      output: 'docs/performance',
    });
  });

  it('measures a quick round once, and writes nothing without a path', () => {
    expect(parse('--quick')).toMatchObject({ scale: 'quick', rounds: 1, output: undefined });
    expect(parse('--quick', '--output', 'temp/bench')).toMatchObject({ output: 'temp/bench' });
  });

  it('selects scenarios and the number of rounds', () => {
    expect(parse('--rounds', '7', '--only', 'a', 'b')).toMatchObject({ rounds: 7, only: ['a', 'b'] });
    expect(parse('--only', 'a,b')).toMatchObject({ only: ['a', 'b'] });
  });

  it('writes the page from earlier results, or checks it', () => {
    expect(parse('--page')).toEqual({ task: 'page', output: 'docs/performance' });
    expect(parse('--check', '--output', 'temp/bench')).toEqual({ task: 'check', output: 'temp/bench' });
    expect(parse('--compare', 'temp/base', '--output', 'temp/head')).toEqual({
      task: 'compare',
      base: 'temp/base',
      output: 'temp/head',
    });
  });

  it.each([
    ['a scenario that does not exist', ['--only', 'a', 'c'], 'there is no scenario c; there are a, b'],
    ['a number of rounds that is not a number', ['--rounds', 'many'], 'positive whole number'],
    ['half a round', ['--rounds', '0.5'], 'positive whole number'],
    ['a quick run with several rounds', ['--quick', '--rounds', '2'], '--quick is one round'],
    ['two tasks at once', ['--page', '--check'], '--page, --check and --compare stand alone'],
    ['a check of a single scenario', ['--check', '--only', 'a'], '--page, --check and --compare stand alone'],
    ['a comparison that also measures', ['--compare', 'a', '--quick'], '--page, --check and --compare stand alone'],
    ['an unknown option', ['--fast'], "unknown option '--fast'"],
    ['a positional argument', ['fast'], 'too many arguments'],
  ])('the command line refuses %s', (_, parameters, message) => {
    expect(() => parse(...parameters)).toThrow(message);
  });
});

function parse(...parameters: readonly string[]): BenchOptions {
  const command = new Command('bench').exitOverride().configureOutput({ writeErr: () => undefined });
  return parseOptions(parameters, ['a', 'b'], command);
}

describe('the scenarios of the benchmark', () => {
  it('are valid, and each is in the file of its name', () => {
    expect(problemsOfScenarios(scenarios)).toEqual([]);
    for (const { name } of scenarios) {
      expect([name, existsSync(new URL(`../scenarios/${name}.ts`, import.meta.url))]).toEqual([name, true]);
    }
  });

  it('are checked for mistakes before anything is measured', () => {
    const nobody = { contestant: 'nobody', metric: 'nothing' };
    const wrong = {
      ...wordCount,
      name: 'Word count',
      contestants: ['floor', 'floor'],
      rounds: 0,
      targets: [
        { figure: { contestant: 'floor', metric: 'time' }, is: 'at most', factor: 1, reference: nobody },
      ] as const,
    };
    expect(
      problemsOfScenarios([wordCount, wordCount, wrong, { ...wordCount, name: 'a', contestants: [], targets: [] }]),
    ).toEqual([
      'there are several scenarios of the name word-count',
      'Word count: its name is not in kebab-case',
      'Word count: floor takes part more than once',
      'Word count: its rounds are no positive whole number',
      'Word count: a target is about nobody, which is no contestant',
      'Word count: a target is about nothing, which is no metric',
      'a: it has no contestants',
    ]);
  });
});

describe('figures', () => {
  it('keep six significant digits', () => {
    expect(checkFigures('a, b', wordCount.metrics, { time: 1234.56789, heap: 0 })).toEqual({ time: 1234.57, heap: 0 });
  });

  it.each([
    ['a result without a metric', { speed: 1 }, 'a, b: speed is no metric of this scenario'],
    ['a value that is not a number', { time: NaN }, 'a, b: time is NaN, which is no figure'],
    ['a value that JSON does not preserve', { time: null as unknown as number }, 'a, b: time is null'],
    ['a missing result', {}, 'a, b: no figure was measured'],
  ])('%s as a figure is an error', (_, figures, message) => {
    expect(() => checkFigures('a, b', wordCount.metrics, figures)).toThrow(message);
  });
});
