import { readFileSync } from 'node:fs';
import { fillFigures, UnknownFigureError } from '../../bench/report/fill-figures.js';
import { scenarios } from '../../bench/scenarios.js';
import { wordCounted } from './support/results.js';
import { wordCount } from './support/word-count.js';

const fill = (page: string, measurements = [wordCounted]): string => fillFigures(page, [wordCount], measurements);

describe('docs/scaling.md', () => {
  it('names only what is measured', () => {
    expect(() => fillFigures(readFileSync('docs/scaling.md', 'utf8'), scenarios, [])).not.toThrow();
  });
});

describe('a page with figures', () => {
  it('says the median with its unit where a marker names contestant and metric', () => {
    expect(fill('takes <!-- figure: word-count / floor / time -->ages<!-- /figure -->, no more')).toBe(
      'takes <!-- figure: word-count / floor / time -->100 ms<!-- /figure -->, no more',
    );
  });

  it('says how many times the median of another it is where a marker names one', () => {
    expect(fill('<!-- figure: word-count / rx-informers / time / floor --><!-- /figure -->')).toContain('>1.2 ×<');
  });

  it('has a table of all medians, with an empty cell for what a contestant does not measure', () => {
    expect(fill('<!-- results: word-count -->\nold\n<!-- /results -->')).toBe(
      [
        '<!-- results: word-count -->\n',
        '|  | wall time, ms | heap, MB |',
        '| --- | ---: | ---: |',
        '| rx-informers | 120 | 61 |',
        '| client-node | 240 | 91 |',
        '| floor | 100 |  |',
        '\n<!-- /results -->',
      ].join('\n'),
    );
  });

  it('is the same when it is filled again, however many markers it has', () => {
    const marker = '<!-- figure: word-count / floor / time --><!-- /figure -->';
    const once = fill(`${marker}\n${marker}\n<!-- results: word-count --><!-- /results -->\nThe end.`);
    expect(once.match(/>100 ms</g)).toHaveLength(2);
    expect(fill(once)).toBe(once);
  });

  it('says what has not been measured', () => {
    const marker = '<!-- figure: word-count / floor / time -->1 ms<!-- /figure -->';
    expect(fill(marker, [])).toContain('>not measured yet<');
    expect(fill('<!-- results: word-count --><!-- /results -->', [])).toContain('(not measured yet)');
    expect(fill('<!-- figure: word-count / floor / heap --><!-- /figure -->')).toContain('>not measured yet<');
  });

  it.each([
    ['a scenario', '<!-- figure: letter-count / floor / time --><!-- /figure -->'],
    ['a scenario of a table', '<!-- results: letter-count --><!-- /results -->'],
    ['a contestant', '<!-- figure: word-count / nobody / time --><!-- /figure -->'],
    ['a contestant to compare with', '<!-- figure: word-count / floor / time / nobody --><!-- /figure -->'],
    ['a metric', '<!-- figure: word-count / floor / weight --><!-- /figure -->'],
  ])('is refused where a marker names %s that does not exist', (_, page) => {
    expect(() => fill(page)).toThrow(UnknownFigureError);
  });
});
