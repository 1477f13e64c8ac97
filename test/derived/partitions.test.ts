import { createIndexer, indexByNode, type KubernetesObject } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { metaNamespaceKey, splitPartitionedKey, watchEvent } from 'rx-informers/store';
import { aNode, aPod, virtualClock } from 'rx-informers/testing';
import { merged } from './support/clusters.js';

const { added, deleted, modified } = watchEvent;

/** The same names in two clusters. Only the zone of the node and the phase of the pod differ. */
const podIn = (cluster: string, name = 'a') =>
  aPod({ namespace: 'web', name, uid: `${cluster}-${name}`, node: 'node-1', labels: { app: 'x' }, phase: 'Running' });
const nodeIn = (cluster: string, zone = `${cluster}-1`) =>
  aNode({ name: 'node-1', uid: `${cluster}-node`, resourceVersion: zone, labels: { zone } });
const serviceIn = (cluster: string): Service => ({
  metadata: { namespace: 'web', name: 'api', uid: `${cluster}-api` },
  spec: { selector: { app: 'x' } },
});
interface Service extends KubernetesObject {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly spec: { readonly selector: Readonly<Record<string, string>> };
}

function twoClusters() {
  const clock = virtualClock();
  const pods = merged(clock, { eu: [podIn('eu')], 'us:1': [podIn('us')] }, { node: indexByNode });
  const nodes = merged(
    clock,
    { eu: [nodeIn('eu')], 'us:1': [nodeIn('us')] },
    { zone: (node) => node.metadata.labels?.['zone'], name: (node) => node.metadata.name },
  );
  const services = merged(clock, { eu: [serviceIn('eu')], 'us:1': [serviceIn('us')] });
  return { pods, nodes, services };
}

/** Returns the rows of a running collection by key. */
function rowsOf<R>(collection: derived.DerivedCollection<R>): Readonly<Record<string, R>> {
  if (!collection.isRunning) collection.connect();
  const rows: Record<string, R> = {};
  collection.snapshot.forEach(({ key, object }) => (rows[key] = object));
  return rows;
}

const uid = (object: { readonly metadata: { readonly uid?: string } } | undefined) => object?.metadata.uid;

describe('derived collections over several clusters', () => {
  it.each(['namespace', 'cluster'] as const)('selectorJoin within %s selects objects of the own cluster', (within) => {
    const { pods, services } = twoClusters();
    const join = { selector: derived.serviceSelector, within };
    const selected = derived.selectorJoin(services.informer, pods.informer, join);
    const podsOf = (key: string) => selected.byIndex('selectedBy', key).map(({ object }) => uid(object));
    rowsOf(selected);
    expect([podsOf('eu:web/api'), podsOf('us%3A1:web/api')]).toEqual([['eu-a'], ['us-a']]);
    pods.send('us:1', added(podIn('us', 'b')));
    services.send('eu', deleted(serviceIn('eu')));
    expect([podsOf('eu:web/api'), podsOf('us%3A1:web/api')]).toEqual([[], ['us-a', 'us-b']]);

    const across = derived.selectorJoin(services.informer, pods.informer, { ...join, across: true });
    expect(Object.values(rowsOf(across)).map(({ selectedBy }) => selectedBy)).toEqual([
      ['us%3A1:web/api'],
      ['us%3A1:web/api'],
      ['us%3A1:web/api'],
    ]);
  });

  it.each([
    ['an index', 'node' as const],
    ['a function', indexByNode],
  ])('leftJoin on %s finds the object of the own cluster', (_, on) => {
    const { pods, nodes } = twoClusters();
    const zoneOf = (_pod: unknown, node: ReturnType<typeof nodeIn> | undefined) => ({
      zone: node?.metadata.labels?.['zone'] ?? 'none',
    });
    const placed = derived.leftJoin(pods.informer, nodes.informer, { on, select: zoneOf });
    const byName = derived.leftJoin(pods.informer, nodes.informer, { on, to: 'name', select: zoneOf });
    for (const each of [placed, byName]) {
      expect(rowsOf(each)).toEqual({ 'eu:web/a': { zone: 'eu-1' }, 'us%3A1:web/a': { zone: 'us-1' } });
    }
    nodes.send('us:1', modified(nodeIn('us', 'us-2')));
    nodes.send('eu', deleted(nodeIn('eu')));
    for (const each of [placed, byName]) {
      expect(rowsOf(each)).toEqual({ 'eu:web/a': { zone: 'none' }, 'us%3A1:web/a': { zone: 'us-2' } });
    }
    const across = derived.leftJoin(pods.informer, nodes.informer, {
      on: () => 'us%3A1:node-1',
      select: zoneOf,
      across: true,
    });
    expect(rowsOf(across)).toEqual({ 'eu:web/a': { zone: 'us-2' }, 'us%3A1:web/a': { zone: 'us-2' } });
  });

  it.each([
    ['an index', 'node' as const],
    ['a function', indexByNode],
  ])('groupJoin on %s collects the objects of the own cluster', (_, on) => {
    const { pods, nodes } = twoClusters();
    const select = (_node: unknown, all: readonly ReturnType<typeof podIn>[]) => all.map(uid);
    const load = derived.groupJoin(nodes.informer, pods.informer, { on, select });
    const byName = derived.groupJoin(nodes.informer, pods.informer, { on, to: 'name', select });
    for (const each of [load, byName]) {
      expect(rowsOf(each)).toEqual({ 'eu:node-1': ['eu-a'], 'us%3A1:node-1': ['us-a'] });
    }
    pods.send('eu', added(podIn('eu', 'b')));
    pods.send('us:1', deleted(podIn('us')));
    for (const each of [load, byName]) {
      expect(rowsOf(each)).toEqual({ 'eu:node-1': ['eu-a', 'eu-b'], 'us%3A1:node-1': [] });
    }
    const across = derived.groupJoin(nodes.informer, pods.informer, { on, to: 'name', select, across: true });
    expect(rowsOf(across)).toEqual({ 'eu:node-1': ['eu-a', 'eu-b'], 'us%3A1:node-1': ['eu-a', 'eu-b'] });
  });

  it.each([
    ['an index', 'node' as const],
    ['a function', indexByNode],
  ])('groupBy and distinct by %s make one row for each cluster', (_, by) => {
    const { pods } = twoClusters();
    const perNode = derived.groupBy(pods.informer, by, { pods: derived.count() });
    const inUse = derived.distinct(pods.informer, by);
    const row = { group: 'node-1', pods: 1 };
    expect(rowsOf(perNode)).toEqual({ 'eu:node-1': row, 'us%3A1:node-1': row });
    expect(rowsOf(inUse)).toMatchObject({
      'eu:node-1': { value: 'node-1', object: { metadata: { uid: 'eu-a' } } },
      'us%3A1:node-1': { value: 'node-1', object: { metadata: { uid: 'us-a' } } },
    });
    pods.send('us:1', deleted(podIn('us')));
    expect(rowsOf(perNode)).toEqual({ 'eu:node-1': row });
    expect(Object.keys(rowsOf(inUse))).toEqual(['eu:node-1']);
    pods.send('us:1', added(podIn('us')));
    const across = derived.groupBy(pods.informer, by, { pods: derived.count() }, { across: true });
    expect(rowsOf(across)).toEqual({ 'node-1': { group: 'node-1', pods: 2 } });
    expect(rowsOf(derived.distinct(pods.informer, by, { across: true }))).toMatchObject({
      'node-1': { object: { metadata: { uid: 'eu-a' } } },
    });
  });

  it('rows keep their cluster through chains of operators', () => {
    const { pods, nodes, services } = twoClusters();
    const running = derived.map(
      derived.filter(pods.informer, ({ status }) => status?.phase === 'Running'),
      (pod) => pod,
      { indexers: { node: indexByNode } },
    );
    const both = derived.union([running, pods.informer], { indexers: { node: indexByNode } });
    const containers = derived.flatMap(both, (pod) => [['main', pod]]);
    const perNode = derived.groupBy(containers, indexByNode, { containers: derived.count() });
    const counted = derived.leftJoin(nodes.informer, perNode, {
      on: (node) => node.metadata.name,
      select: (node, group) => [uid(node), group?.containers],
    });
    expect(rowsOf(counted)).toEqual({ 'eu:node-1': ['eu-node', 1], 'us%3A1:node-1': ['us-node', 1] });

    const selected = derived.selectorJoin(services.informer, both, {
      selector: derived.serviceSelector,
      within: 'namespace',
    });
    const perService = derived.groupJoin(services.informer, selected, {
      on: 'selectedBy',
      select: (service, rows) => [uid(service), ...rows.map(({ object }) => uid(object))],
    });
    expect(rowsOf(perService)).toEqual({ 'eu:web/api': ['eu-api', 'eu-a'], 'us%3A1:web/api': ['us-api', 'us-a'] });
    const endpoints = derived.groupBy(selected, 'selectedBy', { pods: derived.count() });
    expect(Object.keys(rowsOf(endpoints))).toEqual(['eu:web/api', 'us%3A1:web/api']);
    const sized = derived.leftJoin(services.informer, endpoints, {
      on: metaNamespaceKey,
      select: (service, group) => [uid(service), group?.pods],
    });
    expect(rowsOf(sized)).toEqual({ 'eu:web/api': ['eu-api', 1], 'us%3A1:web/api': ['us-api', 1] });
  });

  it('on, by, selector, select and compute receive the key last, also to join with a collection of the clusters', () => {
    const { pods, nodes, services } = twoClusters();
    const regions = createIndexer<{ readonly cluster: string; readonly region: string }>(({ cluster }) => cluster);
    regions.replace([
      { cluster: 'eu', region: 'Europe' },
      { cluster: 'us:1', region: 'America' },
    ]);
    const clusterOf = (_: unknown, key: string) => splitPartitionedKey(key).partition;
    const located = derived.leftJoin(pods.informer, regions, {
      on: clusterOf,
      select: (_pod, at, key) => [key, at?.region],
    });
    expect(rowsOf(located)).toEqual({
      'eu:web/a': ['eu:web/a', 'Europe'],
      'us%3A1:web/a': ['us%3A1:web/a', 'America'],
    });
    const perRegion = derived.groupJoin(regions, nodes.informer, {
      on: clusterOf,
      select: (_at, all, key) => [key, ...all.map(uid)],
    });
    expect(rowsOf(perRegion)).toEqual({ eu: ['eu', 'eu-node'], 'us:1': ['us:1', 'us-node'] });
    const perCluster = derived.groupBy(pods.informer, clusterOf, { pods: derived.count() }, { across: true });
    expect(Object.keys(rowsOf(perCluster))).toEqual(['eu', 'us:1']);
    expect(Object.keys(rowsOf(derived.distinct(pods.informer, clusterOf, { across: true })))).toEqual(['eu', 'us:1']);
    const last = derived.limit(pods.informer, { by: (_pod, key) => key, count: 1 });
    expect(Object.keys(rowsOf(last))).toEqual(['us%3A1:web/a']);
    const selected = derived.selectorJoin(services.informer, pods.informer, {
      selector: (service, key) => (key === 'eu:web/api' ? derived.serviceSelector(service) : undefined),
      within: 'namespace',
      select: (_pod, all, key) => ({ key, by: all.map(uid) }),
    });
    expect(Object.values(rowsOf(selected)).map(({ key, by }) => [key, by])).toEqual([
      ['eu:web/a', ['eu-api']],
      ['us%3A1:web/a', []],
    ]);
    const read = derived.derive(pods.informer, { nodes: nodes.informer }, (pod, { nodes: all }, key) =>
      uid(all.get(key.replace('web/a', pod.spec?.nodeName ?? ''))),
    );
    expect(rowsOf(read)).toEqual({ 'eu:web/a': 'eu-node', 'us%3A1:web/a': 'us-node' });
  });
});
