import { jest } from '@jest/globals';
import { createIndexer, type Collection } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey } from 'rx-informers/store';
import { informerTest } from 'rx-informers/testing';
import { aPod, byNode, type Pod } from '../fixtures/pods.js';
import { errorWith } from '../support/error-with.js';

const quiet = { onUnobservedError: () => undefined };

function inputs() {
  const pods = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { name: 'pods' });
  const nodes = createIndexer<Pod, 'node'>(metaNamespaceKey, { node: byNode }, { name: 'nodes' });
  const live = createIndexer<Pod>(metaNamespaceKey, {}, { name: 'live' });
  for (const each of [pods, nodes, live]) each.add(aPod({ name: 'a', node: 'a', labels: { app: 'x' } }));
  return { pods, nodes, live };
}

type Inputs = ReturnType<typeof inputs>;
type Reading = (inputs: Inputs) => Pick<derived.DerivedCollection<unknown>, 'connect'>;
const select = (live: Collection<Pod> & Pick<Inputs['live'], 'get'>) => () => ({ seen: live.get('a') });

/** Operators with a function that reads the collection `live` through a variable. */
const reading: readonly (readonly [function_: string, make: Reading])[] = [
  [
    'select of leftJoin',
    ({ pods, nodes, live }) => derived.leftJoin(pods, nodes, { on: 'node', select: select(live) }),
  ],
  [
    'on of leftJoin',
    ({ pods, nodes, live }) =>
      derived.leftJoin(pods, nodes, { on: () => live.list()[0]?.metadata.name, select: () => 1 }),
  ],
  [
    'select of groupJoin',
    ({ pods, nodes, live }) => derived.groupJoin(pods, nodes, { on: 'node', select: select(live) }),
  ],
  [
    'on of groupJoin',
    ({ pods, nodes, live }) => derived.groupJoin(pods, nodes, { on: () => live.keys(), select: () => 1 }),
  ],
  ['by of groupBy', ({ pods, live }) => derived.groupBy(pods, () => live.keys(), { pods: derived.count() })],
  ['sum of groupBy', ({ pods, live }) => derived.groupBy(pods, 'node', { sum: derived.sum(() => live.snapshot.size) })],
  ['by of distinct', ({ pods, live }) => derived.distinct(pods, () => live.keys())],
  ['by of limit', ({ pods, live }) => derived.limit(pods, { by: () => live.snapshot.size, count: 1 })],
  [
    'selector of selectorJoin',
    ({ pods, nodes, live }) =>
      derived.selectorJoin(pods, nodes, { selector: () => (live.has('a') ? {} : undefined), within: 'cluster' }),
  ],
  [
    'select of selectorJoin',
    ({ pods, nodes, live }) =>
      derived.selectorJoin(pods, nodes, { selector: () => ({}), within: 'cluster', select: select(live) }),
  ],
  ['compute of derive', ({ pods, live }) => derived.derive(pods, {}, select(live))],
  ['project of map', ({ pods, live }) => derived.map(pods, select(live))],
  ['selection of filter', ({ pods, live }) => derived.filter(pods, () => live.hasSynced)],
  [
    'the function of the index x',
    ({ pods, live }) => derived.map(pods, (pod) => pod, { indexers: { x: () => live.keys() } }),
  ],
];

describe('a function of a derived collection that reads a live collection through a variable', () => {
  const { env } = process;
  const texts: string[] = [];
  beforeEach(() => {
    texts.length = 0;
    jest.spyOn(console, 'warn').mockImplementation((text) => texts.push(String(text)));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    process.env = env;
  });
  const warnings = (): readonly string[] => texts;

  it.each(reading)('%s is warned about, once', (name, make) => {
    const all = inputs();
    make(all).connect();
    expect(warnings()).toEqual([
      expect.stringMatching(new RegExp(`^${name}\\b.* reads the collection live .*use derive`)),
    ]);
    for (const object of ['a', 'b', 'c']) {
      all.pods.add(aPod({ name: object, node: 'b' }));
      all.nodes.add(aPod({ name: object, node: 'b' }));
    }
    expect(warnings()).toHaveLength(1);
  });

  it('is warned about once for each collection, with the name of the operator and of the result', () => {
    const { pods, nodes, live } = inputs();
    derived.map(pods, () => [nodes.get('a'), live.get('a'), pods.get('a')], { name: 'rows' }).connect();
    expect(warnings().map((text) => / (.* reads the collection \w+)/.exec(` ${text}`)?.[1])).toEqual([
      'project of map rows reads the collection nodes',
      'project of map rows reads the collection live',
      'project of map rows reads the collection pods',
    ]);
  });

  it.each(reading)('%s is not warned about in production', (_, make) => {
    process.env = { ...env, NODE_ENV: 'production' };
    make(inputs()).connect();
    expect(warnings()).toEqual([]);
  });

  it('is an error in informerTest', () => {
    const { live } = inputs();
    const test = (): void => {
      informerTest(() => {
        const pods = createIndexer<Pod>(metaNamespaceKey, {});
        pods.add(aPod());
        derived.map(pods, select(live)).connect();
      });
    };
    expect(test).toThrow(errorWith('RXI_LIVE_READ'));
    expect(test).toThrow('project of map(indexer) reads the collection live through a variable');
    expect(warnings()).toEqual([]);
  });

  it('is not reported for parameters, for snapshots taken before, or after the function has thrown', () => {
    const { pods, nodes, live } = inputs();
    const { snapshot } = live;
    derived.derive(pods, { nodes }, (pod, read) => [pod, read.nodes.get('a'), snapshot.get('a')]).connect();
    const failing = derived.map(
      pods,
      () => {
        throw new Error('failed');
      },
      quiet,
    );
    failing.connect();
    expect([live.get('a'), failing.list()]).toEqual([expect.anything(), []]);
    expect(warnings()).toEqual([]);
  });
});
