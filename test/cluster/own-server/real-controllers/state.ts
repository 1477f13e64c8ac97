import {
  daemonSets,
  deployments,
  informer,
  jobs,
  pods,
  replicaSets,
  resource,
  services,
  statefulSets,
  type DaemonSet,
  type Deployment,
  type EndpointSlice,
  type Informer,
  type Job,
  type KubeClient,
  type Pod,
  type ReplicaSet,
  type Resource,
  type Service,
  type StatefulSet,
} from 'rx-informers';
import { resourceClient } from 'rx-informers/requests';
import { endpoints, type Endpoints } from 'rx-informers/resources';

/** The kinds that own pods, and the pods. */
export interface Owned {
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly jobs: readonly Job[];
  readonly pods: readonly Pod[];
}

/** The objects from which the answers are computed. */
export interface State extends Owned {
  readonly services: readonly Service[];
}

/** Everything that is compared, as the API server lists it. */
export interface ServerState extends State {
  readonly endpoints: readonly Endpoints[];
  readonly slices: readonly BetaSlice[];
}

/** An EndpointSlice of Kubernetes 1.20. */
export interface BetaSlice extends Omit<EndpointSlice, 'endpoints'> {
  readonly endpoints:
    | readonly (EndpointSlice['endpoints'][number] & { readonly topology?: Readonly<Record<string, string>> })[]
    | null;
}

const betaSlices = resource<BetaSlice>({
  group: 'discovery.k8s.io',
  version: 'v1beta1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
});

const resources: { readonly [K in keyof ServerState]: Resource<ServerState[K][number]> } = {
  services,
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  jobs,
  pods,
  endpoints,
  slices: betaSlices,
};

export type Inputs = { readonly [K in keyof ServerState]: Informer<ServerState[K][number]> };

/** Creates an informer for each kind. */
export function inputsOf(client: KubeClient): Inputs {
  return mapped((of) => informer(client, of)) as Inputs;
}

/** Returns the present objects of some namespaces in the caches of informers. */
export function stateOf(inputs: Inputs, namespaces: readonly string[]): ServerState {
  return mapped((_, kind) => inNamespaces<Namespaced>(inputs[kind].list(), namespaces)) as unknown as ServerState;
}

/** Lists the objects of some namespaces at the API server. */
export async function readServer(client: KubeClient, namespaces: readonly string[]): Promise<ServerState> {
  const lists = mapped(async (of) => inNamespaces(await resourceClient<Namespaced>(client, of).list(), namespaces));
  const kinds = Object.keys(lists) as (keyof ServerState)[];
  const read = await Promise.all(kinds.map(async (kind) => [kind, await lists[kind]] as const));
  return Object.fromEntries(read) as unknown as ServerState;
}

interface Namespaced {
  readonly metadata: { readonly namespace?: string | undefined };
}

function inNamespaces<T extends Namespaced>(objects: readonly T[], namespaces: readonly string[]): readonly T[] {
  return objects.filter(({ metadata }) => namespaces.includes(metadata.namespace ?? ''));
}

function mapped<V>(
  make: (of: Resource<Namespaced>, kind: keyof ServerState) => V,
): Readonly<Record<keyof ServerState, V>> {
  const entries = Object.entries(resources) as [keyof ServerState, Resource<Namespaced>][];
  return Object.fromEntries(entries.map(([kind, of]) => [kind, make(of, kind)])) as Record<keyof ServerState, V>;
}
