import { existsSync } from 'node:fs';
import { problemsOfScenarios } from '../../bench/check-scenarios.js';
import { checkFigures } from '../../bench/run/check-figures.js';
import { scenarios } from '../../bench/scenarios.js';
import { wordCount } from './support/word-count.js';

describe('scenarios', () => {
  it('are written without mistakes, each in the file of its name', () => {
    expect(problemsOfScenarios(scenarios)).toEqual([]);
    for (const { name } of scenarios) {
      expect([name, existsSync(new URL(`../../bench/scenarios/${name}.ts`, import.meta.url))]).toEqual([name, true]);
    }
  });

  it('with mistakes are found before anything is measured', () => {
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
  it('keep six digits', () => {
    expect(checkFigures('a, b', wordCount.metrics, { time: 1234.56789, heap: 0 })).toEqual({ time: 1234.57, heap: 0 });
  });

  it.each([
    ['of no metric', { speed: 1 }, 'a, b: speed is no metric of this scenario'],
    ['that are no numbers', { time: NaN }, 'a, b: time is NaN, which is no figure'],
    ['that did not survive the way between processes', { time: null as unknown as number }, 'a, b: time is null'],
    ['that are none', {}, 'a, b: no figure was measured'],
  ])('%s are an error', (_, figures, message) => {
    expect(() => checkFigures('a, b', wordCount.metrics, figures)).toThrow(message);
  });
});
