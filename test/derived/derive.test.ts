import {
  createIndexer,
  informer,
  matching,
  type Indexer,
  type InformerError,
  type Pod as RealPod,
  type Query,
} from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { bucketRange, bucketSize, collectionSize, indexValues, metaNamespaceKey, select } from 'rx-informers/store';
import {
  aNode,
  aPod as aRealPod,
  describeCollectionConformance,
  informerTest,
  virtualClock,
} from 'rx-informers/testing';
import { map } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { fedBy } from './support/conformance.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, names, nodes, randomPod, unlessItFails, type Random } from './support/random.js';

const quiet = { linger: 0, onUnobservedError: () => undefined };
const stored = <I extends string>(...objects: Pod[]): Indexer<Pod, I> => {
  const store = createIndexer<Pod, string>(metaNamespaceKey, { node: byNode, uid: (pod) => pod.metadata.uid }, quiet);
  store.replace(objects);
  return store;
};

const podOf = (name: string, node: string): RealPod => aRealPod({ name, node });

/** Follows a derived collection and counts how often its function is called for each key. */
function follow<R>(collection: derived.DerivedCollection<R>): {
  readonly rows: () => unknown;
  readonly errors: InformerError[];
} {
  const errors: InformerError[] = [];
  collection.errors$.subscribe((error) => errors.push(error));
  collection.connect();
  return { errors, rows: () => Object.fromEntries(collection.keys().map((key) => [key, collection.get(key)])) };
}

describe('derive', () => {
  it('emits the pods with their zones once both collections have listed, and again when a pod or a node changes', () => {
    const node = (zone: string) => aNode({ name: 'n1', labels: { zone } });
    informerTest(
      { a: podOf('a', 'n1'), b: podOf('b', 'n2'), e: node('east'), w: node('west') },
      ({ source, expectObservable }) => {
        const pods = informer(source(' --L(a)----A(b)------|'));
        const nodes = informer(source('-----L(e)-----M(w)--|'));
        const zones = derived.derive(pods, { nodes }, (pod, read) => {
          const labels = read.nodes.get((pod as RealPod).spec?.nodeName ?? '')?.metadata.labels;
          return `${pod.metadata.name} in ${labels?.['zone'] ?? '?'}`;
        });
        expectObservable(zones.list$().pipe(map((rows) => rows.join(', ')))).toBe('-----x----y---z-----|', {
          x: 'a in east',
          y: 'a in east, b in ?',
          z: 'a in west, b in ?',
        });
      },
    );
  });

  it('computes a row for each object, and again only when something that it has read changes', () => {
    const pods = stored<'node'>(aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n2' }));
    const machines = stored(aPod({ name: 'n1', labels: { zone: 'east' } }));
    const computed: string[] = [];
    const zones = derived.derive(
      pods,
      { nodes: machines },
      (pod, read) => {
        computed.push(pod.metadata.name);
        return read.nodes.get(pod.spec.nodeName ?? '')?.metadata.labels?.['zone'] ?? 'unknown';
      },
      { ...quiet },
    );
    const { rows } = follow(zones);
    expect(rows()).toEqual({ a: 'east', b: 'unknown' });
    expect(computed.splice(0)).toEqual(['a', 'b']);
    machines.add(aPod({ name: 'n2', labels: { zone: 'west' } }));
    machines.add(aPod({ name: 'n3', labels: { zone: 'north' } }));
    expect(computed.splice(0)).toEqual(['b']);
    pods.add(aPod({ name: 'a', node: 'n2' }));
    machines.delete('n1');
    expect(computed.splice(0)).toEqual(['a']);
    machines.delete('n2');
    expect(computed.splice(0).sort()).toEqual(['a', 'b']);
    pods.delete('b');
    machines.add(aPod({ name: 'n2', labels: { zone: 'south' } }));
    expect(computed).toEqual(['a']);
    expect(rows()).toEqual({ a: 'south' });
  });

  it('computes a row again exactly if a bucket that it has read has changed', () => {
    const machines = stored(aPod({ name: 'n1' }), aPod({ name: 'n2' }));
    const pods = stored<'node'>(aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n3' }));
    const computed: string[] = [];
    const counts = derived.derive(
      machines,
      { pods },
      ({ metadata: { name } }, read) => {
        computed.push(name);
        return read.pods
          .byIndex('node', name)
          .map((pod) => pod.metadata.name)
          .join();
      },
      quiet,
    );
    const { rows } = follow(counts);
    expect(rows()).toEqual({ n1: 'a', n2: '' });
    computed.length = 0;
    const steps: (readonly [() => void, string])[] = [
      [() => pods.add(aPod({ name: 'b', node: 'n3', labels: { changed: 'elsewhere' } })), ''],
      [() => pods.add(aPod({ name: 'b', node: 'n2' })), 'n2'],
      [() => pods.add(aPod({ name: 'a', node: 'n1', labels: { changed: 'here' } })), 'n1'],
      [() => pods.add(aPod({ name: 'a', node: 'n2' })), 'n1,n2'],
      [() => pods.resync(), ''],
      [() => pods.replace([...pods.list()]), ''],
      [() => pods.delete('a'), 'n2'],
    ];
    for (const [step, expected] of steps) {
      step();
      expect(computed.splice(0).sort().join()).toBe(expected);
    }
    expect(rows()).toEqual({ n1: '', n2: 'b' });
  });

  it.each<readonly [string, Query<Pod, unknown>, readonly boolean[]]>([
    // In each column: a pod of n1 changes, one of n4 does, one is added to n2, one of n4 gets the
    // label.
    ['bucketSize', bucketSize('node', 'n2'), [false, false, true, false]],
    ['bucketRange', bucketRange('node', { from: 'n1', to: 'n3' }), [true, false, true, false]],
    ['collectionSize', collectionSize(), [false, false, true, false]],
    ['indexValues', indexValues('node'), [false, false, true, false]],
    ['matching', matching('app=x'), [false, false, false, true]],
    ['select', select((snapshot) => snapshot.size > 2), [false, false, true, false]],
  ])('computes a row again exactly if the answer of its query has changed: %s', (_name, query, expected) => {
    const pods = stored(aPod({ name: 'a', node: 'n1' }), aPod({ name: 'd', node: 'n4' }));
    const one = stored(aPod({ name: 'one' }), aPod({ name: 'two' }));
    let calls = 0;
    let requests = 0;
    const counted: Query<Pod, unknown> = { ...query, read: (snapshot) => (requests++, query.read(snapshot)) };
    const rows = derived.derive(
      one,
      { pods },
      (_object, read) => (calls++, { answer: read.pods.query(counted) }),
      quiet,
    );
    follow(rows);
    // Both rows share the answer.
    expect([calls, requests]).toEqual([2, query.track ? 0 : 1]);
    const changes = [
      aPod({ name: 'a', node: 'n1', version: 2 }),
      aPod({ name: 'd', node: 'n4', version: 2 }),
      aPod({ name: 'b', node: 'n2' }),
      aPod({ name: 'd', node: 'n4', labels: { app: 'x' } }),
    ];
    const seen = changes.map((pod) => {
      calls = 0;
      pods.add(pod);
      return calls;
    });
    expect(seen).toEqual(expected.map((isChanged) => (isChanged ? 2 : 0)));
    expect(rows.get('two')).toEqual({ answer: pods.query(query) });
  });

  it('has no row while the function returns undefined', () => {
    const pods = stored(aPod({ name: 'a', node: 'n1' }));
    const machines = stored();
    const rows = derived.derive(pods, { machines }, (pod, read) => read.machines.get(byNode(pod) ?? ''), quiet);
    follow(rows);
    expect([rows.hasSynced, rows.keys()]).toEqual([true, []]);
    machines.add(aPod({ name: 'n1' }));
    expect(rows.keys()).toEqual(['a']);
    machines.delete('n1');
    expect(rows.keys()).toEqual([]);
  });

  it('J6: reports an error of the function with the keys that it has read, and calls it again when one of them changes', () => {
    const pods = stored(aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n2' }));
    const machines = stored(aPod({ name: 'n1', status: 'fails' }), aPod({ name: 'n2' }));
    const rows = derived.derive(
      pods,
      { machines },
      (pod, read) => {
        const machine = read.machines.get(byNode(pod) ?? '');
        failsOn(machine);
        return machine?.metadata.name;
      },
      { ...quiet, name: 'machines' },
    );
    const { errors } = follow(rows);
    expect(rows.list()).toEqual(['n2']);
    expect(errors).toMatchObject([
      {
        code: 'RXI_DERIVED_ROW',
        keys: ['a', 'n1'],
        message: 'machines: compute failed for a and n1, whose row is absent: the function of the user failed',
      },
    ]);
    machines.add(aPod({ name: 'n1' }));
    expect(rows.list()).toEqual(['n1', 'n2']);
  });

  it('J6: fails only the row that reads an unknown index, returns a promise, or whose query throws', () => {
    const pods = stored(...names.map((name) => aPod({ name })));
    const others = stored(aPod({ name: 'x' }));
    const broken = select(({ size }: { readonly size: number }) => {
      if (size === 1) throw new Error('one is too few');
      return size;
    });
    const rows = derived.derive(
      pods,
      { others },
      ({ metadata: { name } }, read): unknown => {
        if (name === 'a') return read.others.byIndex('typo', 'x');
        if (name === 'b') return read.others.query(bucketSize('typo', 'x'));
        if (name === 'c') return Promise.resolve(name);
        if (name === 'd') return read.others.query(broken);
        return name;
      },
      quiet,
    );
    const { errors } = follow(rows);
    expect(rows.keys()).toEqual(['e']);
    expect(errors.map(({ cause }) => (cause as Error).name)).toEqual([
      'RXI_UNKNOWN_INDEX',
      'RXI_UNKNOWN_INDEX',
      'TypeError',
      'Error',
    ]);
    others.add(aPod({ name: 'y' }));
    expect([rows.keys(), rows.get('d')]).toEqual([['d', 'e'], 2]);
    others.delete('y');
    expect(rows.keys()).toEqual(['e']);
  });

  it('throws a typed error for reads after the function has returned', () => {
    const pods = stored(aPod({ name: 'a' }));
    let late: derived.TrackedReads<Pod> | undefined;
    follow(derived.derive(pods, { nodes: pods }, (_pod, read) => ((late = read.nodes), 1), quiet));
    for (const read of [() => late?.get('a'), () => late?.byIndex('node', 'n1'), () => late?.query(collectionSize())]) {
      expect(read).toThrow(errorWith('RXI_LATE_READ'));
      expect(read).toThrow('nodes was read after the function of derive had returned; read it before');
    }
  });

  it('can read its own collection, in the same version', () => {
    const pods = stored<'node'>(aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b', node: 'n1' }));
    const neighbours = derived.derive(
      pods,
      { pods },
      (pod, read) =>
        read.pods
          .byIndex('node', byNode(pod) ?? '')
          .map(({ metadata }) => metadata.name)
          .join(),
      quiet,
    );
    const { rows } = follow(neighbours);
    expect(rows()).toEqual({ a: 'a,b', b: 'a,b' });
    pods.add(aPod({ name: 'b', node: 'n2' }));
    expect(rows()).toEqual({ a: 'a', b: 'b' });
  });

  it('maps each object if there are no other collections', () => {
    const pods = stored(aPod({ name: 'a', node: 'n1' }));
    const { rows } = follow(derived.derive(pods, {}, byNode, quiet));
    expect(rows()).toEqual({ a: 'n1' });
  });

  it('rejects a value that is not a collection', () => {
    const pods = stored();
    expect(() => derived.derive(pods, { nodes: {} as never }, () => 1)).toThrow(errorWith('RXI_INVALID_OPTION'));
  });

  describe.each([100, 1_000, 10_000])('J5: a derived collection over %d objects', (size) => {
    it('calls the function for the rows that a commit affects, and reads no other object', () => {
      const perNode = 10;
      const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { ...quiet, freeze: false });
      const machines = createIndexer<Pod>(metaNamespaceKey, {}, { ...quiet, freeze: false });
      const nodeOf = (number: number): string => `n${Math.floor(number / perNode)}`;
      pods.replace(Array.from({ length: size }, (_, number) => aPod({ name: `p${number}`, node: nodeOf(number) })));
      machines.replace(Array.from({ length: size / perNode }, (_, number) => aPod({ name: `n${number}` })));
      let calls = 0;
      const rows = derived.derive(
        pods,
        { machines, pods },
        (pod, read) => {
          calls++;
          const node = byNode(pod) ?? '';
          return [read.machines.get(node)?.metadata.generation, read.pods.query(bucketSize('node', node))];
        },
        { ...quiet, scheduler: virtualClock() },
      );
      rows.connect();
      const work = (act: () => void): number => {
        calls = 0;
        act();
        return calls;
      };
      expect(calls).toBe(size);
      expect([
        work(() => pods.add(aPod({ name: 'p5', node: 'n0', version: 2 }))),
        work(() => pods.add(aPod({ name: 'p5', node: 'n1' }))),
        work(() => machines.add(aPod({ name: 'n7', generation: 2 }))),
        work(() => pods.delete('p70')),
        work(() => pods.add(aPod({ name: 'p70', node: 'n9' }))),
      ]).toEqual([1, 20, 10, 9, 11]);
      expect(rows.get('p70')).toEqual([undefined, 11]);
    });
  });
});

describeCollectionConformance(
  () => {
    const pods = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
    const machines = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
    machines.replace([]);
    const collection = derived.derive(
      pods,
      { machines },
      (pod, read) => (read.machines.get('none') === undefined ? pod : undefined),
      { ...quiet, indexers: { node: byNode } },
    );
    return fedBy(pods, collection);
  },
  { name: 'derive' },
);

/**
 * Follows references from version to version: which collection is read, and how, depends on what
 * was read before.
 */
function wander(
  pod: Pod,
  read: derived.ReadsOf<{ machines: Indexer<Pod, 'node'>; claims: Indexer<Pod, 'node'> }>,
): unknown {
  failsOn(pod);
  const machine = read.machines.get(byNode(pod) ?? 'n1');
  failsOn(machine);
  if (machine === undefined) return read.claims.query(bucketSize('node', 'n1'));
  const { app } = machine.metadata.labels ?? {};
  if (app === 'x') return read.claims.byIndex('node', byNode(machine) ?? 'n2').map(({ metadata }) => metadata.name);
  if (machine.spec.values?.includes('v')) return read.claims.query(matching('tier=web')).length;
  if (machine.spec.values?.includes('w')) return read.claims.query(bucketRange('node', { from: 'n1', to: 'n3' }));
  if (machine.metadata.uid === 'u2') return undefined;
  return { name: machine.metadata.name, claims: read.claims.query(indexValues('node')) };
}

const machine = (random: Random): Pod => ({
  ...randomPod(random),
  metadata: { ...randomPod(random).metadata, name: random.oneOf(nodes) },
});

describe('derive with random histories', () => {
  const inputs = {
    pods: randomInput(randomPod),
    machines: randomInput(machine, { indexers: { node: byNode } }),
    claims: randomInput(randomPod, { indexers: { node: byNode } }),
  };
  describeOracle('reads that depend on reads', inputs, ({ inputs: { pods, machines, claims }, options }) => ({
    collection: derived.derive(pods, { machines, claims }, wander, options),
    expected: () =>
      new Map(
        pods.keys().flatMap((key) => {
          const row = unlessItFails(() => wander(pods.get(key) as Pod, { machines, claims }));
          return row === undefined ? [] : [[key, row] as const];
        }),
      ),
  }));
});
