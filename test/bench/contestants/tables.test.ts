import { createIndexer } from 'rx-informers';
import { changesRead } from '../../../bench/contestants/tables/changes-read.js';
import { comparison, tables, type TableName, type TableOptions } from '../../../bench/contestants/tables/table.js';
import { keyOfPod } from '../../../bench/fixtures/held-pods.js';
import type { BenchPod } from '../../../bench/fixtures/pod.js';
import { hasText, tablePods, TYPED } from '../../../bench/fixtures/table-pods.js';

const COUNT = 300;

const byPhase = { value: ({ status }: BenchPod) => status.phase, direction: 'ascending' } as const;
const newestFirst = {
  value: ({ metadata }: BenchPod) => metadata.creationTimestamp,
  direction: 'descending',
} as const;
const asked: TableOptions = {
  where: (pod) => hasText(pod, TYPED),
  sortBy: [byPhase, newestFirst],
  offset: 0,
  limit: 20,
};

function cluster() {
  const { pods: first, ...changes } = tablePods(COUNT);
  const pods = createIndexer(keyOfPod);
  pods.replace(first);
  const expected = ({ where, sortBy, offset, limit }: TableOptions) => {
    const rows = pods.list().filter(where).sort(comparison(sortBy));
    return { rows: rows.slice(offset, offset + limit).map(keyOfPod), total: rows.length };
  };
  return { first, pods, changes, expected };
}

describe('tables that are compared', () => {
  it.each(Object.keys(tables) as TableName[])('%s: shows what it is asked for, whatever changes', async (name) => {
    const { first, pods, changes, expected } = cluster();
    const table = (await tables[name]())(pods, asked);
    const shown = () => ({ rows: table.shown().rows.map(keyOfPod), total: table.shown().total });
    expect(shown()).toEqual(expected(asked));

    for (const options of [
      asked,
      { ...asked, offset: 20 },
      { ...asked, where: () => true },
      { ...asked, sortBy: [newestFirst] },
      { ...asked, sortBy: [{ ...newestFirst, collator: new Intl.Collator('en', { numeric: true }) }] },
      { ...asked, sortBy: [], where: () => true, limit: 500 },
    ] satisfies TableOptions[]) {
      table.show(options);
      expect(shown()).toEqual(expected(options));
      for (let round = 0; round < 20; round++) {
        for (const next of [changes.moving, changes.staying, changes.hidden]) pods.update(next());
        const passing = first[round]!;
        pods.delete(keyOfPod(passing));
        expect(shown()).toEqual(expected(options));
        pods.add(passing);
        expect(shown()).toEqual(expected(options));
      }
    }
    table.close();
    const last = shown();
    pods.replace([]);
    expect(shown()).toEqual(last);
  });

  it('the floor reads each change, until it is closed', () => {
    const { pods, changes } = cluster();
    const table = changesRead(pods, asked);
    pods.update(changes.moving());
    expect(table.shown()).toEqual({ rows: [], total: COUNT + 1 });
    table.close();
    pods.update(changes.moving());
    expect(table.shown().total).toBe(COUNT + 1);
  });
});
