import { createIndexer, informer, type KubernetesObject } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { matchesLabelSelector, type LabelSelector } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import {
  aPod as aKubernetesPod,
  describeCollectionConformance,
  informerTest,
  virtualClock,
  watchMarbles,
} from 'rx-informers/testing';
import { internalsOf } from '../../src/collections/log-collection.js';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';
import { fedBy } from './support/conformance.js';
import { describeOracle, randomInput } from './support/oracle.js';
import { failsOn, names, unlessItFails, type Random } from './support/random.js';
import { expectSameWork } from './support/work.js';

/** An object with a selector: its status. */
interface Policy {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
  readonly spec: { readonly selector?: LabelSelector; readonly note?: number };
  readonly status?: unknown;
}

const namespaces = ['east', 'west'] as const;

function randomLabelled(random: Random): Pod {
  return aPod({
    name: random.oneOf(names),
    namespace: random.oneOf(namespaces),
    uid: random.oneOf(['u1', 'u1', 'u1', 'u2']),
    ...(random.chance(0.9) && {
      labels: {
        ...(random.chance(0.8) && { app: random.oneOf(['web', 'api', '']) }),
        ...(random.chance(0.5) && { tier: random.oneOf(['front', 'back']) }),
        ...(random.chance(0.3) && { canary: random.oneOf(['1', '2', 'no']) }),
      },
    }),
    status: random.oneOf(['a', 'b', 'c', 'fails']),
  });
}

function randomSelector(random: Random): LabelSelector | undefined {
  const expression = (): { key: string; operator: string; values?: string[] } =>
    random.oneOf([
      { key: 'app', operator: 'In', values: random.someOf(['web', 'api', '']) },
      { key: 'tier', operator: 'In', values: ['back'] },
      { key: 'tier', operator: 'NotIn', values: ['front'] },
      { key: 'canary', operator: 'Exists' },
      { key: 'app', operator: 'Exists' },
      { key: 'canary', operator: 'DoesNotExist' },
      { key: 'canary', operator: 'Gt', values: ['1'] },
      { key: 'app', operator: 'Equals', values: ['malformed'] },
    ]);
  return random.oneOf<() => LabelSelector | undefined>([
    () => undefined,
    () => ({}),
    () => ({ matchLabels: { app: random.oneOf(['web', 'api']) } }),
    () => ({ matchLabels: { app: 'web', tier: random.oneOf(['front', 'back']) } }),
    () => ({ matchLabels: { tier: 'front' }, matchExpressions: [expression()] }),
    () => ({ matchExpressions: [expression()] }),
    () => ({ matchExpressions: [expression(), expression()] }),
    () => 'app in (web, api), !canary',
    () => 'not a selector',
  ])();
}

function randomPolicy(random: Random): Policy {
  const selector = randomSelector(random);
  return {
    metadata: {
      name: random.oneOf(['p', 'q', 'r', 's']),
      namespace: random.oneOf(namespaces),
      uid: random.oneOf(['u1', 'u1', 'u1', 'u2']),
    },
    spec: { note: random.nat(2), ...(selector !== undefined && { selector }) },
    ...(random.chance(0.1) && { status: 'fails' }),
  };
}

interface Readable<T> {
  keys(): readonly string[];
  get(key: string): T | undefined;
}

const selectorOf = ({ spec }: Policy): LabelSelector | undefined => spec.selector;

/** Nested loops: for each pod, each policy. */
function naive<Row>(
  policies: Readable<Policy>,
  pods: Readable<Pod>,
  within: 'namespace' | 'cluster',
  row: (pod: Pod, keys: readonly string[], selecting: readonly Policy[]) => Row | undefined,
): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const key of pods.keys()) {
    const pod = pods.get(key) as Pod;
    const selectedBy = policies.keys().filter((policyKey) => {
      const policy = policies.get(policyKey) as Policy;
      if (within === 'namespace' && policy.metadata.namespace !== pod.metadata.namespace) return false;
      const { selector } = policy.spec;
      return selector !== undefined && unlessItFails(() => matchesLabelSelector(selector)(pod.metadata.labels));
    });
    const selecting = selectedBy.map((policyKey) => policies.get(policyKey) as Policy);
    const computed = unlessItFails(() => row(pod, selectedBy, selecting));
    if (computed !== undefined) rows.set(key, computed);
  }
  return rows;
}

const quiet = { linger: 0, onUnobservedError: () => undefined } as const;

interface Service extends KubernetesObject {
  readonly spec: { readonly selector?: Readonly<Record<string, string>> };
}
const service = (name: string, selector?: Readonly<Record<string, string>>): Service => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { ...(selector && { selector }) },
});

describe('selectorJoin in virtual time', () => {
  const pods = {
    a: aKubernetesPod({ name: 'a', labels: { app: 'web' } }),
    b: aKubernetesPod({ name: 'b', labels: { app: 'web', canary: 'yes' } }),
    c: aKubernetesPod({ name: 'a', labels: { app: 'api' } }),
  };
  const services = {
    w: service('web', { app: 'web' }),
    c: service('canary', { canary: 'yes' }),
    x: service('web', { app: 'api' }),
    n: service('web', {}),
  };
  const endpoints = (ofServices: string, ofPods: string) =>
    derived.selectorJoin(informer(watchMarbles(ofServices, services)), informer(watchMarbles(ofPods, pods)), {
      selector: derived.serviceSelector,
      within: 'namespace',
      select: ({ metadata }) => ({ name: metadata.name }),
    });
  const row = (name: string, ...by: readonly string[]) => ({ name, selectedBy: by.map((key) => `default/${key}`) });

  it('J2: the pods of a service follow the labels of the pods', () => {
    informerTest({}, ({ expectObservable }) => {
      const ofServices = 'L(w)------------------|';
      const ofPods = '    L(a)--A(b)--M(c)--D(b)|';
      const expected = '  a-----b-----c-----n---|';
      expectObservable(endpoints(ofServices, ofPods).byIndex$('selectedBy', 'default/web')).toBe(expected, {
        a: [row('a', 'web')],
        b: [row('a', 'web'), row('b', 'web')],
        c: [row('b', 'web')],
        n: [],
      });
    });
  });

  it('J2: the pods of a service follow its selector; an empty map selects nothing', () => {
    informerTest({}, ({ expectObservable }) => {
      const ofServices = 'L(w)--M(x)--M(n)--M(w)|';
      const ofPods = '    L(ab)-----------------|';
      const expected = '  b-----n-----------b---|';
      expectObservable(endpoints(ofServices, ofPods).byIndex$('selectedBy', 'default/web')).toBe(expected, {
        b: [row('a', 'web'), row('b', 'web')],
        n: [],
      });
    });
  });

  it('J2: the services of a pod, in the other direction', () => {
    informerTest({}, ({ expectObservable }) => {
      const ofServices = '---L(w)--A(c)--D(w)--|';
      const ofPods = '    L(ab)------------|';
      const expected = '  ---w-----x-----c-----|';
      expectObservable(endpoints(ofServices, ofPods).get$('default/b')).toBe(expected, {
        w: row('b', 'web'),
        x: row('b', 'canary', 'web'),
        c: row('b', 'canary'),
      });
    });
  });
});

describe('selectorJoin', () => {
  const inputs = { policies: randomInput(randomPolicy), pods: randomInput(randomLabelled) };

  describeOracle('selectorJoin within namespaces', inputs, ({ inputs: { policies, pods }, options }) => ({
    collection: derived.selectorJoin(policies, pods, { selector: selectorOf, within: 'namespace' }, options),
    expected: () =>
      naive(policies, pods, 'namespace', (object, selectedBy) =>
        selectedBy.length === 0 ? undefined : { object, selectedBy },
      ),
  }));

  const select = (pod: Pod, selecting: readonly Policy[]) => {
    failsOn(pod, ...selecting);
    if (pod.status === 'c') return undefined;
    return { name: pod.metadata.name, notes: selecting.map(({ spec }) => spec.note) };
  };
  describeOracle('selectorJoin within the cluster, with select', inputs, ({ inputs: { policies, pods }, options }) => ({
    collection: derived.selectorJoin(policies, pods, { selector: selectorOf, within: 'cluster', select }, options),
    expected: () =>
      naive(policies, pods, 'cluster', (pod, selectedBy, selecting) => {
        const fields = select(pod, selecting);
        return fields && { ...fields, selectedBy };
      }),
  }));
});

describe('selectorJoin: cost', () => {
  const fill = (size: number, namespaces: number) => {
    const kept = { freeze: false } as const;
    const services = createIndexer<Service>(metaNamespaceKey, {}, kept);
    const pods = createIndexer<Pod>(metaNamespaceKey, {}, kept);
    const namespaceOf = (n: number): string => `ns-${n % namespaces}`;
    const serviceOf = (n: number, selector: Readonly<Record<string, string>>): Service => ({
      metadata: { name: `app-${n}`, namespace: namespaceOf(n), uid: `s-${n}` },
      spec: { selector },
    });
    services.replace(Array.from({ length: size >> 3 }, (_, n) => serviceOf(n, { tier: 'web', app: `app-${n}` })));
    const podOf = (n: number, labels: Readonly<Record<string, string>>, version = 1): Pod =>
      aPod({ name: `pod-${n}`, namespace: namespaceOf(n >> 3), labels, version });
    pods.replace(Array.from({ length: size }, (_, n) => podOf(n, { tier: 'web', app: `app-${n >> 3}` })));
    return { services, pods, serviceOf, podOf };
  };

  it('J5: a changed pod or service costs its candidates, regardless of the number of pods and of services', () => {
    const costs = expectSameWork((size, { counted, options }) => {
      const { services, pods, serviceOf, podOf } = fill(size, 7);
      const selector = counted('selector', derived.serviceSelector);
      const select = counted('select', ({ metadata }: Pod) => ({
        name: metadata.name,
        version: metadata.resourceVersion,
      }));
      const rows = derived.selectorJoin(services, pods, { selector, within: 'namespace', select }, options);
      rows.connect();
      return () => {
        // One row: its labels are the same. One row: its labels differ.
        pods.update(podOf(7, { tier: 'web', app: 'app-0' }, 2));
        pods.update(podOf(7, { tier: 'web', app: 'app-7' }, 3));
        expect(rows.get('ns-0/pod-7')?.selectedBy).toEqual(['ns-0/app-7']);
        // The seven that are left of its own, and the nine of the other.
        services.update(serviceOf(0, { tier: 'web', app: 'app-7' }));
      };
    });
    expect(costs).toMatchObject({ selector: 1, select: 1 + 1 + 7 + 9 });
  });

  it('J5: one changed pod of a service of 10,000 is one call', () => {
    const services = createIndexer<Service>(metaNamespaceKey, {});
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    let calls = 0;
    const select = ({ metadata }: Pod): { readonly labels: unknown } => {
      calls++;
      return { labels: metadata.labels };
    };
    const rows = derived.selectorJoin(
      services,
      pods,
      { selector: derived.serviceSelector, within: 'cluster', select },
      { ...quiet, scheduler: virtualClock() },
    );
    services.replace([service('web', { app: 'web' })]);
    pods.replace(Array.from({ length: 10_000 }, (_, n) => aPod({ name: `pod-${n}`, labels: { app: 'web' } })));
    rows.connect();
    calls = 0;
    pods.update(aPod({ name: 'pod-7', labels: { app: 'web', canary: 'yes' } }));
    expect([calls, rows.byIndex('selectedBy', 'default/web').length]).toEqual([1, 10_000]);
    rows.stop();
  });

  it('J5: without select, a service with an unchanged selector costs its pods nothing', () => {
    const services = createIndexer<Service>(metaNamespaceKey, {});
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    const rows = derived.selectorJoin(services, pods, { selector: derived.serviceSelector, within: 'cluster' }, quiet);
    services.replace([service('web', { app: 'web' })]);
    pods.replace([aPod({ name: 'a', labels: { app: 'web' } })]);
    let sets = 0;
    rows.changes$.subscribe(() => sets++);
    const { snapshot } = rows;
    services.update({ ...service('web', { app: 'web' }), kind: 'Service' });
    expect([rows.snapshot === snapshot, sets]).toEqual([true, 1]);
    rows.stop();
  });
});

describe('selectorJoin: errors are reported and affect only their rows (J6)', () => {
  const open = (select?: (pod: Pod) => { readonly name: string } | undefined) => {
    const policies = createIndexer<Policy>(metaNamespaceKey, {});
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    const rows = derived.selectorJoin(
      policies,
      pods,
      { selector: selectorOf, within: 'cluster', select: select ?? (({ metadata }) => ({ name: metadata.name })) },
      quiet,
    );
    const errors: unknown[] = [];
    rows.errors$.subscribe((error) => {
      if (error.code === 'RXI_DERIVED_ROW') errors.push([error.handler, ...error.keys]);
    });
    rows.connect();
    pods.replace([aPod({ name: 'a', labels: { app: 'x' } }), aPod({ name: 'b', labels: { app: 'y' } })]);
    return { policies, pods, rows, errors };
  };
  const policy = (name: string, selector: unknown): Policy => ({
    metadata: { name },
    spec: { selector: selector as LabelSelector },
  });

  it.each<[string, unknown]>([
    ['an unknown operator', { matchExpressions: [{ key: 'app', operator: 'Like', values: ['x'] }] }],
    ['an In without values', { matchExpressions: [{ key: 'app', operator: 'In' }] }],
    ['an invalid value', { matchLabels: { app: 7 } }],
    ['an invalid key', { matchLabels: { 'a b': 'x' } }],
    ['expressions that are not an array', { matchExpressions: 7 }],
    ['empty expressions', { matchExpressions: [null] }],
    ['a number', 7],
    ['an array', ['app=x']],
    ['a map of labels, as in a Service', { app: 'x' }],
    ['a text that cannot be parsed', 'app in'],
  ])('J6: a selector with %s selects nothing until it is corrected', (_, malformed) => {
    const { policies, rows, errors } = open();
    policies.replace([policy('p', malformed), policy('q', { matchLabels: { app: 'x' } })]);
    expect(errors).toEqual([['selector', 'p']]);
    expect([rows.get('a')?.selectedBy, rows.get('b')?.selectedBy]).toEqual([['q'], []]);
    policies.update(policy('p', { matchLabels: { app: 'y' } }));
    expect([rows.get('a')?.selectedBy, rows.get('b')?.selectedBy]).toEqual([['q'], ['p']]);
    policies.update(policy('q', malformed));
    expect([rows.get('a')?.selectedBy, rows.get('b')?.selectedBy]).toEqual([[], ['p']]);
    expect(errors).toHaveLength(2);
    rows.stop();
  });

  it('J6: an object with invalid labels has no row, and the others have theirs', () => {
    const { policies, pods, rows, errors } = open();
    policies.replace([policy('p', {})]);
    pods.update(aPod({ name: 'a', labels: 'app=x' as never }));
    expect([rows.keys(), errors]).toEqual([['b'], [['labels', 'a']]]);
    pods.update(aPod({ name: 'a', labels: null as never }));
    expect(rows.get('a')?.selectedBy).toEqual(['p']);
    rows.stop();
  });

  it.each<[string, unknown]>([
    ['a number', 7],
    ['a string', 'x'],
    ['an array', []],
  ])('J6: an object for which select returns %s has no row', (_, nonsense) => {
    const { policies, rows, errors } = open((pod) => (pod.metadata.name === 'a' ? (nonsense as never) : { name: 'b' }));
    policies.replace([policy('p', {})]);
    expect([rows.list(), errors]).toEqual([[{ name: 'b', selectedBy: ['p'] }], [['select', 'a', 'p']]]);
    rows.stop();
  });

  it('throws for an index with the name of its own index', () => {
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    const join = { selector: (): undefined => undefined, within: 'cluster' } as const;
    const indexers = { selectedBy: () => 'x' };
    expect(() => derived.selectorJoin(pods, pods, join, { indexers })).toThrow(errorWith('RXI_INDEXER_CONFLICT'));
  });
});

describe('selectorJoin: life cycle', () => {
  it('J7: unsubscribes from both inputs with the last subscriber', () => {
    const policies = createIndexer<Policy>(metaNamespaceKey, {});
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    policies.replace([]);
    pods.replace([aPod({ name: 'a' })]);
    const rows = derived.selectorJoin(policies, pods, { selector: selectorOf, within: 'namespace' }, quiet);
    const subscription = rows.byIndex$('selectedBy', 'p').subscribe();
    expect([internalsOf(policies).log.dependents.size, internalsOf(pods).log.dependents.size]).toEqual([1, 1]);
    subscription.unsubscribe();
    expect([internalsOf(policies).log.dependents.size, internalsOf(pods).log.dependents.size]).toEqual([0, 0]);
    expect([rows.isRunning, rows.snapshot.size]).toEqual([false, 0]);
  });

  it('J1: objects of one collection may select each other', () => {
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    const selector = ({ metadata: { name } }: Pod): LabelSelector => ({ matchLabels: { follows: name } });
    const rows = derived.selectorJoin(pods, pods, { selector, within: 'cluster' }, quiet);
    rows.connect();
    pods.replace([aPod({ name: 'a' }), aPod({ name: 'b', labels: { follows: 'a' } })]);
    pods.update(aPod({ name: 'a', labels: { follows: 'b' } }));
    expect(rows.list().map(({ object, selectedBy }) => [object.metadata.name, ...selectedBy])).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
    rows.stop();
  });
});

describeCollectionConformance(
  () => {
    const policies = createIndexer<Policy>(metaNamespaceKey, {});
    policies.replace([{ metadata: { name: 'p' }, spec: { selector: {} } }]);
    const pods = createIndexer<Pod>(metaNamespaceKey, {});
    const rows = derived.selectorJoin(policies, pods, { selector: selectorOf, within: 'cluster' }, quiet);
    // The suite expects the objects themselves.
    const collection = derived.leftJoin(
      rows,
      policies,
      { on: ({ selectedBy }) => selectedBy[0], select: ({ object }, policy) => policy && object },
      { ...quiet, indexers: { node: byNode } },
    );
    return fedBy(pods, collection);
  },
  { name: 'selectorJoin' },
);
