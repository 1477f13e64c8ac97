import {
  configMaps,
  indexByNode,
  indexByOwner,
  informer,
  listWatch,
  mergeSources,
  nodes,
  pods,
  services,
} from 'rx-informers';
import { controller, setControllerReference } from 'rx-informers/controller';
import * as derived from 'rx-informers/derived';
import { partitionedKey, splitPartitionedKey } from 'rx-informers/store';
import { connect, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { startRig, type Rig } from '../support/rig.js';

let rigs: readonly Rig[] = [];
let eu: Cluster;
let us: Cluster;
beforeAll(async () => {
  rigs = await Promise.all([startRig(), startRig({ kind: 'kube120' })]);
  [eu, us] = rigs.map(({ kubeConfigFile }) => connect(kubeConfigFile)) as [Cluster, Cluster];
});
afterAll(() => Promise.all(rigs.map((rig) => rig.stop())));

const containers = [{ name: 'main', image: 'example.com/main' }];
const aPod = (name: string) => ({
  metadata: { namespace: 'default', name, labels: { app: 'x' } },
  spec: { nodeName: 'worker-1', automountServiceAccountToken: false, containers },
});

describe('derived collections over two API servers', () => {
  it('keep objects with the same names apart, and combine them with across: true', async () => {
    for (const cluster of [eu, us]) {
      await cluster.create(nodes, { metadata: { name: 'worker-1' } });
      const ports = [{ port: 80 }];
      await cluster.create(services, {
        metadata: { namespace: 'default', name: 'x' },
        spec: { selector: { app: 'x' }, ports },
      });
      await cluster.create(pods, aPod('a'));
    }
    await us.create(pods, aPod('b'));

    const keyOf = partitionedKey();
    const podSource = mergeSources({ eu: listWatch(eu.client, pods), us: listWatch(us.client, pods) });
    const allPods = informer(podSource, { keyOf, indexers: { node: indexByNode } });
    const allNodes = informer(mergeSources({ eu: listWatch(eu.client, nodes), us: listWatch(us.client, nodes) }), {
      keyOf,
    });
    const serviceSource = mergeSources({ eu: listWatch(eu.client, services), us: listWatch(us.client, services) });
    const perNode = derived.groupBy(allPods, 'node', { pods: derived.count() });
    const load = derived.leftJoin(allNodes, perNode, {
      on: (node) => node.metadata.name,
      select: (_node, group, key) => ({ key, pods: group?.pods ?? 0 }),
    });
    const selected = derived.selectorJoin(informer(serviceSource, { keyOf }), allPods, {
      selector: derived.serviceSelector,
      within: 'namespace',
    });
    const podsOf = (service: string) => selected.indexKeys('selectedBy', service);
    const perApp = derived.groupBy(
      allPods,
      ({ metadata }) => metadata.labels?.['app'],
      { pods: derived.count() },
      { across: true },
    );

    const running = [load, selected, perApp].map((each) => each.connect());
    await Promise.all([load, selected, perApp].map((each) => each.whenSynced()));
    expect(load.list()).toEqual([
      { key: 'eu:worker-1', pods: 1 },
      { key: 'us:worker-1', pods: 2 },
    ]);
    expect([podsOf('eu:default/x'), podsOf('us:default/x')]).toEqual([
      ['eu:default/a'],
      ['us:default/a', 'us:default/b'],
    ]);
    expect(perApp.list()).toEqual([{ group: 'x', pods: 3 }]);

    await eu.create(pods, aPod('c'));
    await eventually(load.get$('eu:worker-1'), (row) => row?.pods === 2);
    expect(load.get('us:worker-1')).toEqual({ key: 'us:worker-1', pods: 2 });
    expect(podsOf('eu:default/x')).toEqual(['eu:default/a', 'eu:default/c']);
    for (const each of running) each.unsubscribe();
  });
});

describe('a controller over two API servers', () => {
  it('sends 200 writes to the cluster of the reconciled object, and none to the other cluster', async () => {
    const parentsOf = 25;
    const childrenOf = 4;
    const clusters = { eu, us };
    await Promise.all(
      Object.values(clusters).flatMap((cluster) =>
        Array.from({ length: parentsOf }, (_, index) => {
          const metadata = { namespace: 'default', name: `parent-${index}`, labels: { role: 'parent' } };
          return cluster.create(configMaps, { metadata });
        }),
      ),
    );
    const keyOf = partitionedKey();
    const sources = (role: string) => {
      const input = { labelSelector: `role=${role}` };
      return mergeSources({ eu: listWatch(eu.client, configMaps, input), us: listWatch(us.client, configMaps, input) });
    };
    const parents = informer(sources('parent'), { keyOf });
    const children = informer(sources('child'), { keyOf, indexers: { owner: indexByOwner } });
    const failed: unknown[] = [];
    const running = controller({
      for: parents,
      owns: [children],
      client: (partition) => (clusters as Readonly<Record<string, Cluster>>)[partition]?.client,
      concurrency: 8,
      reconcile: async ({ key, object: parent, clientOf, signal }) => {
        if (!parent) return;
        const { partition } = splitPartitionedKey(key);
        const { uid, name } = parent.metadata;
        const missing = childrenOf - children.byIndex('owner', uid).length;
        const labels = { role: 'child', cluster: partition };
        const child = { metadata: { namespace: 'default', generateName: `${name}-`, labels } };
        for (let count = 0; count < missing; count++) {
          await clientOf(configMaps).create(setControllerReference(parent, child, { resource: configMaps }), {
            signal,
          });
        }
      },
    }).subscribe((event) => {
      if (event.type === 'failed' || event.type === 'released') failed.push(event);
    });
    await eventually(children.list$(), (list) => list.length === 2 * parentsOf * childrenOf);
    running.unsubscribe();

    const labelled = children.snapshot;
    expect(failed).toEqual([]);
    for (const partition of ['eu', 'us']) {
      const own = labelled.keys().filter((key) => key.startsWith(`${partition}:`));
      expect(own).toHaveLength(parentsOf * childrenOf);
      expect(own.filter((key) => labelled.get(key)?.metadata.labels?.['cluster'] !== partition)).toEqual([]);
    }
  });
});
