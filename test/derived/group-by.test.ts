import { createIndexer, indexByNode, informer, type InformerError } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import { aPod, informerTest, virtualClock } from 'rx-informers/testing';
import { map } from 'rxjs';
import { errorWith } from '../support/error-with.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { names, type Random } from './support/random.js';
import { expectSameWork } from './support/work.js';

/**
 * As much of a pod as groups are made of. `cpu` in millicores; `fails` names the functions that
 * throw for it.
 */
interface Task {
  readonly metadata: { readonly name: string; readonly uid?: string };
  readonly node?: string | readonly string[];
  readonly millicores?: number;
  readonly phase?: string;
  readonly started?: string;
  readonly fails?: string;
}

const aTask = (name: string, parts: Omit<Task, 'metadata'> = {}): Task => ({ metadata: { name }, ...parts });
const byNode = ({ node }: Task): string | readonly string[] | undefined => node;
const nameOf = ({ metadata }: Task): string => metadata.name;

function tasksWith(...objects: readonly Task[]) {
  const tasks = createIndexer<Task, 'node'>(metaNamespaceKey, { node: byNode }, { onUnobservedError: () => undefined });
  tasks.replace(objects);
  return tasks;
}

const options = { linger: 0, onUnobservedError: () => undefined, scheduler: virtualClock() } as const;

describe('groupBy', () => {
  it('follows objects that enter a group, change in it, move to another group, and leave', () => {
    const pod = (name: string, node: string, phase: string) => ({ ...aPod({ name, node }), status: { phase } });
    const objects = {
      a: pod('a', 'n1', 'Pending'),
      A: pod('a', 'n1', 'Running'),
      m: pod('a', 'n2', 'Running'),
      b: pod('b', 'n1', 'Running'),
    };
    informerTest(objects, ({ source, expectObservable }) => {
      const pods = informer(source('-L()-A(a)-A(b)-M(A)-M(m)-D(b)|'), { indexers: { node: indexByNode } });
      const nodes = derived.groupBy(pods, 'node', {
        pods: derived.count(),
        running: derived.count(({ status }) => status.phase === 'Running'),
      });
      const shown = nodes
        .list$()
        .pipe(map((rows) => rows.map((row) => `${row.group} ${row.running}/${row.pods}`).join()));
      expectObservable(shown).toBe('-0---1----2----3----4----5---|', [
        '',
        'n1 0/1',
        'n1 1/2',
        'n1 2/2',
        'n1 1/1,n2 1/1',
        'n2 1/1',
      ]);
    });
  });

  it('has one row for each value of an index, with one field for each aggregate', () => {
    const tasks = tasksWith(
      aTask('a', { node: 'n1', millicores: 100, phase: 'Running', started: '2026-11-21' }),
      aTask('b', { node: 'n1', millicores: 200, phase: 'Running', started: '2026-11-20' }),
      aTask('c', { node: 'n2', phase: 'Pending' }),
      aTask('d'),
    );
    const nodes = derived.groupBy(tasks, 'node', {
      tasks: derived.count(),
      running: derived.count(({ phase }) => phase === 'Running'),
      cpu: derived.sum(({ millicores = 0 }) => millicores / 1000),
      average: derived.mean(({ millicores }) => millicores),
      phases: derived.tally(({ phase }) => phase),
      oldest: derived.min(({ started }) => started),
      newest: derived.max(({ started }) => started),
      last: derived.topK(1, ({ started }) => started),
      names: { zero: '', add: (all, task) => all + nameOf(task), remove: (all, task) => all.replace(nameOf(task), '') },
    });
    nodes.connect();

    expect(nodes.keys()).toEqual(['n1', 'n2']);
    expect(nodes.get('n1')).toEqual({
      group: 'n1',
      tasks: 2,
      running: 2,
      cpu: 0.3,
      average: 150,
      phases: { Running: 2 },
      oldest: '2026-11-20',
      newest: '2026-11-21',
      last: [tasks.get('a')],
      names: 'ab',
    });
    expect(nodes.get('n2')).toEqual({
      group: 'n2',
      tasks: 1,
      running: 0,
      cpu: 0,
      average: undefined,
      phases: { Pending: 1 },
      oldest: undefined,
      newest: undefined,
      last: [],
      names: 'c',
    });
  });

  it('adds an object to each group that a function returns, and to none for undefined', () => {
    const tasks = tasksWith(aTask('a', { node: ['n1', 'n2'] }), aTask('b', { node: ['n2', 'n2'] }), aTask('c'));
    const nodes = derived.groupBy(tasks, byNode, { tasks: derived.count() }, options);
    nodes.connect();
    expect(nodes.list()).toEqual([
      { group: 'n1', tasks: 1 },
      { group: 'n2', tasks: 2 },
    ]);

    tasks.update(aTask('a'));
    expect(nodes.keys()).toEqual(['n2']);
  });

  it('emits an update only if an aggregate differs (J3)', () => {
    const tasks = tasksWith(aTask('a', { node: 'n1', phase: 'Running', millicores: 1 }), aTask('b', { node: 'n1' }));
    const nodes = derived.groupBy(
      tasks,
      'node',
      { phases: derived.tally(({ phase }) => phase), first: derived.topK(1, nameOf, { order: 'ascending' }) },
      options,
    );
    const changes: string[][] = [];
    nodes.changes$.subscribe((set) => changes.push(set.changes.map(({ type, key }) => `${type} ${key}`)));
    const before = nodes.get('n1');
    tasks.update(aTask('b', { node: 'n1', millicores: 2 }));
    expect(nodes.get('n1')).toBe(before);
    tasks.update(aTask('b', { node: 'n2' }));
    expect(nodes.get('n1')).toBe(before);
    tasks.update(aTask('a', { node: 'n1', phase: 'Running', millicores: 3 }));
    expect(nodes.get('n1')?.phases).toBe(before?.phases);
    expect(nodes.get('n1')?.first[0]).toBe(tasks.get('a'));
    tasks.delete('b');
    expect(changes).toEqual([['added n1'], ['added n2'], ['updated n1'], ['deleted n2']]);
  });

  it('calls each function twice for an update and once for a deletion, and reads no other object, regardless of the size of the group (J5)', () => {
    const cost = expectSameWork((size, { counted, options: virtual }) => {
      const tasks = tasksWith(
        ...Array.from({ length: size }, (_, i) => aTask(`t${i}`, { node: 'n1', millicores: i % 7, started: `${i}` })),
      );
      const fields = {
        cpu: derived.sum(counted('cpu', ({ millicores }: Task) => millicores)),
        oldest: derived.min(counted('oldest', ({ started }: Task) => started)),
        last: derived.topK(
          3,
          counted('last', ({ millicores }: Task) => millicores),
        ),
      };
      derived.groupBy(tasks, counted('by', byNode), fields, virtual).connect();
      return () => {
        tasks.update(aTask('t7', { node: 'n1', millicores: 9, started: 'x' }));
        tasks.delete('t0');
      };
    });
    expect(cost).toMatchObject({ by: 3, cpu: 3, oldest: 3, last: 3 });
  });

  it('throws RXI_UNKNOWN_INDEX for an index that does not exist', () => {
    // @ts-expect-error there is no such index
    expect(() => derived.groupBy(tasksWith(), 'nod', {})).toThrow(errorWith('RXI_UNKNOWN_INDEX'));
  });

  describe('a function that fails (J6)', () => {
    const fields = {
      tasks: derived.count(),
      cpu: derived.sum((task: Task) => task.millicores as number),
      names: {
        zero: 0,
        add: (total: number, { fails }: Task) => {
          if (fails === 'names') throw new Error('failed');
          return total + 1;
        },
        remove: (total: number) => total - 1,
      },
    };
    const failing: readonly (readonly [string, string, Partial<Task>])[] = [
      ['throws', 'names', { fails: 'names', millicores: 1 }],
      ['returns NaN for a sum', 'cpu', { millicores: NaN }],
      ['returns infinity for a sum', 'cpu', { millicores: Infinity }],
      ['returns a string for a sum', 'cpu', { millicores: '1' as never }],
      ['returns null for a sum', 'cpu', { millicores: null as never }],
      ['returns a group that is not a string', 'by', { node: 7 as never, millicores: 1 }],
    ];
    it.each(failing)('leaves the object out of all aggregates, and names it: %s', (_case, handler, parts) => {
      const good = aTask('good', { node: 'n1', millicores: 2 });
      const tasks = tasksWith(good, aTask('bad', { node: ['n1', 'n2'], ...parts }));
      const nodes = derived.groupBy(tasks, byNode, fields, options);
      const errors: InformerError[] = [];
      nodes.errors$.subscribe((error) => errors.push(error));
      nodes.connect();
      const onlyGood = { n1: { group: 'n1', tasks: 1, cpu: 2, names: 1 } };
      const rows = (): object => Object.fromEntries(nodes.keys().map((key) => [key, nodes.get(key)]));
      expect(rows()).toEqual(onlyGood);
      expect(errors).toMatchObject([{ code: 'RXI_DERIVED_ROW', keys: ['bad'], handler }]);

      // An object counts as soon as it is valid, and leaves no trace when it is invalid again.
      tasks.update(aTask('bad', { node: ['n1', 'n2'], millicores: 3 }));
      expect(rows()).toEqual({
        n1: { group: 'n1', tasks: 2, cpu: 5, names: 2 },
        n2: { group: 'n2', tasks: 1, cpu: 3, names: 1 },
      });
      tasks.update(aTask('bad', { node: ['n1', 'n2'], ...parts }));
      expect(rows()).toEqual(onlyGood);
      tasks.delete('bad');
      expect(rows()).toEqual(onlyGood);
      expect(errors).toHaveLength(2);
    });

    it.each([
      ['tally', derived.tally((task: Task) => task.millicores as never)],
      ['min', derived.min((task: Task) => ({ of: task }) as never)],
      ['max', derived.max(() => NaN)],
      ['topK', derived.topK(1, () => true as never)],
      ['mean', derived.mean(() => [1, 'two'] as never)],
    ])('reports values that %s cannot aggregate', (_name, aggregate) => {
      const nodes = derived.groupBy(
        tasksWith(aTask('a', { node: 'n1', millicores: 1 })),
        'node',
        { aggregate },
        options,
      );
      const errors: InformerError[] = [];
      nodes.errors$.subscribe((error) => errors.push(error));
      nodes.connect();
      expect(nodes.keys()).toEqual([]);
      expect(errors).toMatchObject([{ keys: ['a'], handler: 'aggregate' }]);
    });

    it('computes everything again after an impure function threw for an object for which it had returned a value', () => {
      let isBroken = false;
      const tasks = tasksWith(aTask('a', { node: 'n1' }), aTask('b', { node: 'n1' }));
      const fickle = derived.count(({ metadata }: Task) => {
        if (isBroken && metadata.name === 'a') throw new Error('not this time');
        return true;
      });
      const nodes = derived.groupBy(tasks, 'node', { tasks: fickle }, options);
      const errors: string[] = [];
      nodes.errors$.subscribe(({ message }) => errors.push(message));
      nodes.connect();
      isBroken = true;
      tasks.update(aTask('a', { node: 'n2' }));
      expect(nodes.get('n1')).toEqual({ group: 'n1', tasks: 1 });
      expect(errors[0]).toContain('called with a again');
      isBroken = false;
      tasks.update(aTask('a', { node: 'n2', phase: 'Running' }));
      expect(nodes.list()).toEqual([
        { group: 'n1', tasks: 1 },
        { group: 'n2', tasks: 1 },
      ]);
    });

    it('refuses a topK of zero objects', () => {
      expect(() => derived.topK(0, nameOf)).toThrow(errorWith('RXI_INVALID_OPTION'));
      expect(() => derived.topK(1.5, nameOf)).toThrow(errorWith('RXI_INVALID_OPTION'));
    });
  });

  describe('sum and mean', () => {
    const total = (values: readonly unknown[]): unknown => {
      const tasks = tasksWith(
        ...values.map((value, position) => aTask(`${position}`, { node: 'n1', millicores: value as number })),
      );
      const nodes = derived.groupBy(tasks, 'node', { sum: derived.sum(({ millicores }) => millicores) }, options);
      nodes.connect();
      return nodes.get('n1')?.sum;
    };
    it.each([
      [Array<number>(10).fill(0.1), 1],
      [[0.1, 0.2], 0.3],
      [[0.1, 0.1, 0.1], 0.3],
      [[1e308, 1e308, -1e308], 1e308],
      [[1e16, 1, -1e16], 1],
      [[5e-324, 1, -1], 5e-324],
      [[1.7976931348623157e308, 1.7976931348623157e308], Infinity],
      [[-0], 0],
      [[1e21, 1.5e-7], 1e21],
      [[2n ** 64n, 1n], 2n ** 64n + 1n],
      [[1n, 0.5], 1.5],
      [[undefined, undefined], 0],
      [[[0.1, 0.2], [], [0.3]], 0.6],
    ])('adds %p exactly', (values, expected) => {
      expect(total(values)).toBe(expected);
    });

    it('divides the exact sum, and rounds once', () => {
      const tasks = tasksWith(...[0.1, 0.2, 0.3].map((value, i) => aTask(`${i}`, { node: 'n1', millicores: value })));
      const nodes = derived.groupBy(tasks, 'node', { mean: derived.mean(({ millicores }) => millicores) }, options);
      nodes.connect();
      expect(nodes.get('n1')).toEqual({ group: 'n1', mean: 0.2 });
      tasks.delete('0');
      tasks.update(aTask('1', { node: 'n1', millicores: 1 }));
      tasks.update(aTask('2', { node: 'n1', millicores: 0 }));
      tasks.update(aTask('3', { node: 'n1', millicores: 0 }));
      expect(nodes.get('n1')).toEqual({ group: 'n1', mean: 1 / 3 });
    });
  });

  it('keeps an aggregate, and a value of tally, named __proto__ as a field', () => {
    const tasks = tasksWith(aTask('a', { node: 'n1', phase: '__proto__' }));
    const fields = { ['__proto__']: derived.tally(({ phase }: Task) => phase) };
    const nodes = derived.groupBy(tasks, 'node', fields, options);
    nodes.connect();
    const row = nodes.get('n1');
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
    expect(JSON.stringify(row)).toBe('{"__proto__":{"__proto__":1},"group":"n1"}');
    tasks.update(aTask('b', { node: 'n1', phase: 'Running' }));
    expect(JSON.stringify(nodes.get('n1'))).toBe('{"__proto__":{"__proto__":1,"Running":1},"group":"n1"}');
  });

  const phases = ['Running', 'Pending', '__proto__', 'constructor'] as const;
  const randomTask = (random: Random): Task => ({
    metadata: { name: random.oneOf(names), uid: random.oneOf(['u1', 'u2']) },
    ...(random.chance(0.8) && { node: random.oneOf(['n1', 'n2', ['n1', 'n3'], []]) }),
    ...(random.chance(0.8) && { millicores: random.nat(1000) / random.oneOf([1, 10]) }),
    ...(random.chance(0.8) && { phase: random.oneOf(phases) }),
    ...(random.chance(0.8) && { started: `2026-${random.nat(3)}` }),
    ...(random.chance(0.15) && { fails: random.oneOf(['by', 'cpu', 'phases', 'oldest', 'custom']) }),
  });
  const throwIf = (task: Task, name: string): void => {
    if (task.fails === name) throw new Error('the function of the user failed');
  };
  const fields = {
    tasks: derived.count<Task>(),
    cpu: derived.sum((task: Task) => {
      throwIf(task, 'cpu');
      return task.millicores;
    }),
    phases: derived.tally((task: Task) => {
      throwIf(task, 'phases');
      return task.phase;
    }),
    oldest: derived.min((task: Task) => {
      throwIf(task, 'oldest');
      return task.started ?? task.millicores;
    }),
    newest: derived.max((task: Task) => task.started),
    last: derived.topK(2, (task: Task) => task.started),
    custom: {
      zero: { total: 0 },
      add: ({ total }: { total: number }, task: Task) => {
        throwIf(task, 'custom');
        return { total: total + nameOf(task).charCodeAt(0) };
      },
      remove: ({ total }: { total: number }, task: Task) => ({ total: total - nameOf(task).charCodeAt(0) }),
    },
  };
  const greatest = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0);
  /** Computes a row naively; decimals of one digit are added as integers. */
  const rowOf = (tasks: readonly Task[]) => {
    const values = tasks.map(({ started, millicores }) => started ?? millicores).filter((value) => value !== undefined);
    const texts = values.filter((value) => typeof value === 'string').sort();
    const [oldest = texts[0]] = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
    const started = tasks.filter((task) => task.started !== undefined);
    const counts = new Map<string, number>();
    for (const { phase } of tasks) if (phase !== undefined) counts.set(phase, (counts.get(phase) ?? 0) + 1);
    const ranked = (task: Task): string => `${task.started ?? ''} ${nameOf(task)}`;
    return {
      tasks: tasks.length,
      cpu: tasks.reduce((total, { millicores = 0 }) => total + Math.round(millicores * 10), 0) / 10,
      phases: Object.fromEntries(counts),
      oldest,
      newest: started
        .map((task) => task.started)
        .sort()
        .at(-1),
      last: started.sort((a, b) => greatest(ranked(a), ranked(b))).slice(0, 2),
      custom: { total: tasks.reduce((total, task) => total + nameOf(task).charCodeAt(0), 0) },
    };
  };
  const groupsOf = (tasks: readonly Task[]): Map<string, object> => {
    const groups = new Map<string, Task[]>();
    for (const task of tasks) {
      for (const node of [task.node ?? []].flat()) groups.set(node, [...(groups.get(node) ?? []), task]);
    }
    return new Map([...groups].map(([node, members]) => [node, { group: node, ...rowOf(members) }]));
  };

  describeOracle(
    'groupBy of an index',
    { tasks: randomInput(randomTask, { indexers: { node: byNode } }) },
    ({ inputs: { tasks }, options: each }) => ({
      collection: derived.groupBy(tasks, 'node', fields, each),
      expected: () => groupsOf(tasks.list().filter(({ fails = 'by' }) => fails === 'by')),
    }),
  );
  describeOracle(
    'groupBy of a function',
    { tasks: randomInput(randomTask) },
    ({ inputs: { tasks }, options: each }) => ({
      collection: derived.groupBy(
        tasks,
        (task) => {
          throwIf(task, 'by');
          return task.node;
        },
        fields,
        { ...each, indexers: { oldest: ({ oldest }) => String(oldest) } },
      ),
      expected: () => groupsOf(tasks.list().filter(({ fails }) => fails === undefined)),
    }),
  );
});
