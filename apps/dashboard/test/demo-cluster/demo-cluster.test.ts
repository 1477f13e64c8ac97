import {
  deployments,
  events,
  jobs,
  nodes,
  pods,
  replicaSets,
  services,
  statefulSets,
  type Deployment,
  type KubernetesNode,
  type Pod,
  type ReplicaSet,
  type Resource,
  resource,
} from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { resourceClient } from 'rx-informers/requests';
import { nodeStatus, podStatus } from 'rx-informers/resources';
import { createInMemoryApiServer, randomFromSeed } from 'rx-informers/testing';
import { firstValueFrom, VirtualTimeScheduler } from 'rxjs';
import { requestJson } from '../../../../src/sources/client/kube-client.js';
import { demoScene, demoWorkload } from '../../demo-cluster/demo-workload.js';
import { demoLogs } from '../../demo-cluster/logs.js';

const begin = Date.parse('2026-03-01T12:00:00Z');

/** A demo cluster in virtual time. */
function startDemo(options: { nodes?: number; pods?: number; rate?: number; seed?: number } = {}) {
  const { nodes: nodeCount = 12, pods: podCount = 240, rate = 20, seed = 1 } = options;
  const scheduler = new VirtualTimeScheduler(undefined, 0);
  scheduler.now = () => begin + scheduler.frame;
  const server = createInMemoryApiServer({
    scheduler,
    random: randomFromSeed(seed),
    ...demoScene.serverOptions,
    podLogs: demoLogs(scheduler),
  });
  let steps = 0;
  const running = demoWorkload(server, {
    nodes: nodeCount,
    pods: podCount,
    rate,
    random: randomFromSeed(seed),
    scheduler,
  });
  const subscription = running.subscribe(() => (steps += 1));
  const list = <T>(kind: Resource<T>, namespace?: string): readonly T[] => server.objects.list(kind, namespace);
  return {
    server,
    list,
    subscription,
    steps: () => steps,
    advance: (seconds: number) => {
      scheduler.maxFrames = scheduler.frame + seconds * 1000;
      scheduler.flush();
    },
    summaries: () => list(pods).map((pod) => podStatus(pod, { now: scheduler.now() })),
    podsOf: (app: string) =>
      list(pods).filter(
        ({ metadata, status }) =>
          metadata.labels?.['app.kubernetes.io/name'] === app &&
          metadata.deletionTimestamp === undefined &&
          status?.phase !== 'Failed',
      ),
  };
}

describe('the demo cluster', () => {
  it('has as many nodes as requested, about as many pods, and everything that belongs to them', () => {
    const { list } = startDemo();
    expect(list(nodes)).toHaveLength(12);
    expect(Math.abs(list(pods).length - 240)).toBeLessThan(20);
    for (const kind of [deployments, replicaSets, statefulSets, services] as readonly Resource<unknown>[])
      expect(list(kind).length).toBeGreaterThan(3);
    const owners = new Set(list(pods).map(({ metadata }) => metadata.ownerReferences?.[0]?.kind));
    expect(owners).toEqual(new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet']));
    const uids = new Set(list(replicaSets).map(({ metadata }) => metadata.uid));
    const owned = list(pods).filter(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'ReplicaSet');
    expect(owned.filter(({ metadata }) => !uids.has(metadata.ownerReferences?.[0]?.uid ?? ''))).toEqual([]);
    expect(owned[0]?.metadata.name).toMatch(/^[a-z-]+-[b-z0-9]{10}-[b-z0-9]{5}$/);
    expect(owned[0]?.metadata.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'Helm' });
  });

  it('begins with pods that fail in every way, and most that work', () => {
    const { summaries } = startDemo();
    const reasons = new Set(summaries().map(({ reason }) => reason));
    for (const reason of [
      'OOMKilled',
      'ErrImagePull',
      'Init:Error',
      'CreateContainerConfigError',
      'Error',
      'Evicted',
      'Terminating',
      'Pending',
    ]) {
      expect(reasons).toContain(reason);
    }
    const severities = summaries().map(({ severity }) => severity);
    expect(new Set(severities)).toEqual(new Set(['ok', 'failing', 'failed', 'warning']));
    expect(severities.filter((severity) => severity === 'ok').length).toBeGreaterThan(215);
  });

  it('lets pods crash, initialize, complete and get lost over time', () => {
    const { advance, summaries } = startDemo({ pods: 100, rate: 8 });
    const seen = new Set<string>();
    for (let minute = 0; minute < 40; minute += 1) {
      advance(6);
      for (const { reason } of summaries()) seen.add(reason);
    }
    for (const reason of [
      'CrashLoopBackOff',
      'ImagePullBackOff',
      'Init:CrashLoopBackOff',
      'Init:0/1',
      'ContainerCreating',
      'Completed',
      'NodeLost',
    ]) {
      expect(seen).toContain(reason);
    }
  });

  it('repeats its history for the same seed, and has another one for another seed', () => {
    const story = (seed: number): string => {
      const { server, advance } = startDemo({ pods: 60, nodes: 4, seed });
      advance(20);
      return JSON.stringify(server.history(pods));
    };
    expect(story(3)).toBe(story(3));
    expect(story(3)).not.toBe(story(4));
  });

  it('makes as many changes a second as requested', () => {
    const { advance, steps, server } = startDemo({ rate: 50 });
    const before = Number(server.resourceVersion);
    advance(10);
    expect(steps()).toBe(501);
    // A write that changes nothing does not count. A replaced Event or Job counts as two writes.
    expect(Number(server.resourceVersion) - before).toBeGreaterThan(400);
  });

  it('rolls out new versions: one ReplicaSet grows while another one shrinks, and the Deployment stays available', () => {
    const { advance, list } = startDemo({ rate: 12 });
    const both = new Set<string>();
    let least = Infinity;
    for (let count = 0; count < 120; count += 1) {
      advance(1);
      const sets = list(replicaSets).filter(({ status }) => (status?.replicas ?? 0) > 0);
      for (const owner of new Set(sets.map(ownerOf)))
        if (sets.filter((set) => ownerOf(set) === owner).length > 1) both.add(owner);
      const web = list(deployments).find(({ metadata }) => metadata.name === 'storefront');
      least = Math.min(least, (web?.status?.readyReplicas ?? 0) / (web?.spec?.replicas ?? 1));
    }
    expect(both.size).toBeGreaterThan(0);
    expect(least).toBeGreaterThan(0.6);
  });

  it('has one node in trouble from time to time, which recovers', () => {
    const { advance, list } = startDemo({ pods: 100, rate: 8 });
    const troubles: number[] = [];
    for (let count = 0; count < 80; count += 1) {
      advance(5);
      troubles.push(list(nodes).filter((node: KubernetesNode) => nodeStatus(node).severity !== 'ok').length);
    }
    expect(Math.max(...troubles)).toBe(1);
    expect(Math.min(...troubles)).toBe(0);
  });

  it('writes Events about the objects to which something happens, in a limited number', () => {
    const { advance, list, server } = startDemo();
    advance(120);
    const known = new Set(server.history(pods).map(({ object }) => object.metadata.uid));
    const all = list(events);
    expect(all.length).toBeLessThanOrEqual(400);
    const ofPods = all.filter(({ involvedObject }) => involvedObject.kind === 'Pod' && involvedObject.uid !== '');
    expect(ofPods.length).toBeGreaterThan(50);
    expect(ofPods.filter(({ involvedObject }) => !known.has(involvedObject.uid ?? ''))).toEqual([]);
    const reasons = new Set(all.map(({ reason }) => reason));
    for (const reason of ['Scheduled', 'Started', 'Killing', 'BackOff', 'FailedScheduling', 'Unhealthy'])
      expect(reasons).toContain(reason);
    expect(all.some(({ count = 1 }) => count > 1)).toBe(true);
  });

  it('runs Jobs that complete, and some that fail', () => {
    const { advance, list } = startDemo({ pods: 100, rate: 8 });
    const ended = new Set<string>();
    for (let count = 0; count < 40; count += 1) {
      advance(15);
      for (const { status } of list(jobs)) {
        for (const { type } of status?.conditions ?? []) ended.add(type);
      }
    }
    expect(ended).toEqual(new Set(['Complete', 'Failed']));
    expect(list(jobs).length).toBeLessThanOrEqual(9);
  });

  it('records the field manager of each object', () => {
    const { list } = startDemo();
    const managersOf = (object: Pod | Deployment | undefined) =>
      object?.metadata.managedFields?.map(({ manager }) => manager);
    expect(managersOf(list(pods)[0])).toEqual(['kube-controller-manager', 'kubelet']);
    expect(managersOf(list(deployments)[0])).toEqual(['helm', 'kube-controller-manager']);
  });

  it('has a custom kind with printer columns', async () => {
    const { server, list } = startDemo();
    const databases = resource({
      group: 'data.example.com',
      version: 'v1',
      plural: 'databases',
      kind: 'Database',
      namespaced: true,
    });
    expect(list(databases)).toHaveLength(6);
    const table = await firstValueFrom(
      requestJson<{ columnDefinitions: readonly { name: string }[] }>(server.client, {
        method: 'GET',
        path: '/apis/data.example.com/v1/databases',
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      }),
    );
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual([
      'Name',
      'Engine',
      'Version',
      'Replicas',
      'Status',
      'Backup',
      'Age',
    ]);
  });

  it('has logs that continue while they are followed, and explain why a pod has crashed', () => {
    const { advance, server, list } = startDemo();
    const read = (pod: Pod | undefined, query = {}): { text: string } => {
      const log = { text: '' };
      const { namespace = '', name = '' } = pod?.metadata ?? {};
      const container = pod?.spec?.containers[0]?.name ?? '';
      const request = {
        method: 'GET',
        path: `/api/v1/namespaces/${namespace}/pods/${name}/log`,
        query: { container, ...query },
      } as const;
      server.client.exchange(request).subscribe((part) => {
        if (part.type === 'bytes') log.text += new TextDecoder().decode(part.bytes);
      });
      return log;
    };
    const of = (app: string): Pod | undefined =>
      list(pods).find(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === app);
    const database = of('postgres');
    const followed = read(database, { follow: true, tailLines: 5 });
    expect(followed.text.split('\n')).toHaveLength(6);
    const [before] = read(database, { tailLines: 1 }).text.split('\n');
    advance(60);
    const lines = followed.text.trim().split('\n');
    expect(lines.length).toBeGreaterThan(25);
    expect(lines).toContain(before);
    expect(read(database, { tailLines: lines.length }).text.trim().split('\n').slice(-20)).toEqual(lines.slice(-20));
    const crashed = list(pods).find(
      (pod) => podStatus(pod).reason === 'CrashLoopBackOff' || podStatus(pod).reason === 'Error',
    );
    expect(read(crashed).text).toContain('level=fatal');
  });

  it('stops when it is unsubscribed from, and leaves its objects', () => {
    const { advance, server, subscription } = startDemo({ pods: 40 });
    advance(5);
    subscription.unsubscribe();
    advance(0);
    const { resourceVersion } = server;
    advance(60);
    expect(Number(server.resourceVersion)).toBeLessThanOrEqual(Number(resourceVersion) + 2);
    expect(server.objects.list(pods).length).toBeGreaterThan(30);
  });
});

describe('the demo cluster reacts to a user', () => {
  it('that scales a Deployment', async () => {
    const { server, advance, podsOf } = startDemo();
    const client = resourceClient(server.client, deployments);
    const before = podsOf('cart').length;
    await client.patch('shop/cart', { spec: { replicas: before + 7 } });
    advance(40);
    expect(podsOf('cart')).toHaveLength(before + 7);
    await client.patch('shop/cart', { spec: { replicas: 2 } });
    advance(60);
    expect(podsOf('cart')).toHaveLength(2);
  });

  it('that restarts a Deployment, and keeps other edits', async () => {
    const { server, advance, podsOf } = startDemo();
    const client = resourceClient(server.client, deployments);
    const before = new Set(podsOf('grafana').map(({ metadata }) => metadata.uid));
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-03-01T12:00:00Z' };
    await client.patch('monitoring/grafana', {
      metadata: { annotations: { owner: 'alice' } },
      spec: { template: { metadata: { annotations } } },
    });
    advance(90);
    const after = podsOf('grafana');
    expect(after.filter(({ metadata }) => before.has(metadata.uid))).toEqual([]);
    expect(after).toHaveLength(before.size);
    const stored = server.objects.get<Deployment>(deployments, 'grafana', 'monitoring');
    expect(stored?.metadata.annotations).toMatchObject({ owner: 'alice' });
  });

  it('that deletes a pod: another one replaces it', async () => {
    const { server, advance, podsOf } = startDemo();
    const [pod] = podsOf('catalog');
    const before = podsOf('catalog').length;
    await resourceClient(server.client, pods).delete(`shop/${pod?.metadata.name ?? ''}`);
    advance(30);
    expect(server.objects.get(pods, pod?.metadata.name ?? '', 'shop')).toBeUndefined();
    expect(podsOf('catalog')).toHaveLength(before);
  });

  it('that cordons nodes: no pod is scheduled to them any more', async () => {
    const { server, advance, list } = startDemo();
    const [free, ...cordoned] = list(nodes).filter(
      ({ metadata }) => metadata.labels?.['cloud.google.com/gke-nodepool'] === 'general',
    );
    const client = resourceClient(server.client, nodes);
    for (const { metadata } of cordoned) await client.patch(metadata.name, { spec: { unschedulable: true } });
    advance(1);
    const before = new Set(list(pods).map(({ metadata }) => metadata.uid));
    advance(60);
    const names = new Set(cordoned.map(({ metadata }) => metadata.name));
    const fresh = list(pods).filter(
      ({ metadata }) => !before.has(metadata.uid) && metadata.ownerReferences?.[0]?.kind !== 'DaemonSet',
    );
    expect(fresh.length).toBeGreaterThan(5);
    expect(fresh.filter(({ spec }) => names.has(spec?.nodeName ?? ''))).toEqual([]);
    expect(list(nodes).filter(({ spec }) => spec?.unschedulable)).toHaveLength(cordoned.length);
    expect(free).toBeDefined();
  });

  it('that deletes a Deployment: its pods are deleted, and do not come back', async () => {
    const { server, advance, podsOf } = startDemo();
    await resourceClient(server.client, deployments).delete('media/images');
    advance(60);
    expect(podsOf('images')).toEqual([]);
    expect(server.objects.get(deployments, 'images', 'media')).toBeUndefined();
  });
});

describe('the demo cluster with metrics.k8s.io', () => {
  interface Measured {
    readonly metadata: { readonly name: string };
    readonly containers: readonly { readonly usage: { readonly cpu: string; readonly memory: string } }[];
  }
  const measured = async ({ server }: ReturnType<typeof startDemo>, of: string): Promise<readonly Measured[]> => {
    const path = `/apis/metrics.k8s.io/v1beta1/${of}`;
    const list = await firstValueFrom(requestJson(server.client, { method: 'GET', path }));
    return (list as { readonly items: readonly Measured[] }).items;
  };

  it('reports the usage of its nodes and running containers, which changes over time', async () => {
    const demo = startDemo();
    const before = await measured(demo, 'pods');
    expect(before.length).toBeGreaterThan(200);
    const amounts = before.flatMap(({ containers }) => containers.map(({ usage }) => derived.quantity(usage.cpu)));
    expect(Math.min(...amounts)).toBeGreaterThan(0);
    expect(Math.max(...amounts)).toBeLessThan(4);
    expect(await measured(demo, 'nodes')).toHaveLength(12);
    demo.advance(30);
    const after = new Map((await measured(demo, 'pods')).map((each) => [each.metadata.name, each]));
    const still = before.filter(({ metadata, containers }) => {
      const then = after.get(metadata.name);
      return then !== undefined && then.containers[0]?.usage.cpu === containers[0]?.usage.cpu;
    });
    expect(still).toEqual([]);
  });
});

function ownerOf({ metadata }: ReplicaSet): string {
  return `${metadata.namespace}/${metadata.ownerReferences?.[0]?.name ?? ''}`;
}
