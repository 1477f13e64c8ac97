import { createIndexer, informer, type Indexer } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey, type ObjectSelection } from 'rx-informers/store';
import { aPod as aKubernetesPod, describeCollectionConformance, informerTest } from 'rx-informers/testing';
import { BehaviorSubject, Subject, NEVER, of } from 'rxjs';
import { added, deleted } from '../fixtures/changes.js';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { fedBy } from './support/conformance.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, nodes, randomPod, unlessItFails, type Random } from './support/random.js';
import { expectSameWork } from './support/work.js';

const quiet = { linger: 0, onUnobservedError: () => undefined };

function indexerOf(...pods: readonly Pod[]): Indexer<Pod> {
  const indexer = createIndexer<Pod>(metaNamespaceKey, {});
  indexer.replace(pods);
  return indexer;
}

/** Collects the errors of a collection as text. */
function errorsOf(collection: Pick<Indexer<unknown>, 'errors$'>): string[] {
  const errors: string[] = [];
  collection.errors$.subscribe((error) => errors.push(error.message));
  return errors;
}

describe('filter', () => {
  const isOn =
    (node: string) =>
    (pod: Pod): boolean =>
      pod.spec.nodeName === node;

  it('contains the objects that a function selects, from the first list on', () => {
    const pod = (name: string, node: string) => aKubernetesPod({ name, node });
    const objects = { a: pod('a', 'n1'), A: pod('a', 'n2'), b: pod('b', 'n2'), B: pod('b', 'n1') };
    informerTest(objects, ({ source, expectObjects }) => {
      const pods = informer(source('L(ab)-M(A)-M(B)-D(B)|'));
      const selected = derived.filter(pods, ({ spec }) => spec?.nodeName === 'n1');
      expectObjects(selected.list$()).toBe('a-----()---B----()--|');
    });
  });

  it('contains the objects that a label selector selects', () => {
    const labelled = (name: string, app: string) => aKubernetesPod({ name, labels: { app } });
    const objects = { a: labelled('a', 'web'), b: labelled('b', 'db'), B: labelled('b', 'web') };
    informerTest(objects, ({ source, expectObjects }) => {
      const pods = informer(source('L(ab)-M(B)|'));
      expectObjects(derived.filter(pods, 'app=web').list$()).toBe('a-----(aB)|');
    });
  });

  it('throws at once for an invalid selector', () => {
    expect(() => derived.filter(indexerOf(), 'app in (')).toThrow(
      expect.objectContaining({ code: 'RXI_INVALID_SELECTOR' }),
    );
  });

  it('selects like Array.filter: every truthy result', () => {
    const pods = indexerOf(aPod({ name: 'a', node: 'n1' }), aPod({ name: 'b' }));
    const selected = derived.filter(pods, ((pod: Pod) => pod.spec.nodeName) as unknown as (pod: Pod) => boolean, quiet);
    selected.connect();
    expect(selected.keys()).toEqual(['a']);
  });

  it('has the resource of its input', () => {
    const resource = { kind: 'Pod', apiVersion: 'v1', plural: 'pods' };
    const pods = createIndexer<Pod>(metaNamespaceKey, {}, { resource } as never);
    expect(derived.filter(pods, '').resource).toBe(resource);
  });

  it('J3: emits the objects themselves', () => {
    const pods = indexerOf(aPod({ name: 'a', node: 'n1' }));
    const selected = derived.filter(pods, isOn('n1'), quiet);
    selected.connect();
    expect(selected.get('a')).toBe(pods.get('a'));
  });

  it('J6: reports a predicate that throws with the key, leaves the object out, and tries the next version', () => {
    const pods = indexerOf(aPod({ name: 'a', status: 'fails' }), aPod({ name: 'b' }));
    const selected = derived.filter(
      pods,
      (pod) => {
        failsOn(pod);
        return true;
      },
      { ...quiet, name: 'ready' },
    );
    const errors = errorsOf(selected);
    selected.connect();
    expect(selected.keys()).toEqual(['b']);
    expect(errors).toEqual(['ready: selection failed for a, whose row is absent: the function of the user failed']);
    pods.update(aPod({ name: 'a' }));
    expect(selected.keys()).toEqual(['a', 'b']);
  });

  it('J5: one change costs one call of the predicate, regardless of the number of objects', () => {
    const cost = expectSameWork((size, { counted, options }) => {
      const pods = indexerOf(
        ...Array.from({ length: size }, (_, number) => aPod({ name: `pod-${number}`, node: 'n1' })),
      );
      derived.filter(pods, counted('predicate', isOn('n1')), options).connect();
      return () => {
        pods.update(aPod({ name: 'pod-7', node: 'n2' }));
      };
    });
    expect(cost).toMatchObject({ predicate: 1 });
  });

  describe('with a selection that changes', () => {
    const a = aPod({ name: 'a', node: 'n1', labels: { app: 'x' } });
    const b = aPod({ name: 'b', node: 'n1', labels: { app: 'y' } });
    const c = aPod({ name: 'c', node: 'n2', labels: { app: 'y' } });

    it('announces objects that enter and leave as one change set (J1)', () => {
      const selection = new BehaviorSubject<ObjectSelection<Pod>>('app=x');
      const selected = derived.filter(indexerOf(a, b, c), selection, quiet);
      const sets: unknown[] = [];
      selected.changes$.subscribe((set) => sets.push(set));
      selection.next(isOn('n2'));
      expect(sets.slice(1)).toEqual([{ reason: 'watch', changes: [deleted(a), added(c)] }]);
      expect(selected.keys()).toEqual(['c']);
    });

    it('syncs after the first selection was emitted', () => {
      const selection = new Subject<ObjectSelection<Pod>>();
      const selected = derived.filter(indexerOf(a, b), selection, quiet);
      selected.connect();
      expect(selected.hasSynced).toBe(false);
      selection.next('app=y');
      expect([selected.hasSynced, selected.keys()]).toEqual([true, ['b']]);
    });

    it('J3: treats an equivalent selector as no change, and calls no function again', () => {
      const selection = new Subject<ObjectSelection<Pod>>();
      let calls = 0;
      const isX = (pod: Pod): boolean => {
        calls++;
        return pod.metadata.labels?.['app'] === 'x';
      };
      const selected = derived.filter(indexerOf(a, b, c), selection, quiet);
      let versions = 0;
      selected.snapshot$.subscribe(() => versions++);
      selection.next(isX);
      selection.next(isX);
      expect([calls, versions]).toEqual([3, 1]);
      selection.next({ matchLabels: { app: 'x' } });
      selection.next('app=x');
      selection.next('app in (x)');
      expect([calls, versions]).toEqual([3, 1]);
    });

    it('keeps the previous selection after an invalid one, and applies the next one', () => {
      const selection = new BehaviorSubject<ObjectSelection<Pod>>('app=x');
      const selected = derived.filter(indexerOf(a, b, c), selection, { ...quiet, name: 'shown' });
      const errors = errorsOf(selected);
      selected.connect();
      selection.next('app in (');
      expect([selected.keys(), errors.length]).toEqual([['a'], 1]);
      expect(errors[0]).toContain('shown: the parameter failed: invalid label selector "app in ("');
      selection.next('app in (');
      selection.next('app=y');
      expect([selected.keys(), errors.length]).toEqual([['b', 'c'], 1]);
    });

    it('keeps the last selection when the Observable completes', () => {
      const pods = indexerOf(a, b);
      const selected = derived.filter(pods, of('app=y'), quiet);
      selected.connect();
      pods.update(c);
      expect(selected.keys()).toEqual(['b', 'c']);
    });

    it('reports an error of the Observable, and keeps the last selection', () => {
      const pods = indexerOf(a, b);
      const selection = new BehaviorSubject<ObjectSelection<Pod>>('app=y');
      const selected = derived.filter(pods, selection, { ...quiet, name: 'shown' });
      const errors = errorsOf(selected);
      selected.connect();
      selection.error(new Error('the form is gone'));
      pods.update(c);
      expect(selected.keys()).toEqual(['b', 'c']);
      expect(errors).toEqual(['shown: the parameter failed: the form is gone']);
    });

    it('never syncs if the Observable errors or completes before its first value', () => {
      const failed = derived.filter(indexerOf(a), NEVER, quiet);
      failed.connect();
      expect(failed.hasSynced).toBe(false);
    });

    it('J7: is subscribed to the Observable only while the collection runs', () => {
      const selection = new BehaviorSubject<ObjectSelection<Pod>>('app=y');
      const selected = derived.filter(indexerOf(a, b), selection, quiet);
      expect(selection.observed).toBe(false);
      const connection = selected.connect();
      expect(selection.observed).toBe(true);
      connection.unsubscribe();
      expect(selection.observed).toBe(false);
      selection.next('app=x');
      selected.connect();
      expect(selected.keys()).toEqual(['a']);
    });

    it('may be changed by a subscriber of the collection itself, in the next round (G3)', () => {
      const selection = new BehaviorSubject<ObjectSelection<Pod>>('app=x');
      const selected = derived.filter(indexerOf(a, b, c), selection, quiet);
      const shown: string[] = [];
      selected.list$().subscribe((pods) => {
        shown.push(`first: ${pods.map(({ metadata }) => metadata.name).join(' ')}`);
        if (pods.length === 1) selection.next('app=y');
      });
      selected
        .list$()
        .subscribe((pods) => shown.push(`second: ${pods.map(({ metadata }) => metadata.name).join(' ')}`));
      expect(shown).toEqual(['first: a', 'first: b c', 'second: b c']);
    });
  });

  const isX = (pod: Pod | undefined): boolean => {
    failsOn(pod);
    return pod?.metadata.labels?.['app'] === 'x';
  };
  const selectedOf = (pods: Indexer<Pod>, isSelected: (pod: Pod | undefined) => boolean): Map<string, Pod> => {
    const selected = pods.list().filter((pod) => unlessItFails(() => isSelected(pod)));
    return new Map(selected.map((pod) => [pod.metadata.name, pod]));
  };

  describeOracle('filter', { pods: randomInput(randomPod) }, ({ inputs: { pods }, options }) => ({
    collection: derived.filter(pods, isX, { ...options, indexers: { node: byNode } }),
    expected: () => selectedOf(pods, isX),
  }));

  describeOracle(
    'filter by a changing selection',
    { pods: randomInput(randomPod) },
    ({ inputs: { pods }, options }) => {
      const selection = new BehaviorSubject<ObjectSelection<Pod>>(isX);
      return {
        collection: derived.filter(pods, selection, options),
        act: ({ oneOf }) => {
          selection.next(
            oneOf<ObjectSelection<Pod>>([isX, isOn('n1'), 'app=y', 'tier', { matchLabels: { app: 'y' } }]),
          );
        },
        expected: () => {
          const { value } = selection;
          if (typeof value === 'function') return selectedOf(pods, value as (pod: Pod | undefined) => boolean);
          return selectedOf(pods, (pod) =>
            value === 'tier' ? pod?.metadata.labels?.['tier'] !== undefined : pod?.metadata.labels?.['app'] === 'y',
          );
        },
      };
    },
  );

  describeCollectionConformance(
    () => {
      const pods = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
      const collection = derived.filter(pods, () => true, { ...quiet, indexers: { node: byNode } });
      return fedBy(pods, collection);
    },
    { name: 'filter' },
  );
});

describe('map', () => {
  const a = aPod({ name: 'a', node: 'n1', uid: 'u1' });

  it('maps each object to a row with the same key', () => {
    const pods = indexerOf(aPod({ name: 'a', namespace: 'web', node: 'n1' }));
    const rows = derived.map(pods, (pod, key) => `${key} on ${pod.spec.nodeName}`, quiet);
    rows.connect();
    expect(rows.get('web/a')).toBe('web/a on n1');
  });

  it('J3: emits nothing for an update that leaves the row equal', () => {
    const pods = indexerOf(a);
    const rows = derived.map(pods, (pod) => ({ node: pod.spec.nodeName, labels: { ...pod.metadata.labels } }), quiet);
    const seen: unknown[] = [];
    rows.get$('a').subscribe((row) => seen.push(row));
    pods.update({ ...a, status: 'ready' });
    expect(seen).toEqual([{ node: 'n1', labels: {} }]);
  });

  it('J3: keeps the identity of equal parts of a changed row', () => {
    const pods = indexerOf(aPod({ name: 'a', node: 'n1', labels: { app: 'x' } }));
    const rows = derived.map(pods, (pod) => ({ node: pod.spec.nodeName, labels: { ...pod.metadata.labels } }), quiet);
    rows.connect();
    const before = rows.get('a')?.labels;
    pods.update(aPod({ name: 'a', node: 'n2', labels: { app: 'x' } }));
    expect(rows.get('a')?.node).toBe('n2');
    expect(rows.get('a')?.labels).toBe(before);
  });

  it('leaves out objects for which it returns undefined', () => {
    const pods = indexerOf(a, aPod({ name: 'b' }));
    const rows = derived.map(pods, (pod) => pod.spec.nodeName, quiet);
    const sets: unknown[] = [];
    rows.changes$.subscribe((set) => sets.push(set));
    pods.update(aPod({ name: 'b', node: 'n2' }));
    pods.update(aPod({ name: 'a', uid: 'u1' }));
    expect(rows.list()).toEqual(['n2']);
    expect(sets.slice(1)).toEqual([
      { reason: 'watch', changes: [{ type: 'added', key: 'b', object: 'n2' }] },
      { reason: 'watch', changes: [{ type: 'deleted', key: 'a', object: 'n1', finalStateUnknown: false }] },
    ]);
  });

  it('accepts the empty string, false and 0 as rows', () => {
    const pods = indexerOf(aPod({ name: 'a' }), aPod({ name: 'b' }), aPod({ name: 'c' }));
    const rows = derived.map(pods, (_, key) => (key === 'a' ? '' : key === 'b' ? false : 0), quiet);
    let versions = 0;
    rows.snapshot$.subscribe(() => versions++);
    pods.update(aPod({ name: 'b', status: 'ready' }));
    expect([rows.list(), versions]).toEqual([['', false, 0], 1]);
  });

  it('has no row for a function that returns null, as for undefined, in every operator', () => {
    const pods = indexerOf(a, aPod({ name: 'b' }));
    const ifOnNode = (pod: Pod): string | null => pod.spec.nodeName ?? null;
    const collections = [
      derived.map(pods, ifOnNode, quiet),
      derived.derive(pods, {}, ifOnNode, quiet),
      derived.flatMap(pods, (pod) => [['is', ifOnNode(pod)]], quiet),
      derived.leftJoin(pods, pods, { on: () => undefined, select: ifOnNode }, quiet),
      derived.groupJoin(pods, pods, { on: byNode, select: ifOnNode }, quiet),
      derived.selectorJoin(
        pods,
        pods,
        {
          selector: () => undefined,
          within: 'cluster',
          select: (pod) => (ifOnNode(pod) === null ? null : { pod: pod.metadata.name }),
        },
        quiet,
      ),
    ];
    for (const rows of collections as readonly derived.DerivedCollection<unknown>[]) {
      const errors = errorsOf(rows);
      rows.connect();
      expect([rows.keys().map((key) => key.split('/')[0]), errors]).toEqual([['a'], []]);
    }
    const [first] = collections;
    pods.update(aPod({ name: 'a', uid: 'u1' }));
    expect(first?.keys()).toEqual([]);
  });

  it('J3: updates the row of an object with a new uid, unless the row has a uid itself', () => {
    const pods = indexerOf(a);
    const kinds = (collection: Pick<Indexer<unknown>, 'changes$'>): string[] => {
      const seen: string[] = [];
      collection.changes$.subscribe(({ changes }) => seen.push(changes.map(({ type }) => type).join(' ')));
      return seen;
    };
    const nodeOf = kinds(derived.map(pods, (pod) => ({ uid: pod.metadata.uid }), quiet));
    const podOf = kinds(derived.map(pods, (pod) => pod, quiet));
    pods.update(aPod({ name: 'a', node: 'n1', uid: 'u2' }));
    expect([nodeOf, podOf]).toEqual([
      ['added', 'updated'],
      ['added', 'deleted added'],
    ]);
  });

  it('J6: reports a project function that throws, has no row, and tries the next version', () => {
    const pods = indexerOf(a);
    const rows = derived.map(
      pods,
      (pod) => {
        failsOn(pod);
        return pod.spec.nodeName;
      },
      { ...quiet, name: 'nodes' },
    );
    const errors = errorsOf(rows);
    rows.connect();
    pods.update({ ...a, status: 'fails' });
    expect(rows.keys()).toEqual([]);
    expect(errors).toEqual(['nodes: project failed for a, whose row is absent: the function of the user failed']);
    pods.update(a);
    expect(rows.keys()).toEqual(['a']);
  });

  it('J5: one change costs one call of project, regardless of the number of objects', () => {
    const cost = expectSameWork((size, { counted, options }) => {
      const pods = indexerOf(
        ...Array.from({ length: size }, (_, number) => aPod({ name: `pod-${number}`, node: 'n1' })),
      );
      derived.map(pods, counted('project', byNode), options).connect();
      return () => {
        pods.update(aPod({ name: 'pod-7', node: 'n2' }));
      };
    });
    expect(cost).toMatchObject({ project: 1 });
  });

  const project = (pod: Pod, key: string) => {
    failsOn(pod);
    if (pod.spec.nodeName === undefined) return undefined;
    return { key, node: pod.spec.nodeName, tags: [...(pod.spec.values ?? [])] };
  };

  describeOracle('map', { pods: randomInput(randomPod) }, ({ inputs: { pods }, options }) => ({
    collection: derived.map(pods, project, { ...options, indexers: { tag: ({ tags }) => tags } }),
    expected: () => {
      const rows = new Map<string, { node: string }>();
      for (const key of pods.keys()) {
        const row = unlessItFails(() => project(pods.get(key) as Pod, key));
        if (row) rows.set(key, row);
      }
      return rows as never;
    },
  }));

  describeCollectionConformance(
    () => {
      const pods = createIndexer<Pod>(metaNamespaceKey, {}, quiet);
      const collection = derived.map(pods, (pod) => ({ ...pod }), { ...quiet, indexers: { node: byNode } });
      return fedBy(pods, collection);
    },
    { name: 'map' },
  );
});

describe('flatMap', () => {
  const tagged = (name: string, ...values: readonly string[]): Pod => aPod({ name, values });
  const byTag = (pod: Pod): derived.NamedRows<string> | undefined =>
    pod.spec.values?.map((value) => [value, `${value} of ${pod.metadata.name}`]);

  it('creates a row for each part of an object, with the key of the object and the name of the part', () => {
    const pods = indexerOf(aPod({ name: 'a', namespace: 'web', values: ['v', 'w'] }), aPod({ name: 'b' }));
    const rows = derived.flatMap(pods, byTag, quiet);
    rows.connect();
    expect(rows.keys()).toEqual(['web/a/v', 'web/a/w']);
    expect(rows.get('web/a/v')).toBe('v of a');
  });

  it('adds, updates and deletes the rows of a changed object, and no others', () => {
    const pods = indexerOf(tagged('a', 'v', 'w'), tagged('b', 'v'));
    const rows = derived.flatMap(
      pods,
      (pod) => pod.spec.values?.map((value, position) => [value, { position }]),
      quiet,
    );
    const sets: unknown[] = [];
    rows.changes$.subscribe(({ changes }) => sets.push(changes.map(({ type, key }) => `${type} ${key}`).sort()));
    pods.update(tagged('a', 'x', 'w', 'v'));
    pods.delete('a');
    expect(sets.slice(1)).toEqual([
      ['added a/x', 'updated a/v'],
      ['deleted a/v', 'deleted a/w', 'deleted a/x'],
    ]);
  });

  it('accepts entries of a record, of a Map, of an array by position, and of a generator', () => {
    const pods = indexerOf(aPod({ name: 'a', labels: { app: 'x', tier: 'web' }, values: ['v', 'w'] }));
    const keysBy = (project: (pod: Pod) => derived.NamedRows<unknown>): readonly string[] => {
      const rows = derived.flatMap(pods, project, quiet);
      rows.connect();
      return rows.keys();
    };
    expect(keysBy(({ metadata }) => Object.entries(metadata.labels ?? {}))).toEqual(['a/app', 'a/tier']);
    expect(keysBy(({ metadata }) => new Map(Object.entries(metadata.labels ?? {})))).toEqual(['a/app', 'a/tier']);
    expect(keysBy(({ spec }) => (spec.values ?? []).entries())).toEqual(['a/0', 'a/1']);
    expect(
      keysBy(function* () {
        yield ['first', 1];
        yield ['second', undefined];
      }),
    ).toEqual(['a/first']);
  });

  it('keeps rows of different objects separate, even if their names are equal', () => {
    const pods = createIndexer<Pod>((pod) => pod.metadata.name, {});
    pods.replace([tagged('a', 'b/c', 'b%2Fc', ''), tagged('a/b', 'c')]);
    const rows = derived.flatMap(pods, byTag, quiet);
    rows.connect();
    expect(rows.keys()).toEqual(['a/', 'a/b%252Fc', 'a/b%2Fc', 'a/b/c']);
    expect(rows.get('a/b%2Fc')).toBe('b/c of a');
    pods.delete('a');
    expect(rows.keys()).toEqual(['a/b/c']);
  });

  it.each([false, 0, ''])('passes %j to project, like any other object', (empty) => {
    const pods = indexerOf(aPod({ name: 'a' }));
    const values = derived.map(pods, () => empty, quiet);
    const rows = derived.flatMap(values, (value) => [['is', [value]]], quiet);
    const errors = errorsOf(rows);
    rows.connect();
    pods.add(aPod({ name: 'b' }));
    expect([rows.keys(), rows.get('a/is'), errors]).toEqual([['a/is', 'b/is'], [empty], []]);
  });

  it.each([
    [
      'two rows with one name',
      () => [
        ['v', 1],
        ['v', 2],
      ],
      'two rows have the name "v"; names must be unique',
    ],
    [
      'a name that is both a number and a string',
      () => [
        [1, 1],
        ['1', 2],
      ],
      'two rows have the name "1"; names must be unique',
    ],
    ['a name that is not a string', () => [[{}, 1]], 'the name of a row must be a string or a number, not object'],
    ['a row without a name', () => [[undefined, 1]], 'the name of a row must be a string or a number, not undefined'],
    ['rows instead of pairs', () => [{ name: 'v' }], 'is not iterable'],
    ['a record instead of entries', () => ({ v: 1 }), 'is not iterable'],
    ['a number', () => 7, 'is not iterable'],
  ])('J6: reports %s, and has no rows for the object', (_what, nonsense, message) => {
    const pods = indexerOf(aPod({ name: 'a', values: ['v'] }), aPod({ name: 'b', values: ['v'] }));
    const project = (pod: Pod): derived.NamedRows<unknown> | undefined =>
      pod.status === 'nonsense' ? (nonsense() as never) : byTag(pod);
    const rows = derived.flatMap(pods, project, { ...quiet, name: 'tags' });
    const errors = errorsOf(rows);
    rows.connect();
    pods.update(aPod({ name: 'a', status: 'nonsense' }));
    expect(rows.keys()).toEqual(['b/v']);
    expect(errors).toEqual([expect.stringContaining('tags: project failed for a, whose row is absent')]);
    expect(errors).toEqual([expect.stringContaining(message)]);
    pods.update(aPod({ name: 'a', values: ['v'] }));
    expect(rows.keys()).toEqual(['a/v', 'b/v']);
  });

  it('J5: one change costs one call of project and the rows of one object, regardless of the number of objects', () => {
    const cost = expectSameWork((size, { counted, options }) => {
      const pods = indexerOf(...Array.from({ length: size }, (_, number) => tagged(`pod-${number}`, 'v', 'w')));
      derived.flatMap(pods, counted('project', byTag), options).connect();
      return () => {
        pods.update(tagged('pod-7', 'w', 'x'));
      };
    });
    expect(cost).toMatchObject({ project: 1 });
    expect(cost['reads']).toBeLessThan(10);
  });

  const names = ['v', 'w', 'x/y', '', '%2F'];
  const manyTagged = (random: Random): Pod => ({
    ...randomPod(random),
    spec: { values: random.someOf(names), nodeName: random.oneOf(nodes) },
  });

  describeOracle('flatMap', { pods: randomInput(manyTagged) }, ({ inputs: { pods }, options }) => ({
    collection: derived.flatMap(
      pods,
      (pod) => {
        failsOn(pod);
        return pod.spec.values?.map((value) => [value, value === 'w' ? undefined : { node: pod.spec.nodeName }]);
      },
      { ...options, indexers: { node: ({ node }) => node } },
    ),
    expected: () =>
      new Map(
        pods
          .list()
          .filter(({ status }) => status !== 'fails')
          .flatMap(({ metadata, spec }) =>
            (spec.values ?? [])
              .filter((value) => value !== 'w')
              .map((value) => [`${metadata.name}/${encodeURIComponent(value)}`, { node: spec.nodeName }]),
          ),
      ),
  }));
});

it('a resync of an input emits nothing in a derived collection', () => {
  const pods = indexerOf(aPod({ name: 'a', node: 'n1' }));
  const rows = derived.map(pods, byNode, quiet);
  const sets: unknown[] = [];
  rows.changes$.subscribe((set) => sets.push(set));
  pods.resync();
  expect(sets).toHaveLength(1);
});
