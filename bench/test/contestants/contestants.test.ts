import { createIndexer } from 'rx-informers';
import { promisesSettled } from '../../../test/support/promises-settled.js';
import { keyQueues, loadKeyQueue, type KeyQueues } from '../../contestants/queues/key-queues.js';
import { comparison, type TableOptions } from '../../contestants/tables/table.js';
import { changesRead, tables, type TableName } from '../../contestants/tables/tables.js';
import type { BenchPod } from '../../fixtures/pod.js';
import { keyOfPod } from '../../fixtures/retained-pods.js';
import { hasText, tablePods, TYPED } from '../../fixtures/table-pods.js';

const queues: KeyQueues = {
  ...keyQueues,
  'array + Set': async () => (await import('../../contestants/queues/array-and-set.js')).arrayAndSet,
};

const known = Object.keys(queues);

const ours = known.filter((name) => name.startsWith('rx-informers'));

describe('the compared queues', () => {
  it.each(known)('%s: runs a key once if it is added again while it waits', async (name) => {
    expect(await runsOf(name, ['a', 'b', 'a', 'b', 'last', 'a'])).toEqual(['a', 'b', 'last']);
  });

  it.each([...ours, 'p-queue + Set'])('%s: runs an urgent key first', async (name) => {
    expect(await runsOf(name, [['a', -100], ['last', -100], ['b']])).toEqual(['b', 'a', 'last']);
  });

  it.each(['mergeMap + Set', 'array + Set'])('%s: has no priorities', async (name) => {
    expect(await runsOf(name, [['a', -100], ['b', -100], ['last']])).toEqual(['a', 'b', 'last']);
  });

  it.each<readonly [name: string, expected: number]>([
    ...ours.map((name) => [name, 1] as const),
    ['mergeMap + Set', 2],
    ['p-queue + Set', 2],
  ])('%s: when a key is added while it runs, %d runs of it are in progress', async (name, expected) => {
    const open = await loadKeyQueue(queues, name);
    let running = 0;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const queue = open({
      concurrency: 3,
      run: (key) => {
        if (key === 'last') end();
        else running++;
        return new Promise(() => undefined);
      },
    });
    for (const key of ['a', 'a', 'last']) {
      queue.add(key);
      await promisesSettled();
    }
    await ended;
    expect(running).toBe(expected);
  });

  it('are selected by a name that exists', async () => {
    await expect(loadKeyQueue(queues, 'nobody')).rejects.toThrow('there is no queue nobody');
  });
});

/** Adds keys while the only worker is busy; returns the keys that then run, up to `last`. */
async function runsOf(
  name: string,
  additions: readonly (string | readonly [key: string, priority?: number])[],
): Promise<readonly string[]> {
  const open = await loadKeyQueue(queues, name);
  const runs: string[] = [];
  let letGo: () => void = () => undefined;
  const blocked = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const finished = new Promise<readonly string[]>((resolve) => {
    const queue = open({
      concurrency: 1,
      run: (key) => {
        if (key === 'hold') return blocked;
        runs.push(key);
        if (key === 'last') resolve(runs);
        return Promise.resolve();
      },
    });
    queue.add('hold');
    for (const addition of additions) {
      if (typeof addition === 'string') queue.add(addition);
      else queue.add(...addition);
    }
  });
  letGo();
  return finished;
}

const COUNT = 300;

const byPhase = { value: ({ status }: BenchPod) => status.phase, direction: 'ascending' } as const;

const newestFirst = {
  value: ({ metadata }: BenchPod) => metadata.creationTimestamp,
  direction: 'descending',
} as const;

const settings: TableOptions = {
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

describe('the compared tables', () => {
  it.each(Object.keys(tables) as TableName[])('%s: shows the requested rows, no matter what changes', async (name) => {
    const { first, pods, changes, expected } = cluster();
    const table = (await tables[name]())(pods, settings);
    const shown = () => ({ rows: table.shown().rows.map(keyOfPod), total: table.shown().total });
    expect(shown()).toEqual(expected(settings));

    for (const options of [
      settings,
      { ...settings, offset: 20 },
      { ...settings, where: () => true },
      { ...settings, sortBy: [newestFirst] },
      { ...settings, sortBy: [{ ...newestFirst, collator: new Intl.Collator('en', { numeric: true }) }] },
      { ...settings, sortBy: [], where: () => true, limit: 500 },
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

  it('the floor contestant reads each change until it is closed', () => {
    const { pods, changes } = cluster();
    const table = changesRead(pods, settings);
    pods.update(changes.moving());
    expect(table.shown()).toEqual({ rows: [], total: COUNT + 1 });
    table.close();
    pods.update(changes.moving());
    expect(table.shown().total).toBe(COUNT + 1);
  });
});
