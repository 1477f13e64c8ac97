import {
  indexByLabel,
  indexByNode,
  informer,
  listWatch,
  mergeSources,
  nodes,
  pods,
  type Collection,
  type Informer,
  type KubeClient,
  type KubernetesNode,
  type Pod,
  type SourceStatus,
} from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** The totals of the pods of an app, or of a node. */
export interface Load {
  readonly group: string;
  readonly pods: number;
  readonly phases: derived.Tally<string>;
  /** The CPUs that the pods request. */
  readonly cpu: number;
}

/** The load of a node, and facts about the node if it is known. */
export interface NodeLoad extends Load {
  readonly zone?: string | undefined;
  /** The CPUs that pods may request. */
  readonly capacity?: number | undefined;
}

/** The collections that are shown. */
export interface ClusterView {
  readonly podInformer: Informer<Pod>;
  readonly nodeInformer: Informer<KubernetesNode>;
  readonly nodes: Collection<NodeLoad>;
  readonly apps: Collection<Load>;
}

/**
 * Groups the pods by app and by node, and joins each node with the totals of its pods.
 *
 * A user whose Role is in one namespace may not list nodes. The pods are still shown. The list of
 * nodes then counts as empty, so zone and capacity are missing, and nodes without pods are not
 * shown.
 *
 * @param namespace the only namespace whose pods are read and counted in the load of nodes;
 * default: all
 */
export function clusterView(client: KubeClient, namespace?: string): ClusterView {
  const podInformer = informer(listWatch(client, pods, namespace === undefined ? {} : { namespace }), {
    indexers: { node: indexByNode, app: indexByLabel('app') },
  });
  // Uses `mergeSources` with only one source, because it has the option `startWithout`. If listing
  // is forbidden, the informer then starts with an empty list.
  const nodeInformer = informer(mergeSources({ nodes: listWatch(client, nodes) }, { startWithout: ['forbidden'] }));
  const load = {
    pods: derived.count<Pod>(),
    phases: derived.tally((pod: Pod) => pod.status?.phase),
    cpu: derived.sum(requestedCpu),
  };
  const perNode = derived.groupBy(podInformer, 'node', load);
  const known = derived.leftJoin(nodeInformer, perNode, {
    on: (node) => node.metadata.name,
    select: ({ metadata, status }, used): NodeLoad => {
      const cpu = status?.allocatable?.['cpu'];
      return {
        ...(used ?? { group: metadata.name, pods: 0, phases: {}, cpu: 0 }),
        zone: metadata.labels?.['topology.kubernetes.io/zone'],
        capacity: cpu === undefined ? undefined : derived.quantity(cpu),
      };
    },
  });
  return {
    podInformer,
    nodeInformer,
    // A pod may be on a node that the node informer does not have, or does not have yet.
    nodes: derived.union([known, perNode]),
    apps: derived.groupBy(podInformer, 'app', load),
  };
}

/**
 * Returns the CPU requests of the containers of a pod that has not finished. Ignores init
 * containers and overhead.
 */
function requestedCpu({ spec, status }: Pod): readonly number[] {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return [];
  return spec?.containers.map(({ resources }) => derived.quantity(resources?.requests?.['cpu'] ?? 0)) ?? [];
}

/** Counts the pods of a load that are running, pending or in any other phase. */
export function phasesOf({ pods: all, phases }: Load): Readonly<Record<'running' | 'pending' | 'other', number>> {
  const { Running: running = 0, Pending: pending = 0 } = phases;
  return { running, pending, other: all - running - pending };
}

/** Returns the requested CPUs as text, with the capacity if it is known. */
export function describeCpu({ cpu, capacity }: NodeLoad): string {
  return capacity === undefined ? String(cpu) : `${cpu} of ${capacity}`;
}

/** Returns the status of a source as text. */
export function describeStatus(status: SourceStatus, now: number): string {
  switch (status.state) {
    case 'listing': {
      const expected = status.expected === undefined ? '' : ` of ${status.expected}`;
      return `listing (${status.by}): ${status.received}${expected}`;
    }
    case 'watching':
      return 'watching';
    case 'reconnecting':
      return 'reconnecting';
    case 'backing-off':
    case 'forbidden':
    case 'not-found':
      return `${status.state}, try ${status.attempt} in ${Math.max(0, Math.ceil((status.until - now) / 1000))} s: ${status.cause.message}`;
    case 'stopped':
      return 'stopped';
  }
}
