import type { InformerError } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { virtualClock } from 'rx-informers/testing';
import { describeOracle, randomInput } from './support/oracle.js';
import { anOwned, randomOwned, storeOf, type Owned } from './support/owned.js';
import { expectSameWork } from './support/work.js';

const options = { linger: 0, onUnobservedError: () => undefined, scheduler: virtualClock() } as const;
type Node = derived.OwnerNode<Owned>;
const aPod = (name: string, owner: string, ready: boolean, weight = 0.1): Owned =>
  anOwned(name, [owner], { ready, weight });

function aTree() {
  const deployments = storeOf(anOwned('deployment'));
  const replicaSets = storeOf(anOwned('rs-1', ['deployment']), anOwned('rs-2', ['deployment']));
  const pods = storeOf(aPod('pod-1', 'rs-1', true), aPod('pod-2', 'rs-1', false), aPod('pod-3', 'rs-2', true));
  const tree = derived.ownerTree({ deployments, replicaSets, pods }, options);
  return { deployments, replicaSets, pods, tree };
}

describe('rollUp', () => {
  it('aggregates each node with all nodes below it', () => {
    const { tree, pods, replicaSets } = aTree();
    const totals = derived.rollUp(
      tree,
      {
        pods: derived.count((node) => node.from === 'pods'),
        ready: derived.count((node) => node.from === 'pods' && node.object.ready === true),
        weight: derived.sum(({ object }) => object.weight),
        mean: derived.mean(({ object }) => object.weight),
        kinds: derived.tally(({ from }) => from),
        first: derived.min(({ key }) => key),
        last: derived.max(({ object }) => object.weight),
        top: derived.topK(1, (node) => (node.from === 'pods' ? node.key : undefined)),
      },
      options,
    );
    totals.connect();
    expect(totals.get('deployment')).toEqual({
      pods: 3,
      ready: 2,
      weight: 0.3,
      mean: 0.1,
      kinds: { deployments: 1, replicaSets: 2, pods: 3 },
      first: 'deployment',
      last: 0.1,
      top: [tree.get('pod-3')],
    });
    expect(totals.get('rs-2')).toMatchObject({ pods: 1, ready: 1, first: 'pod-3' });
    expect(totals.get('pod-2')).toMatchObject({ pods: 1, ready: 0, top: [tree.get('pod-2')] });

    // A whole branch leaves, and comes back.
    replicaSets.update(anOwned('rs-1'));
    expect(totals.get('deployment')).toMatchObject({ pods: 1, ready: 1, weight: 0.1 });
    expect(totals.get('rs-1')).toMatchObject({ pods: 2, ready: 1, weight: 0.2 });
    pods.delete('pod-1');
    replicaSets.update(anOwned('rs-1', ['deployment']));
    expect(totals.get('deployment')).toMatchObject({ pods: 2, ready: 1, weight: 0.2, top: [tree.get('pod-3')] });
  });

  it('combines the values of the children with a function', () => {
    const { tree, pods } = aTree();
    const worst = derived.rollUp(
      tree,
      {
        own: ({ object }) => ({ ready: object.ready ?? true }),
        combine: (own, children) => ({ ready: own.ready && children.every(({ ready }) => ready) }),
      },
      options,
    );
    worst.connect();
    const rows = (): string =>
      worst
        .keys()
        .filter((uid) => worst.get(uid)?.ready === true)
        .join(' ');
    expect(rows()).toBe('pod-1 pod-3 rs-2');
    pods.update(aPod('pod-2', 'rs-1', true));
    expect(rows()).toBe('deployment pod-1 pod-2 pod-3 rs-1 rs-2');
    pods.update(aPod('pod-2', 'none', false));
    expect(rows()).toBe('deployment pod-1 pod-3 rs-1 rs-2');
  });

  it('announces each commit once, with all rows that it changes, and stops where a value stays equal (J1, J3)', () => {
    const { tree, pods } = aTree();
    const ready = { ready: derived.count((node: Node) => node.object.ready === true) };
    const isAnyReady = {
      own: ({ object }: Node) => object.ready === true,
      combine: (own: boolean, all: readonly boolean[]) => own || all.includes(true),
    };
    const follow = (collection: derived.DerivedCollection<unknown>): string[] => {
      const seen: string[] = [];
      collection.changes$.subscribe(({ changes }) => seen.push(changes.map(({ key }) => key).join(' ')));
      seen.length = 0;
      return seen;
    };
    const counts = follow(derived.rollUp(tree, ready, options));
    const any = follow(derived.rollUp(tree, isAnyReady, options));
    pods.apply(['pod-1', 'pod-2'].map((key) => ({ type: 'Updated', key, object: aPod(key, 'rs-1', key === 'pod-2') })));
    pods.update(aPod('pod-3', 'rs-2', true, 7));
    pods.update(aPod('pod-2', 'rs-1', false));
    expect(counts).toEqual(['pod-1 pod-2', 'pod-2 rs-1 deployment']);
    expect(any).toEqual(['pod-1 pod-2', 'pod-2 rs-1']);
  });

  type Totals = (tree: derived.OwnerTree<Node>) => derived.DerivedCollection<unknown>;
  const failures: readonly (readonly [string, Totals, total: unknown, later: unknown])[] = [
    [
      'an aggregate',
      (tree) => derived.rollUp(tree, { ready: derived.count(({ object }) => failing(object)) }, options),
      { ready: 1 },
      { ready: 2 },
    ],
    [
      'own',
      (tree) => {
        const own = ({ object }: Node): number => Number(failing(object));
        return derived.rollUp(tree, { own, combine: (mine, all) => mine + sumOf(all) }, options);
      },
      1,
      2,
    ],
    [
      'combine',
      (tree) => {
        const combine = (mine: Owned | number, all: readonly (Owned | number)[]): Owned | number =>
          Number(failing(mine as Owned)) + sumOf(all as number[]);
        return derived.rollUp(tree, { own: ({ object }): Owned | number => object, combine }, options);
      },
      1,
      2,
    ],
  ];
  it.each(failures)(
    'leaves out a node for which %s fails, and includes it again after it succeeds (J6)',
    (_name, rolledUp, total, later) => {
      const objects = storeOf(
        anOwned('root'),
        anOwned('middle', ['root'], { fails: 'yes' }),
        aPod('leaf', 'root', true),
      );
      const totals = rolledUp(derived.ownerTree([objects], options));
      const errors: InformerError[] = [];
      totals.errors$.subscribe((error) => errors.push(error));
      totals.connect();
      expect(totals.keys()).toEqual(['leaf', 'root']);
      expect(totals.get('root')).toEqual(total);
      expect(errors).toMatchObject([{ code: 'RXI_DERIVED_ROW', keys: ['middle'] }]);
      objects.update(anOwned('middle', ['root'], { ready: true }));
      expect(totals.keys()).toEqual(['leaf', 'middle', 'root']);
      expect(totals.get('root')).toEqual(later);
      objects.update(anOwned('middle', ['root'], { fails: 'yes' }));
      expect(totals.get('root')).toEqual(total);
      expect(totals.has('middle')).toBe(false);
    },
  );

  it('includes the nodes below a node for which an aggregate fails', () => {
    const objects = storeOf(
      anOwned('root'),
      anOwned('middle', ['root'], { fails: 'yes' }),
      aPod('leaf', 'middle', true),
    );
    const totals = derived.rollUp(
      derived.ownerTree([objects], options),
      { ready: derived.count(({ object }) => failing(object)) },
      options,
    );
    totals.connect();
    expect(totals.get('root')).toEqual({ ready: 1 });
    objects.update(aPod('leaf', 'middle', false));
    expect(totals.get('root')).toEqual({ ready: 0 });
  });

  it('refuses a custom aggregate, because its totals cannot be added', () => {
    const { tree } = aTree();
    const custom = { zero: 0, add: (total: number) => total + 1, remove: (total: number) => total - 1 };
    expect(() => derived.rollUp(tree, { custom: custom as never }, options)).toThrow(
      'an aggregate of rollUp must be one whose totals can be added',
    );
  });

  it('J5: a change calls the functions only for the nodes on its path, regardless of the number of children', () => {
    const cost = expectSameWork((size, { counted, options: virtual }) => {
      const sets = storeOf(anOwned('rs-1', ['deployment']), anOwned('rs-2', ['deployment']));
      const pods = storeOf(...Array.from({ length: size }, (_, i) => aPod(`pod-${i}`, 'rs-1', true, i)));
      const tree = derived.ownerTree([storeOf(anOwned('deployment')), sets, pods], virtual);
      const totals = derived.rollUp(
        tree,
        {
          ready: derived.count(counted('ready', ({ object }: Node) => object.ready === true)),
          heaviest: derived.topK(
            2,
            counted('heaviest', ({ object }: Node) => object.weight),
          ),
        },
        virtual,
      );
      totals.connect();
      return () => {
        pods.update(aPod('pod-1', 'rs-1', false, 1));
        pods.update(aPod('pod-1', 'rs-2', false, 1));
        pods.delete('pod-2');
        // The whole branch: its nodes are not read.
        sets.update(anOwned('rs-1'));
      };
    });
    expect(cost).toMatchObject({ ready: 3, heaviest: 3 });
    expect(cost['reads']).toBeLessThan(150);
  });

  const ranks = (nodes: readonly Node[]): string => nodes.map(({ uid }) => uid).join(' ');
  const isBelow = ({ owner }: Node, uid: string, nodes: readonly Node[]): boolean => {
    if (owner === undefined || owner === uid) return owner === uid;
    return nodes.some((node) => node.uid === owner && isBelow(node, uid, nodes));
  };
  const owned = randomInput(randomOwned);

  describeOracle('rollUp of aggregates', { one: owned, two: owned }, ({ inputs, options: each }) => {
    const tree = derived.ownerTree(inputs, each);
    const throwIf = ({ object }: Node): void => {
      if (object.fails === 'ready') throw new Error('the function of the user failed');
    };
    const rowOf = (nodes: readonly Node[]) => {
      const weights = nodes.flatMap(({ object }) => object.weight ?? []);
      const tenths = weights.reduce((total, weight) => total + Math.round(weight * 10), 0);
      const heaviest = nodes.filter(({ object }) => object.weight !== undefined);
      const counts = new Map<string, number>();
      for (const { from } of nodes) counts.set(from, (counts.get(from) ?? 0) + 1);
      return {
        ready: nodes.filter(({ object }) => object.ready).length,
        weight: tenths / 10,
        mean: weights.length === 0 ? undefined : tenths / (10 * weights.length),
        kinds: Object.fromEntries(counts),
        lightest: weights.length === 0 ? undefined : Math.min(...weights),
        heaviest: ranks(
          heaviest
            .sort((a, b) => (b.object.weight ?? 0) - (a.object.weight ?? 0) || (a.uid < b.uid ? 1 : -1))
            .slice(0, 2),
        ),
      };
    };
    const plain = derived.rollUp(
      tree,
      {
        ready: derived.count((node) => {
          throwIf(node);
          return node.object.ready === true;
        }),
        weight: derived.sum(({ object }) => object.weight),
        mean: derived.mean(({ object }) => object.weight),
        kinds: derived.tally(({ from }) => from),
        lightest: derived.min(({ object }) => object.weight),
        heaviest: derived.topK(2, ({ object }) => object.weight),
      },
      each,
    );
    return {
      collection: derived.map(plain, (row) => ({ ...row, heaviest: ranks(row.heaviest) }), each),
      expected: () => {
        const nodes = tree.list();
        const counted = nodes.filter(({ object }) => object.fails !== 'ready');
        return new Map(
          counted.map((node) => [
            node.uid,
            rowOf(counted.filter((other) => other === node || isBelow(other, node.uid, nodes))),
          ]),
        );
      },
    };
  });

  describeOracle('rollUp of a function', { one: owned, two: owned }, ({ inputs, options: each }) => {
    const tree = derived.ownerTree(inputs, each);
    const throwIf = ({ fails }: Owned, name: string): void => {
      if (fails === name) throw new Error('the function of the user failed');
    };
    const own = ({ object }: Node): { object: Owned; height: number; names: string } => {
      throwIf(object, 'own');
      return { object, height: 0, names: object.metadata.name };
    };
    const combine = (
      mine: ReturnType<typeof own>,
      children: readonly ReturnType<typeof own>[],
    ): ReturnType<typeof own> => {
      throwIf(mine.object, 'combine');
      return {
        object: mine.object,
        height: Math.max(mine.height, ...children.map(({ height }) => height + 1)),
        names: [mine.names, ...children.map(({ names }) => names)].join('+'),
      };
    };
    return {
      collection: derived.rollUp(tree, { own, combine }, each),
      expected: () => {
        const valueOf = (node: Node): ReturnType<typeof own> | undefined => {
          try {
            const children = tree.children(node.uid).flatMap((child) => valueOf(child) ?? []);
            return combine(own(node), children);
          } catch {
            return undefined;
          }
        };
        return new Map(
          tree.list().flatMap((node) => {
            const value = valueOf(node);
            return value === undefined ? [] : [[node.uid, value] as const];
          }),
        );
      },
    };
  });
});

function failing({ fails, ready }: Owned): boolean {
  if (fails !== undefined) throw new Error('the function of the user failed');
  return ready === true;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
