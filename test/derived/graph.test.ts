import { createIndexer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import { virtualClock } from 'rx-informers/testing';
import { map, skip, switchMap, take } from 'rxjs';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { expectOutput } from '../support/unexpected-output.js';

const quiet = { linger: 0, onUnobservedError: () => undefined };
const root = (...objects: Pod[]): Indexer<Pod, 'node'> => {
  const indexer = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, quiet);
  indexer.replace(objects);
  return indexer;
};
const generation = (number: number): Pod => aPod({ name: 'a', generation: number });
const generationOf = ({ metadata }: Pod): number => metadata.generation ?? 0;

type Numbers = derived.DerivedCollection<number>;

/** The number under the key `a` in several collections, for each object of the first. */
function sumOf(first: Numbers, second: Numbers, computed: string[], name: string): Numbers {
  return derived.derive(
    first,
    { second },
    (number, read) => {
      computed.push(name);
      return number + (read.second.get('a') ?? NaN);
    },
    { ...quiet, name },
  );
}

function plus(collection: { readonly [K in keyof Numbers]: Numbers[K] }, computed: string[], name: string): Numbers {
  return derived.derive(collection, {}, (number) => (computed.push(name), number + 0), { ...quiet, name });
}

describe('J1: a diamond of derived collections', () => {
  it.each([1, 2, 5, 12])(
    'of height %d computes each collection once for a commit, and no stream shows a mix of versions',
    (height) => {
      const pods = root(generation(1));
      const computed: string[] = [];
      const bottom = derived.derive(pods, {}, generationOf, { ...quiet, name: 'bottom' });
      const levels = [bottom];
      let long = bottom;
      for (let level = 1; level <= height; level++) {
        long = plus(long, computed, `long ${level}`);
        levels.push(long);
      }
      // One path of length 1 and one of any length: a commit that ran through them one by one would
      // show 2 + 1.
      const top = sumOf(long, bottom, computed, 'top');
      const beside = sumOf(bottom, top, computed, 'beside');
      const seen: string[] = [];
      const all = [...levels, top, beside];
      const mixes: unknown[] = [];
      for (const collection of [...all].reverse()) {
        collection.get$('a').subscribe((value) => {
          seen.push(`${value}`);
          const one = generationOf(pods.get('a') as Pod);
          const expected = [...levels.map(() => one), 2 * one, 3 * one];
          mixes.push(...all.filter((each, position) => each.get('a') !== expected[position]));
        });
      }
      // While they start one after the other, some have no rows yet.
      mixes.length = computed.length = seen.length = 0;
      pods.add(generation(10));
      expect(mixes).toEqual([]);
      expect(computed.sort()).toEqual(
        [...levels.slice(1).map((_, level) => `long ${level + 1}`), 'beside', 'top'].sort(),
      );
      expect(seen.sort()).toEqual([...levels.map(() => '10'), '20', '30']);
    },
  );

  it('over two roots computes one round for a commit of either', () => {
    const pods = root(aPod({ name: 'a', node: 'n1' }));
    const machines = root(aPod({ name: 'n1', generation: 1 }));
    const placed = derived.derive(pods, { machines }, (pod, read) => read.machines.get(byNode(pod) ?? ''), quiet);
    const both = derived.derive(
      machines,
      { placed, pods },
      (machine, read) => [machine, read.placed.get('a'), read.pods.byIndex('node', machine.metadata.name).length],
      { ...quiet, name: 'both' },
    );
    const seen: unknown[] = [];
    both.get$('n1').subscribe((row) => seen.push(row));
    const first = machines.get('n1');
    machines.add(aPod({ name: 'n1', generation: 2 }));
    const second = machines.get('n1');
    pods.add(aPod({ name: 'a', node: 'n2' }));
    expect(seen).toEqual([
      [first, first, 1],
      [second, second, 1],
      [second, undefined, 0],
    ]);
  });

  it('of which one side does not change is computed and keeps its version (J3)', () => {
    const pods = root(generation(2));
    const parity = derived.derive(pods, {}, (pod) => generationOf(pod) % 2, quiet);
    const computed: string[] = [];
    const above = plus(parity, computed, 'above');
    const versions: number[] = [];
    above.snapshot$.subscribe(({ version }) => versions.push(version));
    pods.add(generation(4));
    pods.add(generation(5));
    expect(versions).toEqual([1, 2]);
    expect(computed).toEqual(['above', 'above']);
  });
});

describe('G3: a write by a subscriber', () => {
  it.each(['the root', 'a derived collection'])(
    'of %s is in the root at once, and in streams after the round',
    (whose) => {
      const pods = root(generation(1));
      const double = derived.derive(pods, {}, (pod) => 2 * generationOf(pod), { ...quiet, name: 'double' });
      const quadruple = derived.derive(double, {}, (number) => 2 * number, quiet);
      const seen: string[] = [];
      const write = (): void => {
        const next = generationOf(pods.get('a') as Pod) + 1;
        if (next > 3) return;
        pods.add(generation(next));
        seen.push(`wrote ${next}: ${[generationOf(pods.get('a') as Pod), double.get('a'), quadruple.get('a')].join()}`);
      };
      const streams = {
        root: pods.get$('a').pipe(map((pod) => generationOf(pod as Pod))),
        double: double.get$('a'),
        quadruple: quadruple.get$('a'),
      };
      for (const [name, stream] of Object.entries(streams)) {
        stream.subscribe((value) => {
          seen.push(`${name} ${value}`);
          if (value !== 1 && name === (whose === 'the root' ? 'root' : 'double')) write();
        });
      }
      seen.length = 0;
      pods.add(generation(2));
      const written = 'wrote 3: 3,4,8';
      expect(seen).toEqual(
        whose === 'the root'
          ? ['root 2', written, 'double 4', 'quadruple 8', 'root 3', 'double 6', 'quadruple 12']
          : ['root 2', 'double 4', written, 'quadruple 8', 'root 3', 'double 6', 'quadruple 12'],
      );
    },
  );

  it('to another root of the same graph starts its own round after the current one', () => {
    const pods = root(generation(1));
    const machines = root(generation(100));
    const sum = derived.derive(
      pods,
      { machines },
      (pod, read) => generationOf(pod) + generationOf(read.machines.get('a') as Pod),
      quiet,
    );
    const seen: string[] = [];
    pods.get$('a').subscribe((pod) => {
      seen.push(`pod ${pod?.metadata.generation}`);
      if (pod?.metadata.generation === 2) machines.add(generation(200));
    });
    machines.get$('a').subscribe((machine) => seen.push(`machine ${machine?.metadata.generation}`));
    sum.get$('a').subscribe((value) => seen.push(`sum ${value}`));
    seen.length = 0;
    pods.add(generation(2));
    expect(seen).toEqual(['pod 2', 'sum 102', 'machine 200', 'sum 202']);
  });

  it('by a function that computes rows is announced after the round', () => {
    const pods = root(generation(1));
    const log = root();
    const computed = derived.derive(
      pods,
      { log },
      (pod) => {
        if (generationOf(pod) === 2) log.add(aPod({ name: 'written' }));
        return generationOf(pod);
      },
      quiet,
    );
    const seen: string[] = [];
    log.snapshot$.subscribe(({ size }) => seen.push(`log ${size}`));
    computed.get$('a').subscribe((value) => seen.push(`row ${value}`));
    pods.add(generation(2));
    expect(seen).toEqual(['log 0', 'row 1', 'row 2', 'log 1']);
  });
});

describe('G1: a subscriber that joins during an announcement', () => {
  it('starts with the current round, and receives the next one', () => {
    const pods = root(generation(1));
    const double = derived.derive(pods, {}, (pod) => 2 * generationOf(pod), quiet);
    const late = derived.derive(
      double,
      { pods },
      (number, read) => [number, generationOf(read.pods.get('a') as Pod)],
      quiet,
    );
    const seen: unknown[] = [];
    double.connect();
    pods.get$('a').subscribe((pod) => {
      if (pod?.metadata.generation !== 2) return;
      double
        .get$('a')
        .pipe(take(2))
        .subscribe((value) => seen.push(value));
      late.get$('a').subscribe((value) => seen.push(value));
      pods.add(generation(3));
    });
    pods.add(generation(2));
    expect(seen).toEqual([4, [4, 2], 6, [6, 3]]);
  });

  it('and joins two graphs that both announce receives one version of each, and nothing twice', () => {
    const pods = root(generation(1));
    const machines = root(generation(10));
    const sum = derived.derive(
      pods,
      { machines },
      (pod, read) => generationOf(pod) + generationOf(read.machines.get('a') as Pod),
      quiet,
    );
    const seen: string[] = [];
    const onPods = derived.derive(pods, {}, generationOf, quiet);
    const onMachines = derived.derive(machines, {}, generationOf, quiet);
    onPods.get$('a').subscribe((value) => {
      seen.push(`pods ${value}`);
      if (value !== 2) return;
      machines.add(generation(20));
      seen.push('wrote machines');
    });
    onMachines.get$('a').subscribe((value) => {
      seen.push(`machines ${value}`);
      if (value !== 20) return;
      // Two rounds are being announced here, one within the other.
      sum.get$('a').subscribe((all) => seen.push(`sum ${all}`));
      pods.add(generation(3));
      machines.add(generation(30));
    });
    pods.get$('a').subscribe((pod) => seen.push(`pod ${pod?.metadata.generation}`));
    seen.length = 0;
    pods.add(generation(2));
    expect(seen).toEqual(['pod 2', 'pods 2', 'machines 20', 'wrote machines', ...seen.slice(4)]);
    // The first sum is of the two versions that were being announced.
    expect(seen.filter((text) => text.startsWith('sum'))).toEqual(['sum 22', 'sum 23', 'sum 33']);
    expect([onPods.get('a'), onMachines.get('a'), sum.get('a')]).toEqual([3, 30, 33]);
  });
});

describe('a cycle of derived collections', () => {
  it('is impossible: a function that reads its own result reads the version before, and is not called for it', () => {
    expectOutput(/^compute of .* reads the collection .* through a variable/);
    const pods = root(generation(1));
    let calls = 0;
    const self: Numbers = derived.derive(pods, {}, (pod) => (calls++, generationOf(pod) + (self.get('a') ?? 0)), quiet);
    self.connect();
    pods.add(generation(2));
    pods.add(generation(3));
    expect([self.get('a'), calls]).toEqual([6, 3]);
  });
});

it('J2: the version of a derived collection grows by one, even if its root creates several in one round', () => {
  const pods = root(generation(1));
  const clock = virtualClock();
  const numbers = derived.derive(pods, {}, generationOf, { ...quiet, scheduler: clock });
  const versions: string[] = [];
  numbers.snapshot$.subscribe(({ version }) => versions.push(`${version}: ${numbers.get('a')}`));
  pods.apply([2, 3, 4].map((number) => ({ type: 'Updated', key: 'a', object: generation(number) })));
  pods.resync();
  pods.delete('a');
  expect(versions).toEqual(['1: 1', '2: 4', '3: undefined']);
});

describe('a subscriber that joins in a callback of the same round', () => {
  const numbers = (pods: Indexer<Pod, 'node'>) =>
    derived.map(pods, generationOf, { ...quiet, indexers: { parity: (number) => String(number % 2) } });

  it('G1: receives a commit of a derived collection once: as its initial content', () => {
    const pods = root(generation(1));
    const rows = numbers(pods);
    rows.connect();
    const seen: string[] = [];
    pods.changes$.pipe(skip(1), take(1)).subscribe(() => {
      rows.changes$.subscribe(({ reason, changes }) => {
        seen.push(`${reason} ${changes.map(({ type, key }) => `${type} ${key}`).join(', ')}`);
      });
      rows.byIndexChanges$('parity', '1').subscribe(({ reason, changes }) => {
        seen.push(`odd: ${reason} ${changes.map(({ type, key }) => `${type} ${key}`).join(', ')}`);
      });
    });
    pods.add(aPod({ name: 'b', generation: 3 }));
    expect(seen).toEqual(['initial added a, added b', 'odd: initial added a, added b']);
    pods.add(aPod({ name: 'c', generation: 5 }));
    expect(seen.slice(2)).toEqual(['watch added c', 'odd: watch added c']);
  });

  it('G1: counts as many additions as there are rows, if each commit of the input joins again', () => {
    const pods = root();
    const rows = numbers(pods);
    rows.connect();
    let additions = 0;
    pods.changes$.pipe(switchMap(() => rows.changes$)).subscribe(({ reason, changes }) => {
      if (reason === 'initial') additions = 0;
      additions += changes.length;
    });
    for (let number = 1; number <= 10; number++) pods.add(aPod({ name: `p${number}`, generation: number }));
    expect(additions).toBe(10);
  });

  it('is not called for the commit if an earlier callback of the round has unsubscribed it', () => {
    const pods = root(generation(1));
    const rows = numbers(pods);
    rows.connect();
    const seen: string[] = [];
    const following = rows.changes$.pipe(skip(1)).subscribe(() => seen.push('rows'));
    pods.changes$.pipe(skip(1)).subscribe(() => {
      seen.push('pods');
      following.unsubscribe();
    });
    pods.add(generation(2));
    expect(seen).toEqual(['pods']);
  });
});
