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
  resource,
  services,
  type ConfigMap,
  type Deployment,
  type Informer,
  type Ingress,
  type KubeClient,
  type KubernetesEvent,
  type KubernetesNode,
  type PersistentVolumeClaim,
  type Pod,
  type ReplicaSet,
  type Resource,
  type Service,
} from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { resourceClient } from 'rx-informers/requests';
import type { PodDisruptionBudget } from 'rx-informers/resources';
import { merge, type Observable } from 'rxjs';
import { helmReleases } from '../../../../examples/cookbook/helm-releases.js';
import { idleServices } from '../../../../examples/cookbook/idle-services.js';
import { imagesInUse } from '../../../../examples/cookbook/images.js';
import { ingressBackends } from '../../../../examples/cookbook/ingress-backends.js';
import { lastEvents } from '../../../../examples/cookbook/last-events.js';
import { podsPerNode } from '../../../../examples/cookbook/pods-per-node.js';
import { unavailableDeployments } from '../../../../examples/cookbook/unavailable-deployments.js';
import { unmountedClaims } from '../../../../examples/cookbook/unmounted-claims.js';
import { unusedConfigMaps } from '../../../../examples/cookbook/unused-config-maps.js';
import { violatedBudgets } from '../../../../examples/cookbook/violated-budgets.js';
import { zoneShares } from '../../../../examples/cookbook/zone-shares.js';

/** The questions of the cookbook, in the order of its page. */
export const questions = [
  'pods per node',
  'Services that select nothing',
  'Deployments that are not available',
  'claims that no pod mounts',
  'images in use',
  'ConfigMaps that nothing refers to',
  'budgets that are violated',
  'backends of an Ingress',
  'last event of each object',
  'nodes beside their zone',
  'Helm releases',
] as const;
export type Question = (typeof questions)[number];

/** The rows of each answer by their keys. An object is represented by its `resourceVersion`. */
export type Answers = Readonly<Record<Question, Rows>>;
export type Rows = Readonly<Record<string, unknown>>;

/** The objects about which the questions are. */
export interface Lists {
  readonly nodes: readonly KubernetesNode[];
  readonly pods: readonly Pod[];
  readonly services: readonly Service[];
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly configMaps: readonly ConfigMap[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly ingresses: readonly Ingress[];
  readonly events: readonly KubernetesEvent[];
}

/** Kubernetes 1.20 serves PodDisruptionBudgets in this version only. The fields are the same. */
export const betaBudgets = resource<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1beta1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
});

const resources: { readonly [K in keyof Lists]: Resource<Lists[K][number]> } = {
  nodes,
  pods,
  services,
  deployments,
  replicaSets,
  claims: persistentVolumeClaims,
  configMaps,
  budgets: betaBudgets,
  ingresses,
  events,
};
const kinds = Object.keys(resources) as readonly (keyof Lists)[];

export type Inputs = { readonly [K in keyof Lists]: Informer<Lists[K][number]> };

export function inputsOf(client: KubeClient): Inputs {
  return Object.fromEntries(
    kinds.map((kind) => [kind, informer<unknown>(client, resources[kind])]),
  ) as unknown as Inputs;
}

/** Returns the present objects in the caches of informers. */
export function cached(inputs: Inputs): Lists {
  return Object.fromEntries(kinds.map((kind) => [kind, inputs[kind].list()])) as unknown as Lists;
}

/** Lists the objects at the API server. */
export async function listed(client: KubeClient): Promise<Lists> {
  const entries = kinds.map(async (kind) => [kind, await resourceClient<unknown>(client, resources[kind]).list()]);
  return Object.fromEntries(await Promise.all(entries)) as Lists;
}

/** The derived collections of the cookbook. */
export interface Cookbook {
  /** Emits whenever one of the collections, or one of their inputs, notifies its subscribers. */
  readonly notifications$: Observable<unknown>;
  answers(): Answers;
  whenSynced(): Promise<unknown>;
}

export function cookbookOf(inputs: Inputs): Cookbook {
  const { nodes, pods, services, deployments, replicaSets, claims, configMaps, budgets, ingresses, events } = inputs;
  const answers: Readonly<Record<Question, Answer>> = {
    'pods per node': answer(podsPerNode(nodes, pods)),
    'Services that select nothing': answer(idleServices(services, pods), versionOf),
    'Deployments that are not available': answer(unavailableDeployments(deployments, replicaSets, pods)),
    'claims that no pod mounts': answer(unmountedClaims(claims, pods), versionOf),
    'images in use': answer(imagesInUse(pods), ({ pods }) => pods),
    'ConfigMaps that nothing refers to': answer(unusedConfigMaps(configMaps, pods), versionOf),
    'budgets that are violated': answer(violatedBudgets(budgets, pods)),
    'backends of an Ingress': answer(ingressBackends(ingresses, services, pods)),
    'last event of each object': answer(lastEvents(events), ({ object }) => versionOf(object)),
    'nodes beside their zone': answer(zoneShares(nodes)),
    'Helm releases': answer(helmReleases({ deployments, services, replicaSets, pods }), ({ key, owner, edge }) =>
      `${key}: ${edge} ${owner ?? ''}`.trim(),
    ),
  };
  const collections = [...Object.values(inputs), ...Object.values(answers)];
  return {
    notifications$: merge(...collections.map(({ changes$ }) => changes$)),
    whenSynced: () => Promise.all(Object.values(answers).map((each) => each.whenSynced())),
    answers: () => Object.fromEntries(questions.map((question) => [question, answers[question].rows()])) as Answers,
  };
}

export function versionOf({ metadata }: { readonly metadata: { readonly resourceVersion?: string } }): string {
  return `resourceVersion ${metadata.resourceVersion}`;
}

interface Answer {
  readonly changes$: Observable<unknown>;
  rows(): Rows;
  whenSynced(): Promise<void>;
}

function answer<T>(
  collection: Pick<DerivedCollection<T>, 'changes$' | 'keys' | 'get' | 'whenSynced'>,
  view: (row: T) => unknown = (row) => row,
): Answer {
  return {
    changes$: collection.changes$,
    whenSynced: () => collection.whenSynced(),
    rows: () => Object.fromEntries(collection.keys().map((key) => [key, view(collection.get(key) as T)])),
  };
}
