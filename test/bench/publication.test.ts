import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from 'prettier';
import { differencesFrom, filesOf, readMeasurements, writeFiles } from '../../bench/report/publication.js';
import { mergeMeasurements } from '../../bench/results/merge.js';
import { wordCount } from './support/word-count.js';
import { circumstances, wordCounted } from './support/results.js';

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
  it('are results, charts of what was measured, and the page beside them', async () => {
    const paths = [...(await files()).keys()];
    expect(paths).toEqual([join(folder, 'results.json'), join(folder, 'word-count.svg'), join(root, 'performance.md')]);
    expect([...(await files({ hasPage: false })).keys()]).toEqual(paths.slice(0, 2));
  });

  it('give the same page where the folder was named with a slash at its end', async () => {
    const { keys } = { keys: [...(await files({ folder: `${folder}/` })).keys()] };
    expect(keys).toContain(join(root, 'performance.md'));
  });

  it('have results that can be read again, with the figures of all rounds', async () => {
    writeFiles(await files());
    expect(readMeasurements(folder)).toEqual([wordCounted]);
    expect(readMeasurements(root)).toEqual([]);
  });

  it('have results that pass the linter, with medians and targets for other readers', async () => {
    const text = (await files()).get(join(folder, 'results.json')) ?? '';
    expect(await check(text, { parser: 'json', printWidth: 120 })).toBe(true);
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

  it('are checked: as they were written they are right', async () => {
    writeFiles(await files());
    expect(differencesFrom(await files(), folder)).toEqual([]);
  });

  it.each(['performance.md', 'performance/results.json', 'performance/word-count.svg'])(
    'are checked: a figure in %s that was typed in by hand is found',
    async (name) => {
      writeFiles(await files());
      const path = join(root, name);
      writeFileSync(path, readFileSync(path, 'utf8').replace('240', '340'));
      expect(differencesFrom(await files(), folder)).toEqual([`${path} is not what the results give`]);
    },
  );

  it('are checked: a file that is missing, and one that belongs to nothing, are found', async () => {
    writeFiles(await files());
    rmSync(join(folder, 'word-count.svg'));
    writeFileSync(join(folder, 'removed.svg'), '');
    expect(differencesFrom(await files(), folder)).toEqual([
      `${join(folder, 'word-count.svg')} is missing`,
      `${join(folder, 'removed.svg')} belongs to no scenario`,
    ]);
  });

  it('change with a note', async () => {
    writeFiles(await files());
    writeFileSync(join(root, 'word-count.md'), 'Words were counted twice.');
    const path = join(root, 'performance.md');
    expect(differencesFrom(await files(), folder)).toEqual([`${path} is not what the results give`]);
    expect((await files()).get(path)).toContain('Words were counted twice.');
  });
});

describe('measuring one scenario again', () => {
  const again = { ...wordCounted, circumstances: { ...circumstances, date: '2026-12-24' } };

  it('replaces its results and keeps those of the others, in the order of the scenarios', () => {
    const ofOther = { ...wordCounted, scenario: 'other' };
    expect(mergeMeasurements(scenarios, [ofOther, wordCounted], [again])).toEqual([again, ofOther]);
  });

  it('drops what was measured of a scenario that is gone', () => {
    expect(mergeMeasurements([other], [wordCounted], [])).toEqual([]);
  });
});

function files(place: { readonly hasPage?: boolean; readonly folder?: string } = {}) {
  return filesOf(scenarios, [wordCounted], { folder, notes: root, hasPage: true, ...place });
}
