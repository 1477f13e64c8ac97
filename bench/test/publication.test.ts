import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'oxfmt';
import { differencesFrom, filesOf, readMeasurements, writeFiles } from '../report/publication.js';
import { mergeMeasurements } from '../results/measurement.js';
import { circumstances, wordCounted } from './support/results.js';
import { wordCount } from './support/word-count.js';

const other = { ...wordCount, name: 'other', title: 'Another one' };
const scenarios = [wordCount, other];
let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rx-informers-bench-'));
  folder = join(root, 'performance');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

describe('the files of a benchmark', () => {
  it('are the results, charts of the measured scenarios, and the page', async () => {
    const paths = [...(await files()).keys()];
    expect(paths).toEqual([
      join(folder, 'results.json'),
      join(folder, 'word-count.svg'),
      join(root, 'contributing', 'benchmarks.md'),
    ]);
    expect([...(await files({ hasPages: false })).keys()]).toEqual(paths.slice(0, 2));
  });

  it('have the same page if the folder is named with a trailing slash', async () => {
    const { keys } = { keys: [...(await files({ folder: `${folder}/` })).keys()] };
    expect(keys).toContain(join(root, 'contributing', 'benchmarks.md'));
  });

  it('include results that can be read again, with the figures of all rounds', async () => {
    writeFiles(await files());
    expect(readMeasurements(folder)).toEqual([wordCounted]);
    expect(readMeasurements(root)).toEqual([]);
  });

  it('include results that pass the linter, with medians and targets for other readers', async () => {
    const text = (await files()).get(join(folder, 'results.json')) ?? '';
    expect(await format('results.json', text, { printWidth: 120 })).toEqual({ code: text, errors: [] });
    expect(JSON.parse(text)).toMatchObject({
      scenarios: [
        {
          metrics: { time: { unit: 'ms', standings: [{ contestant: 'rx-informers', median: 120 }, {}, {}] } },
          targets: [
            { target: 'rx-informers: wall time ≤ 1.3 × floor', outcome: 'reached', ratio: 1.2 },
            { target: 'rx-informers: heap ≤ 50 MB', outcome: 'missed', figure: 61 },
          ],
        },
      ],
    });
  });

  it('pass the check as they were written', async () => {
    writeFiles(await files());
    expect(differencesFrom(await files(), folder)).toEqual([]);
  });

  it.each(['contributing/benchmarks.md', 'performance/results.json', 'performance/word-count.svg'])(
    'fail the check if a figure in %s was typed in by hand',
    async (name) => {
      writeFiles(await files());
      const path = join(root, name);
      writeFileSync(path, readFileSync(path, 'utf8').replace('240', '340'));
      expect(differencesFrom(await files(), folder)).toEqual([`${path} is not what the results give`]);
    },
  );

  it('fail the check if a file is missing or belongs to nothing', async () => {
    writeFiles(await files());
    rmSync(join(folder, 'word-count.svg'));
    writeFileSync(join(folder, 'removed.svg'), '');
    expect(differencesFrom(await files(), folder)).toEqual([
      `${join(folder, 'word-count.svg')} is missing`,
      `${join(folder, 'removed.svg')} belongs to no scenario`,
    ]);
  });

  it('include hand-written pages that show figures, with the figures filled in', async () => {
    const path = join(root, 'explanation', 'performance.md');
    mkdirSync(join(root, 'explanation'));
    writeFileSync(path, 'It takes <!-- figure: word-count / floor / time -->ages<!-- /figure -->.');
    expect((await files()).get(path)).toBe(
      'It takes <!-- figure: word-count / floor / time -->100 ms<!-- /figure -->.',
    );
  });
});

describe('measuring one scenario again', () => {
  const again = { ...wordCounted, circumstances: { ...circumstances, date: '2026-12-24' } };

  it('replaces its results and keeps those of the other scenarios in their order', () => {
    const ofOther = { ...wordCounted, scenario: 'other' };
    expect(mergeMeasurements(scenarios, [ofOther, wordCounted], [again])).toEqual([again, ofOther]);
  });

  it('drops the results of a scenario that no longer exists', () => {
    expect(mergeMeasurements([other], [wordCounted], [])).toEqual([]);
  });
});

function files(place: { readonly hasPages?: boolean; readonly folder?: string } = {}) {
  return filesOf(scenarios, [wordCounted], { folder, hasPages: true, ...place });
}
