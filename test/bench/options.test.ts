import { Command } from 'commander';
import { parseOptions, type BenchOptions } from '../../bench/options.js';

describe('the command line', () => {
  it('without options measures everything five times, and writes it beside the documentation', () => {
    expect(parse()).toEqual({
      task: 'measure',
      scale: 'full',
      rounds: 5,
      only: undefined,
      output: 'docs/performance',
    });
  });

  it('measures quickly once, and writes nothing without a path', () => {
    expect(parse('--quick')).toMatchObject({ scale: 'quick', rounds: 1, output: undefined });
    expect(parse('--quick', '--output', 'temp/bench')).toMatchObject({ output: 'temp/bench' });
  });

  it('takes some scenarios and how often they run', () => {
    expect(parse('--rounds', '7', '--only', 'a', 'b')).toMatchObject({ rounds: 7, only: ['a', 'b'] });
  });

  it('writes or checks what was measured before', () => {
    expect(parse('--page')).toEqual({ task: 'page', output: 'docs/performance' });
    expect(parse('--check', '--output', 'temp/bench')).toEqual({ task: 'check', output: 'temp/bench' });
  });

  it.each([
    ['a scenario that there is not', ['--only', 'a', 'c'], 'there is no scenario c; there are a, b'],
    ['rounds that are no number', ['--rounds', 'many'], 'positive whole number'],
    ['half a round', ['--rounds', '0.5'], 'positive whole number'],
    ['a quick run of several rounds', ['--quick', '--rounds', '2'], '--quick is one round'],
    ['two tasks', ['--page', '--check'], '--page and --check stand alone'],
    ['a check of one scenario', ['--check', '--only', 'a'], '--page and --check stand alone'],
    ['an unknown option', ['--fast'], "unknown option '--fast'"],
    ['a word', ['fast'], 'too many arguments'],
  ])('the command line refuses %s', (_, parameters, message) => {
    expect(() => parse(...parameters)).toThrow(message);
  });
});

function parse(...parameters: readonly string[]): BenchOptions {
  const command = new Command('bench').exitOverride().configureOutput({ writeErr: () => undefined });
  return parseOptions(parameters, ['a', 'b'], command);
}
