import { createIndexer, informer, type InformerError } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { informerTest, virtualClock } from 'rx-informers/testing';
import { map, type Observable } from 'rxjs';
import { runs, seedOf } from '../support/seed.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { anOwned, ownerReference, randomOwned, storeOf, type Owned } from './support/owned.js';
import { randomOf } from './support/random.js';
import { expectSameWork } from './support/work.js';

const options = { linger: 0, onUnobservedError: () => undefined, scheduler: virtualClock() } as const;
type Node = derived.OwnerNode<Owned>;
const uidsOf = (nodes: readonly { readonly uid: string }[]): string => nodes.map(({ uid }) => uid).join(' ');
const edgesOf = (tree: { list(): readonly Node[] }): Record<string, string> =>
  Object.fromEntries(tree.list().map(({ uid, edge }) => [uid, edge]));

/** A deployment with two replica sets, of which one has two pods. */
function aTree() {
  const deployments = storeOf(anOwned('deployment'));
  const replicaSets = storeOf(anOwned('rs-1', ['deployment']), anOwned('rs-2', ['deployment']));
  const pods = storeOf(anOwned('pod-1', ['rs-1']), anOwned('pod-2', ['rs-1']), anOwned('static'));
  const tree = derived.ownerTree({ deployments, replicaSets, pods }, options);
  tree.connect();
  return { deployments, replicaSets, pods, tree };
}

describe('ownerTree', () => {
  it('waits for owners, which may be listed, added and deleted after the objects that they own', () => {
    informerTest({ r: anOwned('rs'), p: anOwned('pod', ['rs']) }, ({ source, expectObservable }) => {
      const replicaSets = informer(source('--L()--A(r)--D(r)|'));
      const pods = informer(source('       L(p)-------------|'));
      const tree = derived.ownerTree({ replicaSets, pods });
      const shown = tree.list$().pipe(map((nodes) => nodes.map(({ uid, edge }) => `${uid} ${edge}`).join()));
      expectObservable(shown).toBe('      --a----b-----a---|', { a: 'pod pending', b: 'pod owner,rs none' });
    });
  });

  it('has a node for each object of its collections, with its uid as key and the uid of the owner', () => {
    const { tree, pods } = aTree();
    expect(tree.get('pod-1')).toEqual({
      uid: 'pod-1',
      from: 'pods',
      key: 'pod-1',
      object: pods.get('pod-1'),
      resource: undefined,
      owner: 'rs-1',
      reference: ownerReference('rs-1', true),
      edge: 'owner',
    });
    expect(tree.get('pod-1')?.object).toBe(pods.get('pod-1'));
    expect(uidsOf(tree.roots())).toBe('deployment static');
    expect(uidsOf(tree.children('deployment'))).toBe('rs-1 rs-2');
    expect(uidsOf(tree.descendants('deployment'))).toBe('rs-1 rs-2 pod-1 pod-2');
    expect(uidsOf(tree.ancestors('pod-1'))).toBe('rs-1 deployment');
    expect([tree.children('none'), tree.descendants('none'), tree.ancestors('none')]).toEqual([[], [], []]);
  });

  it('names the collections of an array by their positions', () => {
    const tree = derived.ownerTree([storeOf(anOwned('a')), storeOf(anOwned('b', ['a']))], options);
    tree.connect();
    expect(tree.list().map(({ uid, from }) => [uid, from])).toEqual([
      ['a', '0'],
      ['b', '1'],
    ]);
  });

  it('emits children$, descendants$, ancestors$ and roots$ exactly when one of their nodes differs (G2)', () => {
    const { tree, pods, replicaSets, deployments } = aTree();
    const seen: string[] = [];
    tree.roots$.subscribe((nodes) => seen.push(`roots ${uidsOf(nodes)}`));
    tree.children$('rs-1').subscribe((nodes) => seen.push(`children ${uidsOf(nodes)}`));
    tree.descendants$('deployment').subscribe((nodes) => seen.push(`descendants ${uidsOf(nodes)}`));
    tree.ancestors$('pod-1').subscribe((nodes) => seen.push(`ancestors ${uidsOf(nodes)}`));
    const change = (act: () => void): string[] => {
      seen.length = 0;
      act();
      return [...seen].sort();
    };
    expect([...seen].sort()).toEqual([
      'ancestors rs-1 deployment',
      'children pod-1 pod-2',
      'descendants rs-1 rs-2 pod-1 pod-2',
      'roots deployment static',
    ]);
    expect(change(() => pods.update(anOwned('static', [], { ready: true })))).toEqual(['roots deployment static']);
    expect(change(() => pods.update(anOwned('pod-2', ['rs-1'], { ready: true })))).toEqual([
      'children pod-1 pod-2',
      'descendants rs-1 rs-2 pod-1 pod-2',
    ]);
    expect(change(() => pods.update(anOwned('pod-1', ['rs-2'])))).toEqual([
      'ancestors rs-2 deployment',
      'children pod-2',
      'descendants rs-1 rs-2 pod-2 pod-1',
    ]);
    expect(change(() => replicaSets.update(anOwned('rs-1', [])))).toEqual([
      'descendants rs-2 pod-1',
      'roots deployment rs-1 static',
    ]);
    expect(change(() => deployments.delete('deployment'))).toEqual([
      'ancestors rs-2',
      'descendants ',
      'roots rs-1 rs-2 static',
    ]);
    expect(change(() => deployments.add(anOwned('deployment')))).toEqual([
      'ancestors rs-2 deployment',
      'descendants rs-2 pod-1',
      'roots deployment rs-1 static',
    ]);
  });

  it('marks a node whose owner does not exist yet as pending, and links it as soon as the owner appears', () => {
    const replicaSets = storeOf();
    const pods = storeOf(anOwned('pod', ['rs']));
    const tree = derived.ownerTree({ replicaSets, pods }, options);
    const edges: unknown[] = [];
    tree.get$('pod').subscribe((node) => edges.push([node?.edge, node?.owner]));
    replicaSets.add(anOwned('rs'));
    replicaSets.update(anOwned('rs', [], { ready: true }));
    replicaSets.delete('rs');
    expect(edges).toEqual([
      ['pending', undefined],
      ['owner', 'rs'],
      ['pending', undefined],
    ]);
  });

  it('follows the controller reference, and the first owner reference if there is none', () => {
    const owners = storeOf(anOwned('first'), anOwned('controller'));
    const references = [ownerReference('first'), ownerReference('controller', true)];
    const pods = storeOf({ metadata: { name: 'pod', uid: 'pod', ownerReferences: references } });
    const tree = derived.ownerTree([owners, pods], options);
    tree.connect();
    expect(tree.get('pod')?.owner).toBe('controller');
    const [first] = references;
    pods.update({
      metadata: { name: 'pod', uid: 'pod', ownerReferences: [first as never, ownerReference('controller')] },
    });
    expect(tree.get('pod')?.owner).toBe('first');
  });

  describe('with parentOf', () => {
    /** An object whose label names its parent; `none` for none, and no label for its owner. */
    const labelled = (name: string, parent?: string, owners: readonly string[] = []): Owned => {
      const { metadata, ...rest } = anOwned(name, owners);
      return { ...rest, metadata: { ...metadata, ...(parent !== undefined && { labels: { parent } }) } };
    };
    const parentOf = ({ object }: { readonly object: Owned }): string | null | undefined => {
      const parent = object.metadata.labels?.['parent'];
      return parent === 'none' ? null : parent;
    };

    it('follows the parent that it returns, the owner for undefined, and nothing for null', () => {
      const releases = storeOf(anOwned('release'));
      const objects = storeOf(labelled('deployment', 'release'), labelled('pod', undefined, ['deployment']));
      const tree = derived.ownerTree({ releases, objects }, { ...options, parentOf });
      tree.connect();
      expect(uidsOf(tree.descendants('release'))).toBe('deployment pod');
      expect(tree.get('deployment')).toMatchObject({ owner: 'release', reference: { uid: 'release' }, edge: 'owner' });
      objects.update(labelled('pod', 'none', ['deployment']));
      expect(tree.get('pod')).toMatchObject({ owner: undefined, reference: undefined, edge: 'none' });
      releases.delete('release');
      expect(tree.get('deployment')?.edge).toBe('pending');
      releases.add(anOwned('release'));
      expect(uidsOf(tree.ancestors('deployment'))).toBe('release');
    });

    it('receives the name and the key of the collection, which narrow the type of the object', () => {
      const releases = createIndexer((release: { readonly name: string; readonly metadata: object }) => release.name);
      releases.replace([{ name: 'web', metadata: { uid: 'release/web' } }]);
      const tree = derived.ownerTree(
        { releases, pods: storeOf(anOwned('pod')) },
        { ...options, parentOf: (member) => (member.from === 'pods' ? `release/web` : member.object.name && null) },
      );
      tree.connect();
      expect(uidsOf(tree.children('release/web'))).toBe('pod');
    });

    it('ignores the parents of objects that lead back to them, as for owners', () => {
      const objects = storeOf(labelled('a', 'b'), labelled('b', undefined, ['a']), labelled('c', 'c'));
      const tree = derived.ownerTree([objects], { ...options, parentOf });
      tree.connect();
      expect(edgesOf(tree)).toEqual({ a: 'cycle', b: 'cycle', c: 'cycle' });
      objects.update(labelled('b', 'none', ['a']));
      expect(edgesOf(tree)).toEqual({ a: 'owner', b: 'none', c: 'cycle' });
    });

    it.each([
      ['throws', () => failing()],
      ['returns a number', () => 7 as never],
    ])('leaves out an object for which it %s, and names it (J6)', (_case, fails) => {
      const objects = storeOf(anOwned('good'), anOwned('bad'));
      const tree = derived.ownerTree([objects], {
        ...options,
        parentOf: ({ key }) => (key === 'bad' ? fails() : undefined),
      });
      const errors: InformerError[] = [];
      tree.errors$.subscribe((error) => errors.push(error));
      tree.connect();
      expect(tree.keys()).toEqual(['good']);
      expect(errors).toMatchObject([{ code: 'RXI_DERIVED_ROW', handler: 'parentOf', keys: ['bad'] }]);
    });

    const failing = (): never => {
      throw new Error('no parent');
    };
  });

  it('ignores the references of objects that own each other until one of them is changed', () => {
    const objects = storeOf(anOwned('a', ['b']), anOwned('b', ['c']), anOwned('c', ['a']), anOwned('d', ['a']));
    objects.add(anOwned('self', ['self']));
    const tree = derived.ownerTree([objects], options);
    tree.connect();
    expect(edgesOf(tree)).toEqual({ a: 'cycle', b: 'cycle', c: 'cycle', d: 'owner', self: 'cycle' });
    expect(uidsOf(tree.roots())).toBe('a b c self');
    expect(uidsOf(tree.descendants('a'))).toBe('d');
    objects.update(anOwned('c'));
    expect(edgesOf(tree)).toEqual({ a: 'owner', b: 'owner', c: 'none', d: 'owner', self: 'cycle' });
    expect(uidsOf(tree.ancestors('d'))).toBe('a b c');
    objects.update(anOwned('c', ['d']));
    expect(edgesOf(tree)).toEqual({ a: 'cycle', b: 'cycle', c: 'cycle', d: 'cycle', self: 'cycle' });
    objects.delete('b');
    expect(edgesOf(tree)).toEqual({ a: 'pending', c: 'owner', d: 'owner', self: 'cycle' });
  });

  it('uses the object of the first collection if two have the same uid, and the other one after that is deleted', () => {
    const one = storeOf(anOwned('x'));
    const other = storeOf(anOwned('x', ['y']), anOwned('y'));
    const tree = derived.ownerTree({ one, other }, options);
    tree.connect();
    expect(tree.get('x')).toMatchObject({ from: 'one', edge: 'none' });
    one.delete('x');
    expect(tree.get('x')).toMatchObject({ from: 'other', edge: 'owner' });
    one.add(anOwned('x'));
    other.delete('x');
    expect(tree.get('x')).toMatchObject({ from: 'one', edge: 'none' });
  });

  it.each([
    ['no uid', { metadata: { name: 'bad' } }],
    ['an empty uid', { metadata: { name: 'bad', uid: '' } }],
    ['owner references that are not an array', { metadata: { name: 'bad', uid: 'bad', ownerReferences: {} as never } }],
    ['a reference without a uid', { metadata: { name: 'bad', uid: 'bad', ownerReferences: [{} as never] } }],
  ])('leaves out an object with %s, and names it (J6)', (_case, bad) => {
    const objects = storeOf(anOwned('good'), bad);
    const tree = derived.ownerTree([objects], options);
    const errors: InformerError[] = [];
    tree.errors$.subscribe((error) => errors.push(error));
    tree.connect();
    expect(uidsOf(tree.list())).toBe('good');
    expect(errors).toMatchObject([{ code: 'RXI_DERIVED_ROW', handler: 'metadata', keys: ['bad'] }]);
    objects.update(anOwned('bad', ['good']));
    expect(uidsOf(tree.children('good'))).toBe('bad');
    objects.update(bad);
    expect(uidsOf(tree.list())).toBe('good');
  });

  it('keeps the given indexes, and the names of its own indexes beside them', () => {
    const { deployments, pods } = aTree();
    const tree = derived.ownerTree({ deployments, pods }, { ...options, indexers: { from: ({ from }) => from } });
    tree.connect();
    expect(uidsOf(tree.byIndex('from', 'deployments'))).toBe('deployment');
    expect(uidsOf(tree.addIndexers({ edge: ({ edge }) => edge }).byIndex('edge', 'pending'))).toBe('pod-1 pod-2');
    expect(uidsOf(tree.addIndexers({ late: () => 'x' }).roots())).toBe('deployment pod-1 pod-2 static');
  });

  it('J5: a change reads the same number of nodes, regardless of the size of the tree', () => {
    const cost = expectSameWork((size, { options: virtual }) => {
      const sets = storeOf(...Array.from({ length: size / 10 }, (_, i) => anOwned(`rs-${i}`, ['deployment'])));
      const pods = storeOf(...Array.from({ length: size }, (_, i) => anOwned(`pod-${i}`, [`rs-${i % (size / 10)}`])));
      const tree = derived.ownerTree([storeOf(anOwned('deployment')), sets, pods], virtual);
      tree.connect();
      tree.descendants$('rs-1').subscribe();
      tree.ancestors$('pod-1').subscribe();
      return () => {
        pods.update(anOwned('pod-2', ['rs-2'], { ready: true }));
        pods.update(anOwned('pod-2', ['rs-3']));
        pods.delete('pod-2');
        pods.add(anOwned('new', ['rs-4']));
      };
    });
    expect(cost['reads']).toBeLessThan(100);
  });

  /** Finds all edges naively: follows each reference until it ends or repeats. */
  const expectedNodes = (
    inputs: Readonly<Record<string, { list(): readonly Owned[] }>>,
    parentOf: (member: { readonly object: Owned }) => string | null | undefined = () => undefined,
  ): Map<string, Node> => {
    const nodes = new Map<string, Node>();
    for (const [from, input] of Object.entries(inputs)) {
      for (const object of input.list()) {
        const { uid, name: key, ownerReferences = [] } = object.metadata;
        if (uid === undefined || !Array.isArray(ownerReferences) || nodes.has(uid)) continue;
        const references = ownerReferences as Node['reference'][];
        const owner = references.find((each) => each?.controller) ?? references[0];
        if (object.fails === 'own' && parentOf.length > 0) continue;
        const parent = parentOf({ object });
        const reference = parent === undefined ? owner : parent === null ? undefined : { uid: parent };
        nodes.set(uid, { uid, from, key, object, resource: undefined, owner: undefined, reference, edge: 'none' });
      }
    }
    const edgeOf = ({ uid, reference }: Node): Node['edge'] => {
      if (reference === undefined) return 'none';
      let owner = nodes.get(reference.uid);
      if (owner === undefined) return 'pending';
      for (let steps = 0; owner !== undefined && steps <= nodes.size; steps++) {
        if (owner.uid === uid) return 'cycle';
        owner = owner.reference && nodes.get(owner.reference.uid);
      }
      return 'owner';
    };
    return new Map(
      [...nodes].map(([uid, node]) => {
        const edge = edgeOf(node);
        return [uid, { ...node, edge, owner: edge === 'owner' ? node.reference?.uid : undefined }];
      }),
    );
  };
  const isSame = (a: unknown, b: unknown): boolean => {
    const [one, other] = [a, b] as [Node | undefined, Node | undefined];
    if (one === undefined || other === undefined) return one === other;
    return Object.keys(one).every((field) => Object.is(one[field as keyof Node], other[field as keyof Node]));
  };

  const owned = randomInput(randomOwned);
  describeOracle('ownerTree', { one: owned, two: owned, three: owned }, ({ inputs, options: each }) => ({
    collection: derived.ownerTree(inputs, each),
    expected: () => expectedNodes(inputs),
  }));

  const parentOf = ({ object: { fails, weight = 9 } }: { readonly object: Owned }): string | null | undefined => {
    if (fails === 'own') throw new Error('parentOf failed');
    return weight < 2 ? null : ['a', 'b', 'c'][Math.floor(weight) - 2];
  };
  describeOracle('ownerTree with parentOf', { one: owned, two: owned }, ({ inputs, options: each }) => ({
    collection: derived.ownerTree(inputs, { ...each, parentOf }),
    expected: () => expectedNodes(inputs, parentOf),
  }));

  it('emits what a walk along all nodes finds, and nothing twice, for random histories (G2)', () => {
    for (let history = 0; history < 20 * runs; history++) {
      const random = randomOf(seedOf(`owner tree ${history}`));
      const inputs = { one: storeOf(), two: storeOf() };
      const tree = derived.ownerTree(inputs, options);
      const streams = ['a', 'b', 'c'].flatMap((uid) => [
        follow(`children of ${uid}`, tree.children$(uid), (nodes) => nodes.filter(({ owner }) => owner === uid)),
        follow(`below ${uid}`, tree.descendants$(uid), (nodes) => nodes.filter((each) => isBelow(each, uid, nodes))),
        follow(`above ${uid}`, tree.ancestors$(uid), (nodes) =>
          nodes.filter((each) => nodes.some((node) => node.uid === uid && isBelow(node, each.uid, nodes))),
        ),
      ]);
      streams.push(follow('roots', tree.roots$, (nodes) => nodes.filter(({ owner }) => owner === undefined)));
      for (let step = 0; step < 100; step++) {
        const store = random.oneOf([inputs.one, inputs.two]);
        if (random.chance(0.7)) store.update(randomOwned(random));
        else store.delete(random.oneOf([...store.keys(), 'none']));
        const nodes = [...expectedNodes(inputs).values()];
        for (const check of streams) check(nodes);
      }
    }
  });

  /** Returns a function that compares what a stream has emitted last, in any order. */
  const follow = (
    name: string,
    stream: Observable<readonly Node[]>,
    select: (nodes: readonly Node[]) => readonly Node[],
  ): ((nodes: readonly Node[]) => void) => {
    let shown: readonly Node[] = [];
    stream.subscribe((nodes) => {
      if (shown.length > 0 && shown.length === nodes.length && nodes.every((node, i) => node === shown[i])) {
        throw new Error(`${name} emitted the same nodes twice`);
      }
      shown = nodes;
    });
    const sorted = (nodes: readonly Node[]): readonly Node[] => [...nodes].sort((a, b) => (a.uid < b.uid ? -1 : 1));
    return (nodes) => {
      const [actual, expected] = [sorted(shown), sorted(select(nodes))];
      const isEqual = actual.length === expected.length && actual.every((node, i) => isSame(node, expected[i]));
      if (!isEqual) expect([name, uidsOf(actual)]).toEqual([name, uidsOf(expected)]);
    };
  };
  const isBelow = ({ owner }: Node, uid: string, nodes: readonly Node[]): boolean => {
    if (owner === undefined || owner === uid) return owner === uid;
    return nodes.some((node) => node.uid === owner && isBelow(node, uid, nodes));
  };
});
