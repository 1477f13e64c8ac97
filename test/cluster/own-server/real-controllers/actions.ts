import {
  daemonSets,
  deployments,
  jobs,
  pods,
  replicaSets,
  services,
  statefulSets,
  type Pod,
  type Resource,
} from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import type { Cluster, Manifest } from '../../support/cluster.js';
import { keyOf, type OwnedObject } from './answers.js';
import { barePod, containerPorts, jobOf, serviceForms, servicePorts, templateOf, workload } from './manifests.js';
import type { State } from './state.js';

/** The cluster and what is in it before an action. */
export interface Scene {
  readonly cluster: Cluster;
  readonly namespaces: readonly string[];
  readonly state: State;
  readonly random: () => number;
}

/**
 * Something that a user does. Resolves with the keys of what it wrote, or with undefined if the
 * cluster has no object for it.
 */
export type Action = (scene: Scene) => Promise<string | undefined>;

const appNames = ['d0', 'd1', 'd2'] as const;
const serviceNames = ['web', 'api', 'front', 'back'] as const;
const tiers = ['front', 'back'] as const;
const faultyPods = [{ 'fake/crash': 'true' }, { 'fake/image-error': 'true' }, { 'fake/unready': 'true' }] as const;
const podForms = [{}, {}, {}, { 'fake/linger': '1200' }, { 'fake/no-ip': 'true' }] as const;
const selectors = [
  { app: 'd0' },
  { app: 'd1' },
  { tier: 'front' },
  { tier: 'back', app: 'd2' },
  { tier: 'back' },
  { app: 'loose' },
] as const;

export const actions: Readonly<Record<string, Action>> = {
  'create a Deployment': async (scene) => {
    const { namespace, pick } = tools(scene);
    const taken = scene.state.deployments.filter(({ metadata }) => metadata.namespace === namespace);
    const name = appNames.find((each) => taken.every(({ metadata }) => metadata.name !== each));
    if (name === undefined) return undefined;
    const template = templateOf({ app: name, tier: pick(tiers), annotations: pick(podForms) });
    const spec = { replicas: 1 + pick([0, 1, 2]), progressDeadlineSeconds: pick([2, 600]) };
    return create(scene, deployments, workload(namespace, name, template, spec));
  },
  'scale a Deployment': (scene) =>
    patchOne(scene, deployments, scene.state.deployments, { spec: { replicas: tools(scene).pick([0, 1, 2, 3, 4]) } }),
  'roll out a Deployment': (scene) => {
    const { pick, number } = tools(scene);
    const { spec } = templateOf({ app: '', tier: '', image: number, port: pick(containerPorts) });
    const template = { metadata: { annotations: healthy }, spec: { containers: spec.containers } };
    return patchOne(scene, deployments, scene.state.deployments, { spec: { template } });
  },
  'roll out a broken Deployment': (scene) => {
    const { pick } = tools(scene);
    return patchOne(scene, deployments, scene.state.deployments, {
      spec: { template: { metadata: { annotations: pick(faultyPods) } } },
    });
  },
  'delete a Deployment': (scene) =>
    removeOne(scene, deployments, scene.state.deployments, tools(scene).pick(['Foreground', 'Background'])),
  'orphan the ReplicaSets of a Deployment': (scene) => removeOne(scene, deployments, scene.state.deployments, 'Orphan'),
  'delete an orphaned ReplicaSet, or orphan its pods, too': (scene) =>
    removeOne(
      scene,
      replicaSets,
      scene.state.replicaSets.filter(isOrphan),
      tools(scene).pick(['Orphan', 'Background', 'Foreground']),
    ),
  'release a pod': (scene) =>
    patchOne(scene, pods, scene.state.pods.filter(isOwned), { metadata: { labels: { app: 'loose' } } }),
  'let a loose pod be adopted': (scene) =>
    patchOne(scene, pods, scene.state.pods.filter(isLoose), {
      metadata: { labels: { app: tools(scene).pick(appNames) } },
    }),
  'delete a loose pod': (scene) => removeOne(scene, pods, scene.state.pods.filter(isLoose)),
  'move a pod to another tier': (scene) =>
    patchOne(scene, pods, scene.state.pods, { metadata: { labels: { tier: tools(scene).pick(tiers) } } }),
  'flip the readiness of a pod': async (scene) => {
    const pod = tools(scene).oneOf(scene.state.pods.filter(isRunning));
    if (pod === undefined) return undefined;
    const isUnready = pod.metadata.annotations?.['fake/unready'] === 'true';
    return patchOne(scene, pods, [pod], { metadata: { annotations: { 'fake/unready': isUnready ? null : 'true' } } });
  },
  'delete a pod': (scene) => removeOne(scene, pods, scene.state.pods),
  'delete a pod that ends slowly': async (scene) => {
    const pod = tools(scene).oneOf(scene.state.pods.filter(isRunning));
    if (pod === undefined) return undefined;
    await patchOne(scene, pods, [pod], { metadata: { annotations: { 'fake/linger': '4000' } } });
    return removeOne(scene, pods, [pod]);
  },
  'create a bare pod': (scene) => {
    const { namespace, pick, number } = tools(scene);
    const template = templateOf({ app: 'loose', tier: pick(tiers), annotations: pick(podForms) });
    return create(scene, pods, barePod(namespace, `bare-${number}`, template));
  },
  'create a Service': async (scene) => {
    const { namespace, pick } = tools(scene);
    const taken = scene.state.services.filter(({ metadata }) => metadata.namespace === namespace);
    const name = serviceNames.find((each) => taken.every(({ metadata }) => metadata.name !== each));
    if (name === undefined) return undefined;
    const spec = { selector: pick(selectors), ports: pick(servicePorts), ...pick(serviceForms) };
    return create(scene, services, { metadata: { namespace, name }, spec });
  },
  'delete a Service': (scene) => removeOne(scene, services, scene.state.services),
  'change the ports of a Service': (scene) =>
    patchOne(scene, services, scene.state.services, { spec: { ports: tools(scene).pick(servicePorts) } }),
  'change the selector of a Service': (scene) =>
    patchOne(scene, services, scene.state.services, {
      spec: { selector: { app: null, tier: null, ...tools(scene).pick(selectors) } },
    }),
  'remove the selector of a Service': (scene) =>
    patchOne(scene, services, scene.state.services, { spec: { selector: null } }),
  'publish addresses that are not ready, or stop it': (scene) =>
    patchOne(scene, services, scene.state.services, {
      spec: { publishNotReadyAddresses: tools(scene).pick([true, false]) },
    }),
  'create a Job': (scene) => {
    const { namespace, pick, number } = tools(scene);
    const annotations = pick([{}, {}, { 'fake/fail': 'true' }, { 'fake/complete-after': '900' }]);
    const template = templateOf({ app: 'job', tier: pick(tiers), annotations });
    const spec = { completions: pick([1, 2, undefined]), parallelism: pick([1, 2]), backoffLimit: 0 };
    return create(scene, jobs, jobOf(namespace, `job-${number}`, template, spec));
  },
  'delete a pod of a Job': (scene) => removeOne(scene, pods, scene.state.pods.filter(isOfJob)),
  'delete a Job': (scene) => removeOne(scene, jobs, scene.state.jobs, tools(scene).pick(['Background', 'Foreground'])),
  'create or scale a StatefulSet': async (scene) => {
    const { namespace, pick } = tools(scene);
    const replicas = pick([1, 2, 3]);
    const existing = scene.state.statefulSets.filter(({ metadata }) => metadata.namespace === namespace);
    if (existing.length > 0) return patchOne(scene, statefulSets, existing, { spec: { replicas } });
    const spec = { replicas, serviceName: 'web', podManagementPolicy: pick(['OrderedReady', 'Parallel']) };
    return create(scene, statefulSets, workload(namespace, 's0', templateOf({ app: 's0', tier: pick(tiers) }), spec));
  },
  'delete a StatefulSet': (scene) => removeOne(scene, statefulSets, scene.state.statefulSets, 'Background'),
  'create or roll out a DaemonSet': async (scene) => {
    const { namespace, pick, number } = tools(scene);
    const template = templateOf({ app: 'n0', tier: pick(tiers), image: number });
    const existing = scene.state.daemonSets.filter(({ metadata }) => metadata.namespace === namespace);
    if (existing.length > 0) return patchOne(scene, daemonSets, existing, { spec: { template } });
    return create(scene, daemonSets, workload(namespace, 'n0', template));
  },
  'delete a DaemonSet': (scene) => removeOne(scene, daemonSets, scene.state.daemonSets, 'Foreground'),
};

/** Creates what most actions change, with the same names and labels in each namespace. */
export async function furnish(cluster: Cluster, namespaces: readonly string[]): Promise<void> {
  for (const namespace of namespaces) {
    for (const [name, tier] of [
      ['d0', 'front'],
      ['d1', 'back'],
    ] as const) {
      const template = templateOf({ app: name, tier });
      await cluster.create(deployments, workload(namespace, name, template, { replicas: 2 }));
      const ports = [{ name: 'web', port: 80, targetPort: 'http' }];
      await cluster.create(services, { metadata: { namespace, name: tier }, spec: { selector: { tier }, ports } });
    }
    await cluster.create(jobs, jobOf(namespace, 'job', templateOf({ app: 'job', tier: 'back' }), { completions: 2 }));
  }
}

/** Annotations of a template, removed. */
const healthy = { 'fake/crash': null, 'fake/image-error': null, 'fake/unready': null };

function tools({ random, namespaces }: Scene) {
  const pick = <V>(values: readonly V[]): V => values[Math.floor(random() * values.length)] as V;
  return {
    pick,
    oneOf: <V>(values: readonly V[]): V | undefined => (values.length === 0 ? undefined : pick(values)),
    namespace: pick(namespaces),
    number: Math.floor(random() * 1e6),
  };
}

async function create(scene: Scene, of: Resource<unknown>, manifest: Manifest): Promise<string> {
  await scene.cluster.create(of, manifest);
  return `${manifest.metadata.namespace}/${manifest.metadata.name}`;
}

async function patchOne<T extends OwnedObject>(
  scene: Scene,
  of: Resource<T>,
  objects: readonly T[],
  patch: object,
): Promise<string | undefined> {
  const object = tools(scene).oneOf(objects);
  if (object === undefined) return undefined;
  await resourceClient<OwnedObject>(scene.cluster.client, of).patch(keyOf(object), patch);
  return keyOf(object);
}

async function removeOne<T extends OwnedObject>(
  scene: Scene,
  of: Resource<T>,
  objects: readonly T[],
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan',
): Promise<string | undefined> {
  const object = tools(scene).oneOf(objects);
  if (object === undefined) return undefined;
  const options = propagationPolicy === undefined ? {} : { propagationPolicy };
  await resourceClient<OwnedObject>(scene.cluster.client, of).delete(keyOf(object), options);
  return `${keyOf(object)}${propagationPolicy === undefined ? '' : ` (${propagationPolicy})`}`;
}

function isOrphan({ metadata }: OwnedObject): boolean {
  return (metadata.ownerReferences ?? []).length === 0;
}

function isOwned(pod: Pod): boolean {
  return !isOrphan(pod) && !isOfJob(pod);
}

function isLoose(pod: Pod): boolean {
  return isOrphan(pod) && pod.metadata.deletionTimestamp === undefined;
}

function isOfJob({ metadata }: Pod): boolean {
  return metadata.labels?.['job-name'] !== undefined;
}

function isRunning({ metadata, status }: Pod): boolean {
  return status?.phase === 'Running' && metadata.deletionTimestamp === undefined;
}
