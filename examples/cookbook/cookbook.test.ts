import {
  configMaps,
  deployments,
  events,
  informer,
  ingresses,
  nodes,
  persistentVolumeClaims,
  pods,
  replicaSets,
  services,
  type Collection,
  type KubernetesObject,
  type Resource,
} from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { podDisruptionBudgets } from 'rx-informers/resources';
import { aConfigMap, aDeployment, aNode, aPod, aReplicaSet, createInMemoryApiServer } from 'rx-informers/testing';
import { VirtualTimeScheduler } from 'rxjs';
import { helmReleases } from './helm-releases.js';
import { idleServices } from './idle-services.js';
import { imagesInUse } from './images.js';
import { ingressBackends } from './ingress-backends.js';
import { lastEvents } from './last-events.js';
import { podsPerNode } from './pods-per-node.js';
import { unavailableDeployments } from './unavailable-deployments.js';
import { unmountedClaims } from './unmounted-claims.js';
import { unusedConfigMaps } from './unused-config-maps.js';
import { violatedBudgets } from './violated-budgets.js';
import { zoneShares } from './zone-shares.js';

const web = { labels: { app: 'web' } };

describe('the questions of the cookbook', () => {
  it('pods per node: counts running pods and their requests against what the node offers', () => {
    const { server, of, answerOf } = cluster();
    server.apply([aNode({ name: 'n1', capacity: { cpu: '4' } }), aNode({ name: 'n2', capacity: { cpu: '2500m' } })]);
    server.apply(aPod({ name: 'a', node: 'n1', requests: { cpu: '250m' } }));
    server.apply({ ...aPod({ name: 'done', node: 'n1', requests: { cpu: '1' } }), status: { phase: 'Succeeded' } });
    const answer = answerOf(podsPerNode(of(nodes), of(pods)));
    expect(answer()).toEqual({
      n1: { node: 'n1', pods: 1, requested: 0.25, allocatable: 4 },
      n2: { node: 'n2', pods: 0, requested: 0, allocatable: 2.5 },
    });
    server.apply(aPod({ name: 'b', node: 'n2', requests: { cpu: '2' } }));
    expect(answer()).toMatchObject({ n2: { pods: 1, requested: 2 } });
  });

  it('pods per node: init containers, sidecars and overhead count as in the scheduler', () => {
    const { server, of, answerOf } = cluster();
    const container = (name: string, cpu: string) => ({ name, image: 'x', resources: { requests: { cpu } } });
    const sidecar = { ...container('sidecar', '100m'), restartPolicy: 'Always' };
    const containers = [container('main', '200m'), container('log', '50m')];
    server.apply(aNode({ name: 'n1', capacity: { cpu: '4' } }));
    const answer = answerOf(podsPerNode(of(nodes), of(pods)));
    const requestedBy = (spec: object): unknown => {
      server.apply(specified(aPod({ name: 'a', node: 'n1' }), spec));
      return answer()['n1'];
    };
    expect(requestedBy({ containers, initContainers: [container('first', '100m')] })).toMatchObject({
      requested: 0.25,
    });
    expect(requestedBy({ containers, initContainers: [container('first', '1')] })).toMatchObject({ requested: 1 });
    expect(requestedBy({ containers, initContainers: [sidecar] })).toMatchObject({ requested: 0.35 });
    // The sidecar runs beside the init containers that follow it.
    const [small, large] = [container('small', '10m'), container('large', '300m')];
    expect(requestedBy({ containers, initContainers: [small, sidecar, large] })).toMatchObject({ requested: 0.4 });
    expect(requestedBy({ containers, initContainers: [large, sidecar] })).toMatchObject({ requested: 0.35 });
    expect(requestedBy({ containers, overhead: { cpu: '20m' } })).toMatchObject({ requested: 0.27 });
  });

  it('Services that select nothing: not those without a selector', () => {
    const { server, of, answerOf } = cluster();
    const service = (name: string, selector?: object) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default' },
      spec: { ...(selector !== undefined && { selector }), ports: [{ port: 80 }] },
    });
    server.apply([service('web', { app: 'web' }), service('db', { app: 'db' }), service('external')]);
    server.apply([aPod({ name: 'web-1', ...web }), aPod({ name: 'db-1', namespace: 'other', labels: { app: 'db' } })]);
    const answer = answerOf(idleServices(of(services), of(pods)));
    expect(Object.keys(answer())).toEqual(['default/db']);
    server.remove(pods, 'web-1', 'default');
    server.apply(aPod({ name: 'db-1', labels: { app: 'db' } }));
    expect(Object.keys(answer())).toEqual(['default/web']);
  });

  it('Deployments that are not available: with the states of their pods', () => {
    const { server, of, answerOf } = cluster();
    server.apply({ ...aDeployment({ name: 'web', replicas: 2 }), status: { availableReplicas: 1 } });
    server.apply({ ...aDeployment({ name: 'ok', replicas: 1 }), status: { availableReplicas: 1 } });
    const owner = (kind: string, resource: Resource<KubernetesObject>, name: string) => {
      const uid = server.objects.get<KubernetesObject>(resource, name, 'default')?.metadata?.uid ?? '';
      return [{ apiVersion: 'apps/v1', kind, name, uid, controller: true }];
    };
    server.apply(owned(aReplicaSet({ name: 'web-1', replicas: 2 }), owner('Deployment', deployments, 'web')));
    const bad = { state: { waiting: { reason: 'ImagePullBackOff' } }, name: 'main', ready: false, restartCount: 0 };
    server.apply(owned(aPod({ name: 'web-1-a', node: 'n1' }), owner('ReplicaSet', replicaSets, 'web-1')));
    const pod = owned(aPod({ name: 'web-1-b' }), owner('ReplicaSet', replicaSets, 'web-1'));
    server.apply({ ...pod, status: { phase: 'Pending', containerStatuses: [{ ...bad, image: 'x', imageID: '' }] } });
    const answer = answerOf(unavailableDeployments(of(deployments), of(replicaSets), of(pods)));
    expect(answer()).toEqual({ 'default/web': { wanted: 2, available: 1, reasons: { ImagePullBackOff: 1 } } });
  });

  it('claims that no pod mounts: also an ephemeral volume mounts one', () => {
    const { server, of, answerOf } = cluster();
    const claim = (name: string) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    server.apply([claim('data'), claim('left'), claim('db-scratch')]);
    const volumes = [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: claim('x') } },
    ];
    server.apply(specified(aPod({ name: 'db' }), { volumes }));
    const answer = answerOf(unmountedClaims(of(persistentVolumeClaims), of(pods)));
    expect(Object.keys(answer())).toEqual(['default/left']);
    server.remove(pods, 'db', 'default');
    expect(Object.keys(answer())).toEqual(['default/data', 'default/db-scratch', 'default/left']);
  });

  it('images in use: with the number of pods, of which each counts once', () => {
    const { server, of, answerOf } = cluster();
    const container = (name: string, image: string) => ({ name, image });
    const twice = [container('a', 'nginx:1.27'), container('b', 'nginx:1.27')];
    server.apply(specified(aPod({ name: 'one' }), { containers: twice, initContainers: [container('i', 'busybox')] }));
    server.apply(specified(aPod({ name: 'two' }), { containers: [container('a', 'nginx:1.27')] }));
    expect(answerOf(imagesInUse(of(pods)))()).toEqual({
      busybox: { group: 'busybox', pods: 1 },
      'nginx:1.27': { group: 'nginx:1.27', pods: 2 },
    });
  });

  it('ConfigMaps that nothing refers to: volumes, projections and the environment refer to them', () => {
    const { server, of, answerOf } = cluster();
    const names = ['volume', 'projected', 'env', 'env-from', 'unused', 'kube-root-ca.crt'];
    server.apply(names.map((name) => aConfigMap({ name })));
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'env', key: 'a' } } }];
    server.apply(
      specified(aPod({ name: 'pod' }), {
        volumes: [
          { name: 'a', configMap: { name: 'volume' } },
          { name: 'b', projected: { sources: [{ configMap: { name: 'projected' } }] } },
        ],
        containers: [{ name: 'main', image: 'x', env, envFrom: [{ configMapRef: { name: 'env-from' } }] }],
      }),
    );
    expect(Object.keys(answerOf(unusedConfigMaps(of(configMaps), of(pods)))())).toEqual(['default/unused']);
  });

  it('budgets that are violated: with the pods that are not healthy', () => {
    const { server, of, answerOf } = cluster();
    server.apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
      status: { desiredHealthy: 2, currentHealthy: 2, expectedPods: 2, disruptionsAllowed: 0 },
    });
    server.apply([ready('a', web), ready('b', web)]);
    const answer = answerOf(violatedBudgets(of(podDisruptionBudgets), of(pods)));
    expect(answer()).toEqual({});
    server.apply({ ...ready('b', web), status: { phase: 'Pending' } });
    expect(answer()).toEqual({ 'default/web': { healthy: 1, demanded: 2, unhealthy: ['b'] } });
  });

  it('backends of an Ingress: with their ready pods, also of a Service that does not exist', () => {
    const { server, of, answerOf } = cluster();
    const backend = (name: string) => ({ service: { name, port: { number: 80 } } });
    const path = (name: string) => ({ path: `/${name}`, pathType: 'Prefix', backend: backend(name) });
    server.apply({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'shop', namespace: 'default' },
      spec: { defaultBackend: backend('web'), rules: [{ http: { paths: [path('web'), path('missing')] } }] },
    });
    server.apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    server.apply([ready('a', web), { ...aPod({ name: 'b', ...web }), status: { phase: 'Pending' } }]);
    const answer = answerOf(ingressBackends(of(ingresses), of(services), of(pods)));
    expect(answer()).toEqual({
      'default/shop/missing': { service: 'default/missing', exists: false, ready: 0 },
      'default/shop/web': { service: 'default/web', exists: true, ready: 1 },
    });
    server.apply(ready('b', web));
    expect(answer()).toMatchObject({ 'default/shop/web': { ready: 2 } });
  });

  it('last event of each object: by the time that the event has', () => {
    const { server, of, answerOf } = cluster();
    const event = (name: string, uid: string, times: object) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: uid, uid },
      ...times,
    });
    server.apply([
      event('z', 'a', { lastTimestamp: '2026-01-01T00:00:01Z' }),
      event('b', 'a', { lastTimestamp: '2026-01-01T00:00:02Z' }),
      event('c', 'c', { eventTime: '2026-01-01T00:00:00.000000Z' }),
    ]);
    const answer = answerOf(lastEvents(of(events)));
    expect(answer()).toMatchObject({ a: { object: { metadata: { name: 'b' } } }, c: {} });
    server.apply(event('z', 'a', { lastTimestamp: '2026-01-01T00:00:03Z' }));
    expect(answer()).toMatchObject({ a: { object: { metadata: { name: 'z' } } } });
  });

  it('nodes beside their zone: with the totals of the zone', () => {
    const { server, of, answerOf } = cluster();
    server.apply([
      aNode({ name: 'n1', zone: 'a', capacity: { cpu: '4' } }),
      aNode({ name: 'n2', zone: 'a', capacity: { cpu: '12' } }),
      aNode({ name: 'n3' }),
    ]);
    expect(answerOf(zoneShares(of(nodes)))()).toMatchObject({
      n1: { zone: 'a', nodes: 2, cpu: 4, ofZone: 16 },
      n2: { zone: 'a', nodes: 2, cpu: 12, ofZone: 16 },
      n3: { zone: undefined, nodes: undefined, ofZone: undefined },
    });
  });

  it('Helm releases: with their objects, and below these what they own', () => {
    const { server, of, answerOf } = cluster();
    const release = { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'default' };
    const released = <T extends KubernetesObject>(object: T): T => ({
      ...object,
      metadata: { ...object.metadata, annotations: release },
    });
    server.apply([released(aDeployment({ name: 'web', replicas: 1 })), aDeployment({ name: 'other', replicas: 1 })]);
    const uid = server.objects.get<KubernetesObject>(deployments, 'web', 'default')?.metadata?.uid ?? '';
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid, controller: true };
    server.apply(released(owned(aReplicaSet({ name: 'web-1', replicas: 1 }), [owner])));
    const kinds = {
      deployments: of(deployments),
      services: of(services),
      replicaSets: of(replicaSets),
      pods: of(pods),
    };
    const tree = helmReleases(kinds);
    const answer = answerOf(tree);
    answer();
    expect(tree.roots().map(({ key }) => key)).toEqual(expect.arrayContaining(['default/shop', 'default/other']));
    expect(tree.roots()).toHaveLength(2);
    expect(tree.descendants('helm:default/shop').map(({ from, key }) => `${from} ${key}`)).toEqual([
      'deployments default/web',
      'replicaSets default/web-1',
    ]);
    server.remove(deployments, 'web', 'default');
    server.remove(replicaSets, 'web-1', 'default');
    expect(Object.keys(answer())).not.toContain('helm:default/shop');
  });
});

function ready(name: string, options: object): object {
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  return { ...aPod({ name, ...options }), status };
}

function owned<T extends KubernetesObject>(object: T, ownerReferences: readonly object[]): T {
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function specified<T extends { readonly spec?: object | undefined }>(object: T, spec: object): T {
  return { ...object, spec: { ...object.spec, ...spec } };
}

function cluster() {
  const scheduler = new VirtualTimeScheduler();
  const server = createInMemoryApiServer({ scheduler });
  const run = (): void => {
    scheduler.maxFrames = scheduler.frame + 1_000;
    scheduler.flush();
  };
  return {
    server,
    of: <T extends object>(resource: Resource<T>): Collection<T> => informer(server.client, resource),
    /** Starts a collection, and returns a function that returns its rows by key. */
    answerOf: (collection: Pick<DerivedCollection<unknown>, 'connect' | 'keys' | 'get'>) => {
      collection.connect();
      return (): Record<string, unknown> => {
        run();
        return Object.fromEntries(collection.keys().map((key) => [key, collection.get(key)]));
      };
    },
  };
}
