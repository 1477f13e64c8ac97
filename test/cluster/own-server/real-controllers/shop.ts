import { isDeepStrictEqual } from 'node:util';
import {
  configMaps,
  deployments,
  events,
  ingresses,
  jobs,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  services,
  statefulSets,
  type KubernetesEvent,
  type Pod,
  type Resource,
} from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { persistentVolumes, secrets } from 'rx-informers/resources';
import type { Cluster, Manifest, NamedObject } from '../../support/cluster.js';
import { helmAnnotations, helmSecret, helmSecretName } from './helm.js';
import { betaBudgets, versionOf, type Answers, type Lists, type Question, type Rows } from './questions.js';

/** A cluster with a shop in one namespace, and objects with the same names in another. */
export interface Shop {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly other: string;
  /** Returns the present objects. */
  readonly lists: () => Lists;
}

/** A change of the shop, and what shows that the answers follow it. */
export interface Change {
  readonly name: string;
  readonly make: (shop: Shop) => Promise<void>;
  readonly shows: (answers: Answers, shop: Shop) => boolean;
}

export const changes: readonly Change[] = [
  {
    name: 'at rest',
    make: furnish,
    shows: (answers, { namespace }) =>
      matches(answers['Deployments that are not available'], {
        [`${namespace}/broken`]: { wanted: 2, available: 0, reasons: { ImagePullBackOff: 2 } },
      }) &&
      matches(answers['budgets that are violated'][`${namespace}/broken`], { healthy: 0, demanded: 2 }) &&
      readyOf(answers, `${namespace}/main/web`) === 3 &&
      readyOf(answers, `${namespace}/main/store`) === 2 &&
      answers['images in use']['db:1'] === 3 &&
      hasKeys(answers, 'claims that no pod mounts', [`${namespace}/left`]),
  },
  {
    name: 'a Deployment is scaled up, and a StatefulSet down',
    make: async ({ cluster, namespace }) => {
      await cluster.patch(deployments, named(namespace, 'web'), { spec: { replicas: 5 } });
      await cluster.patch(statefulSets, named(namespace, 'db'), { spec: { replicas: 1 } });
    },
    shows: (answers, { namespace }) =>
      readyOf(answers, `${namespace}/main/web`) === 5 &&
      hasKeys(answers, 'claims that no pod mounts', [`${namespace}/data-db-1`]),
  },
  {
    name: 'a rollout of a container that crashes',
    make: ({ cluster, namespace }) => rollOut(cluster, namespace, { image: 'web:2', crash: 'true' }),
    shows: (answers, { namespace }) => {
      const row = answers['Deployments that are not available'][`${namespace}/web`];
      const { reasons } = (row ?? { reasons: {} }) as { readonly reasons: Readonly<Record<string, number>> };
      return (reasons['CrashLoopBackOff'] ?? 0) > 1 && hasKeys(answers, 'images in use', ['web:1', 'web:2']);
    },
  },
  {
    name: 'a rollout that repairs it',
    make: ({ cluster, namespace }) => rollOut(cluster, namespace, { image: 'web:3', crash: null }),
    shows: (answers, { namespace }) =>
      lacksKeys(answers, 'Deployments that are not available', [`${namespace}/web`]) &&
      matches(answers['images in use'], { 'web:1': 1, 'web:2': undefined, 'web:3': 5 }) &&
      readyOf(answers, `${namespace}/main/web`) === 5,
  },
  {
    name: 'two pods crash',
    make: async (shop) => {
      for (const pod of podsOf(shop, 'web').slice(0, 2)) {
        await shop.cluster.patch(pods, pod, { metadata: { annotations: { 'fake/crash': 'true' } } });
        await shop.cluster.create(events, kubeletEvent(pod, scheduledAt(shop, pod)));
      }
    },
    shows: (answers, { namespace, lists }) =>
      lists()
        .events.filter(isKubeletEvent)
        .every((event) => isLast(answers, event)) &&
      matches(answers['budgets that are violated'][`${namespace}/web`], { healthy: 3, demanded: 4 }) &&
      matches(answers['Deployments that are not available'][`${namespace}/web`], {
        wanted: 5,
        available: 3,
        reasons: { CrashLoopBackOff: 2 },
      }),
  },
  {
    name: 'pods and a Service get other labels',
    make: async (shop) => {
      for (const pod of podsOf(shop, 'web').filter(isCrashing))
        await shop.cluster.patch(pods, pod, { metadata: { labels: { app: 'released' } } });
      const [event] = shop.lists().events.filter(isKubeletEvent);
      if (event !== undefined) await shop.cluster.patch(events, event, { count: 2, lastTimestamp: now() });
      await shop.cluster.patch(services, named(shop.namespace, 'db'), { spec: { selector: { app: 'nothing' } } });
    },
    shows: (answers, { namespace }) =>
      hasKeys(answers, 'Services that select nothing', [`${namespace}/db`]) &&
      lacksKeys(answers, 'Services that select nothing', [`${namespace}/released`]) &&
      lacksKeys(answers, 'budgets that are violated', [`${namespace}/web`]) &&
      lacksKeys(answers, 'Deployments that are not available', [`${namespace}/web`]),
  },
  {
    name: 'a node moves to another zone, and another node has none',
    make: async ({ cluster }) => {
      const moved = (zone: string | null) => ({ metadata: { labels: { 'topology.kubernetes.io/zone': zone } } });
      await cluster.patch(nodes, { metadata: { name: 'node-1' } }, moved('zone-0'));
      await cluster.patch(nodes, { metadata: { name: 'node-2' } }, moved(null));
    },
    shows: (answers) =>
      matches(answers['nodes beside their zone']['node-1'], { zone: 'zone-0', nodes: 2, ofZone: 15 }) &&
      matches(answers['nodes beside their zone']['node-2'], { zone: undefined, nodes: undefined }),
  },
  {
    name: 'an upgrade of a Helm release removes a Service and adds a Deployment',
    make: async ({ cluster, namespace }) => {
      const store = { name: 'store', namespace };
      const old = named(namespace, helmSecretName({ ...store, version: 1 }));
      await cluster.create(deployments, deployment(namespace, 'cache', 1, { annotations: helmAnnotations(store) }));
      await cluster.remove(services, named(namespace, 'store'));
      await cluster.patch(secrets, old, { metadata: { labels: { status: 'superseded' } } });
      const objects = ['store', 'cache'].map((name) => ['Deployment', name] as const);
      await cluster.create(secrets, helmSecret({ ...store, version: 2, objects }));
    },
    shows: (answers, { namespace }) =>
      matches(answers['backends of an Ingress'][`${namespace}/main/store`], { exists: false, ready: 0 }) &&
      helmTexts(answers).filter((text) => text.endsWith(`owner helm:${namespace}/store`)).length === 2,
  },
  {
    name: 'a mounted claim, a Service, a ConfigMap and a Deployment are deleted',
    make: async ({ cluster, namespace }) => {
      await cluster.remove(persistentVolumeClaims, named(namespace, 'data-db-0'));
      await cluster.remove(services, named(namespace, 'web'));
      await cluster.remove(configMaps, named(namespace, 'unused'));
      await removeAll(cluster, deployments, `${namespace}/broken`, 'Foreground');
    },
    shows: (answers, { namespace }) =>
      // A controller keeps the claim until no pod mounts it.
      lacksKeys(answers, 'claims that no pod mounts', [`${namespace}/data-db-0`]) &&
      hasKeys(answers, 'ConfigMaps that nothing refers to', [`${namespace}/broken`]) &&
      lacksKeys(answers, 'ConfigMaps that nothing refers to', [`${namespace}/unused`]) &&
      lacksKeys(answers, 'Deployments that are not available', [`${namespace}/broken`]) &&
      matches(answers['backends of an Ingress'][`${namespace}/main/web`], { exists: false, ready: 0 }),
  },
  {
    name: 'a StatefulSet is deleted, and a pod that nothing replaces',
    make: async ({ cluster, namespace }) => {
      await removeAll(cluster, statefulSets, `${namespace}/db`, 'Background');
      await cluster.remove(pods, named(namespace, 'loose'));
    },
    shows: (answers, { namespace, lists }) =>
      lists().claims.every(({ metadata }) => metadata.namespace !== namespace || metadata.name !== 'data-db-0') &&
      hasKeys(answers, 'ConfigMaps that nothing refers to', [`${namespace}/projected`]),
  },
  {
    name: 'a Helm release is uninstalled, and a namespace is deleted',
    make: async ({ cluster, namespace, other }) => {
      for (const name of ['store', 'cache'])
        await removeAll(cluster, deployments, `${namespace}/${name}`, 'Background');
      for (const version of [1, 2])
        await cluster.remove(secrets, named(namespace, helmSecretName({ name: 'store', version })));
      await cluster.remove(namespaces, { metadata: { name: other } });
    },
    shows: (answers, { other, lists }) =>
      !Object.keys(answers['Helm releases']).some((key) => key.startsWith('helm:')) &&
      Object.values(lists()).every((objects: readonly NamedObject[]) =>
        objects.every(({ metadata }) => metadata.namespace !== other),
      ),
  },
];

/** Creates the objects about which the questions are. */
async function furnish({ cluster, namespace, other }: Shop): Promise<void> {
  const store = { name: 'store', namespace };
  const objects = ['Service', 'Deployment'].map((kind) => [kind, 'store'] as const);
  const all: readonly (readonly [Resource<unknown>, ...Manifest[]])[] = [
    [persistentVolumes, ...[0, 1, 2, 3, 4].map(volume)],
    [
      configMaps,
      ...['in-volume', 'projected', 'keyed', 'broken', 'unused'].map((name) => ({ metadata: { namespace, name } })),
      { metadata: { namespace: other, name: 'keyed' } },
    ],
    [persistentVolumeClaims, claim(namespace, 'data'), claim(namespace, 'left'), claim(other, 'data')],
    [
      deployments,
      deployment(namespace, 'web', 3, { volumes: [{ name: 'settings', configMap: { name: 'in-volume' } }] }),
      deployment(namespace, 'broken', 2, {
        fake: { 'fake/image-error': 'true' },
        envFrom: [{ configMapRef: { name: 'broken' } }],
      }),
      deployment(namespace, 'store', 2, { annotations: helmAnnotations(store) }),
      deployment(other, 'web', 1),
    ],
    [statefulSets, database(namespace)],
    [jobs, migration(namespace)],
    [pods, loosePod(namespace)],
    [
      services,
      service(namespace, 'web', { app: 'web' }),
      service(namespace, 'store', { app: 'store' }, helmAnnotations(store)),
      service(namespace, 'db', { app: 'db' }),
      service(namespace, 'released', { app: 'released' }),
      { metadata: { namespace, name: 'external' }, spec: { type: 'ExternalName', externalName: 'example.com' } },
      service(other, 'db', { app: 'db' }),
    ],
    [
      betaBudgets,
      budget(namespace, 'web', { minAvailable: '80%' }),
      budget(namespace, 'broken', { maxUnavailable: 0 }),
      budget(other, 'web', { minAvailable: 1 }),
    ],
    [ingresses, ingress(namespace), ingress(other)],
    [secrets, helmSecret({ ...store, version: 1, objects })],
  ];
  for (const [kind, ...manifests] of all) for (const manifest of manifests) await cluster.create(kind, manifest);
}

interface DeploymentParts {
  readonly annotations?: object;
  /** Annotations that steer the program that runs the pods. */
  readonly fake?: object;
  readonly envFrom?: readonly object[];
  readonly volumes?: readonly object[];
}

function deployment(
  namespace: string,
  name: string,
  replicas: number,
  { annotations = {}, fake = {}, envFrom = [], volumes = [] }: DeploymentParts = {},
): Manifest {
  const labels = { app: name };
  const containers = [
    { name: 'main', image: `${name}:1`, resources: { requests: { cpu: '150m' } }, envFrom },
    { name: 'log', image: 'log:1', resources: { requests: { cpu: '0.05' } } },
  ];
  const init = { name: 'init', image: 'init:1', resources: { requests: { cpu: '300m' } } };
  const spec = { initContainers: [init], containers, volumes };
  return {
    metadata: { namespace, name, ...{ annotations } },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels, annotations: fake }, spec } },
  };
}

function database(namespace: string): Manifest {
  const labels = { app: 'db' };
  const containers = [{ name: 'main', image: 'db:1', resources: { requests: { cpu: '1' } } }];
  return {
    metadata: { namespace, name: 'db' },
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec }],
    },
  };
}

function migration(namespace: string): Manifest {
  const containers = [{ name: 'main', image: 'migration:1', resources: { requests: { cpu: '2' } } }];
  return {
    metadata: { namespace, name: 'migration' },
    spec: { template: { spec: { restartPolicy: 'Never', containers } } },
  };
}

function loosePod(namespace: string): Manifest {
  const env = [{ name: 'KEY', valueFrom: { configMapKeyRef: { name: 'keyed', key: 'key', optional: true } } }];
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'settings', projected: { sources: [{ configMap: { name: 'projected' } }] } },
  ];
  return {
    metadata: { namespace, name: 'loose' },
    spec: { containers: [{ name: 'main', image: 'db:1', env }], volumes },
  };
}

const claimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
  storageClassName: '',
};

function claim(namespace: string, name: string): Manifest {
  return { metadata: { namespace, name }, spec: claimSpec };
}

function volume(number: number): Manifest {
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } };
  return { metadata: { name: `volume-${number}` }, spec };
}

function service(namespace: string, name: string, selector: object, annotations: object = {}): Manifest {
  return { metadata: { namespace, name, ...{ annotations } }, spec: { selector, ports: [{ port: 80 }] } };
}

function budget(namespace: string, app: string, demand: object): Manifest {
  return { metadata: { namespace, name: app }, spec: { selector: { matchLabels: { app } }, ...demand } };
}

/** The Service `store` is in one namespace only. */
function ingress(namespace: string): Manifest {
  const backend = (name: string) => ({ service: { name, port: { number: 80 } } });
  const paths = ['web', 'store'].map((name) => ({ path: `/${name}`, pathType: 'Prefix', backend: backend(name) }));
  return {
    metadata: { namespace, name: 'main' },
    spec: { defaultBackend: backend('web'), rules: [{ http: { paths } }] },
  };
}

/** An event of a pod as a kubelet writes it. Its times are whole seconds. */
function kubeletEvent({ metadata: { namespace = '', name, uid } }: Pod, time: string): Manifest {
  return {
    metadata: { namespace, name: `${name}.back-off` },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    type: 'Warning',
    reason: 'BackOff',
    source: { component: 'kubelet' },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

function isKubeletEvent({ source }: KubernetesEvent): boolean {
  return source?.component === 'kubelet';
}

/** Returns the second in which the scheduler wrote that it has found a node for the pod. */
function scheduledAt({ lists }: Shop, { metadata }: Pod): string {
  const event = lists().events.find(
    ({ reason, involvedObject }) => reason === 'Scheduled' && involvedObject.uid === metadata.uid,
  );
  return wholeSeconds(event?.eventTime ?? '');
}

function now(): string {
  return wholeSeconds(new Date().toISOString());
}

function wholeSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}

async function rollOut(
  cluster: Cluster,
  namespace: string,
  { image, crash }: { readonly image: string; readonly crash: 'true' | null },
): Promise<void> {
  const client = resourceClient(cluster.client, deployments);
  const { spec } = await client.get(`${namespace}/web`);
  const containers = spec?.template.spec?.containers.map((each) => (each.name === 'main' ? { ...each, image } : each));
  const template = { metadata: { annotations: { 'fake/crash': crash } }, spec: { containers } };
  await client.patch(`${namespace}/web`, { spec: { template } });
}

async function removeAll(
  cluster: Cluster,
  of: Resource<NamedObject>,
  key: string,
  propagationPolicy: 'Background' | 'Foreground',
): Promise<void> {
  await resourceClient(cluster.client, of).delete(key, { propagationPolicy });
}

function named(namespace: string, name: string): NamedObject {
  return { metadata: { namespace, name } };
}

function podsOf({ namespace, lists }: Shop, app: string): readonly Pod[] {
  return lists().pods.filter(
    ({ metadata }) =>
      metadata.namespace === namespace && metadata.labels?.['app'] === app && metadata.deletionTimestamp === undefined,
  );
}

function isCrashing({ metadata }: Pod): boolean {
  return metadata.annotations?.['fake/crash'] === 'true';
}

function readyOf(answers: Answers, backend: string): number | undefined {
  return (answers['backends of an Ingress'][backend] as { readonly ready: number } | undefined)?.ready;
}

function isLast(answers: Answers, event: KubernetesEvent): boolean {
  return answers['last event of each object'][event.involvedObject.uid ?? ''] === versionOf(event);
}

function helmTexts(answers: Answers): readonly string[] {
  return Object.values(answers['Helm releases']) as readonly string[];
}

function hasKeys(answers: Answers, question: Question, keys: readonly string[]): boolean {
  return keys.every((key) => key in answers[question]);
}

function lacksKeys(answers: Answers, question: Question, keys: readonly string[]): boolean {
  return keys.every((key) => !(key in answers[question]));
}

/** Returns true if a row has these fields with these values. */
function matches(row: unknown, fields: Rows): boolean {
  const values = (row ?? {}) as Rows;
  return Object.entries(fields).every(([name, value]) => isDeepStrictEqual(values[name], value));
}
