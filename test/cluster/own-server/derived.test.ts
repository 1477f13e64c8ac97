import { indexByNode, informer, nodes, pods, serviceAccounts, type KubernetesNode, type Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { resourceClient } from 'rx-informers/requests';
import { randomFromSeed } from 'rx-informers/testing';
import { connect, type Cluster } from '../support/cluster.js';
import { eventually } from '../support/eventually.js';
import { follow } from '../support/follower.js';
import { kubectlGet } from '../support/kubectl.js';
import { startRig, type Rig } from '../support/rig.js';

const zoneLabel = 'topology.kubernetes.io/zone';
const nodeNames = Array.from({ length: 6 }, (_, index) => `worker-${index}`);
const podNames = Array.from({ length: 40 }, (_, index) => `p${index}`);

let rig: Rig;
let cluster: Cluster;
beforeAll(async () => {
  rig = await startRig();
  cluster = connect(rig.kubeConfigFile);
});
afterAll(() => rig.stop());

describe('derived collections with a real API server', () => {
  it('J2: a join and a count equal what kubectl shows, after pods and nodes churned and the server restarted', async () => {
    const namespace = await cluster.createNamespace();
    await cluster.create(serviceAccounts, { metadata: { namespace, name: 'default' } }).catch(() => undefined);
    const podInformer = informer(cluster.client, pods, { namespace, indexers: { node: indexByNode } });
    const nodeInformer = informer(cluster.client, nodes);
    const placed = derived.leftJoin(podInformer, nodeInformer, {
      on: 'node',
      select: (pod, node) => ({ pod: pod.metadata.name, zone: zoneOf(node) }),
    });
    const byZone = derived.groupBy(placed, ({ zone }) => zone, { pods: derived.count() });
    const followed = follow(placed);
    const followedZones = follow(byZone);
    await placed.whenSynced();

    const random = randomFromSeed(15);
    await Promise.all([churn(namespace, random, 300), rig.restart()]);
    await churn(namespace, random, 100);
    // The last write has arrived, so the caches are as new as the server.
    const marker = aPodOn(namespace, 'last', 'worker-0');
    await cluster.create(pods, marker);
    await cluster.create(nodes, { metadata: { name: 'last' } });
    await eventually(placed.get$(`${namespace}/last`), (row) => row !== undefined);
    await eventually(nodeInformer.get$('last'), (node) => node !== undefined);

    const actualNodes = new Map(
      (await kubectlGet(cluster, nodes, namespace)).map((node) => [node.metadata.name, node]),
    );
    const actual = (await kubectlGet(cluster, pods, namespace)).map((pod) => ({
      pod: pod.metadata.name,
      zone: zoneOf(actualNodes.get(pod.spec?.nodeName ?? '')),
    }));
    expect(placed.list()).toEqual(actual);
    const zones = [...new Set(actual.map(({ zone }) => zone))].sort();
    expect(byZone.list()).toEqual(
      zones.map((zone) => ({ group: zone, pods: actual.filter((row) => row.zone === zone).length })),
    );
    expect(actual.length).toBeGreaterThan(5);
    expect([followed.contradictions, followedZones.contradictions]).toEqual([[], []]);
    expect([...followed.objects.values()]).toHaveLength(placed.snapshot.size);
  });
});

function zoneOf(node: KubernetesNode | undefined): string {
  return node?.metadata.labels?.[zoneLabel] ?? 'unknown';
}

function aPodOn(namespace: string, name: string, node: string) {
  const containers = [{ name: 'main', image: 'example.com/main' }];
  return { metadata: { namespace, name }, spec: { nodeName: node, automountServiceAccountToken: false, containers } };
}

/**
 * Creates, changes and deletes random pods and nodes; skips a write that fails because the server
 * is down.
 */
async function churn(namespace: string, random: () => number, writes: number): Promise<void> {
  const podClient = resourceClient<Pod>(cluster.client, pods);
  const nodeClient = resourceClient<KubernetesNode>(cluster.client, nodes);
  const pick = <V>(values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
  const write = async (): Promise<unknown> => {
    const kind = random();
    if (kind < 0.15) return nodeClient.delete(pick(nodeNames));
    if (kind < 0.4) {
      const labels = { [zoneLabel]: pick(['a', 'b', 'c']) };
      const name = pick(nodeNames);
      return nodeClient
        .create({ metadata: { name, labels } })
        .catch(() => nodeClient.patch(name, { metadata: { labels } }));
    }
    if (kind < 0.6) return podClient.delete(`${namespace}/${pick(podNames)}`, { gracePeriodSeconds: 0 });
    return cluster.create(pods, aPodOn(namespace, pick(podNames), pick(nodeNames)));
  };
  for (let done = 0; done < writes; done += 1) await write().catch(() => undefined);
}
