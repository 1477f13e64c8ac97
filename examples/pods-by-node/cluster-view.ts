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
  type Node,
  type Pod,
  type SourceStatus,
} from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** What the pods of an app, or of a node, come to. */
export interface Load {
  readonly group: string;
  readonly pods: number;
  readonly phases: derived.Tally<string>;
  /** The CPUs that they request. */
  readonly cpu: number;
}

/** The load of a node, and what the node says of itself; nothing if it is not known. */
export interface NodeLoad extends Load {
  readonly zone?: string | undefined;
  /** The CPUs that pods may request. */
  readonly capacity?: number | undefined;
}

/** Everything that is shown, as collections. */
export interface ClusterView {
  readonly podInformer: Informer<Pod>;
  readonly nodeInformer: Informer<Node>;
  readonly nodes: Collection<NodeLoad>;
  readonly apps: Collection<Load>;
}

/**
 * Groups the pods by app and by node, and joins each node with what its pods come to.
 *
 * A role that is confined to a namespace may not list nodes. The pods are shown all the same: the
 * nodes count as an empty list then, so zone and capacity are missing, and so are nodes without pods.
 *
 * @param namespace only the pods of this namespace, also in the load of the nodes. Default: all
 */
export function clusterView(client: KubeClient, namespace?: string): ClusterView {
  const podInformer = informer(listWatch(client, pods, namespace === undefined ? {} : { namespace }), {
    indexers: { node: indexByNode, app: indexByLabel('app') },
  });
  // A merge of one: `startWithout` is what lets it begin without a list.
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
    // A pod may be on a node that is not known, or not known yet.
    nodes: derived.union([known, perNode]),
    apps: derived.groupBy(podInformer, 'app', load),
  };
}

/** Returns what the containers of a pod request until it has finished. Init containers and overhead are left out. */
function requestedCpu({ spec, status }: Pod): readonly number[] {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return [];
  return spec?.containers.map(({ resources }) => derived.quantity(resources?.requests?.['cpu'] ?? 0)) ?? [];
}

/** Counts the pods of a load by what they do: they run, they are about to, or neither. */
export function phasesOf({ pods: all, phases }: Load): Readonly<Record<'running' | 'pending' | 'other', number>> {
  const { Running: running = 0, Pending: pending = 0 } = phases;
  return { running, pending, other: all - running - pending };
}

/** Returns how much CPU is requested, and of how much where that is known. */
export function describeCpu({ cpu, capacity }: NodeLoad): string {
  return capacity === undefined ? String(cpu) : `${cpu} of ${capacity}`;
}

/** Returns what a source is doing, in words. */
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
