import { timeText, type Json } from './objects.js';

/** A node of the demo. */
export interface DemoNode {
  readonly name: string;
  readonly zone: string;
  readonly pool: string;
  readonly createdAt: number;
  is: 'ready' | 'lost';
  /** The pressure that the node reports, if any. */
  pressure?: 'MemoryPressure' | 'DiskPressure' | undefined;
  /** The start of the current abnormal condition. */
  since: number;
}

const pools = [
  { name: 'general', machine: 'e2-standard-16', cpu: '16', memory: '64Gi' },
  { name: 'memory', machine: 'n2-highmem-16', cpu: '16', memory: '128Gi' },
  { name: 'spot', machine: 'e2-standard-8', cpu: '8', memory: '32Gi' },
] as const;

const zones = ['europe-west1-b', 'europe-west1-c', 'europe-west1-d'] as const;

/** Returns the nodes. Most are in the general pool, one in six is a spot machine. */
export function makeNodes(count: number, suffix: (length: number) => string, now: number): readonly DemoNode[] {
  const groups = new Map<string, string>();
  return Array.from({ length: count }, (_, index) => {
    const pool = index % 6 === 5 ? 'spot' : index % 4 === 3 ? 'memory' : 'general';
    const zone = zones[index % zones.length] ?? zones[0];
    const group = groups.get(`${pool} ${zone}`) ?? suffix(8);
    groups.set(`${pool} ${zone}`, group);
    return {
      name: `gke-prod-eu-${pool}-${group}-${suffix(4)}`,
      zone,
      pool,
      createdAt: now - (3 + index) * 86_400_000,
      is: 'ready',
      since: now - (3 + index) * 86_400_000,
    };
  });
}

/**
 * Returns the node as the API server stores it.
 *
 * @param isCordoned whether the user cordoned the node
 */
export function nodeObject(node: DemoNode, isCordoned: boolean, now: number): Json {
  const { name, zone, pool, createdAt, is, pressure, since } = node;
  const { machine, cpu, memory } = pools.find((known) => known.name === pool) ?? pools[0];
  const answers = is === 'ready';
  const heartbeat = timeText(answers ? now : since - 40_000);
  const condition = (type: string, status: string, reason: string, at = createdAt): Json => ({
    type,
    status,
    reason,
    lastHeartbeatTime: heartbeat,
    lastTransitionTime: timeText(at),
  });
  const lost = { effect: 'NoExecute', timeAdded: timeText(since) };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: timeText(createdAt),
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': machine,
        'topology.kubernetes.io/region': 'europe-west1',
        'topology.kubernetes.io/zone': zone,
        'cloud.google.com/gke-nodepool': pool,
      },
    },
    spec: {
      ...(isCordoned ? { unschedulable: true } : {}),
      ...(answers ? {} : { taints: [{ key: 'node.kubernetes.io/unreachable', ...lost }] }),
    },
    status: {
      capacity: { cpu, memory, pods: '110' },
      allocatable: { cpu, memory, pods: '110' },
      nodeInfo: {
        kubeletVersion: 'v1.36.1',
        osImage: 'Container-Optimized OS',
        containerRuntimeVersion: 'containerd://2.1.4',
      },
      conditions: [
        ...(['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const).map((type) =>
          answers
            ? condition(
                type,
                pressure === type ? 'True' : 'False',
                pressure === type ? `KubeletHas${type}` : 'KubeletHasNoPressure',
                pressure === type ? since : createdAt,
              )
            : condition(type, 'Unknown', 'NodeStatusUnknown', since),
        ),
        answers
          ? condition('Ready', 'True', 'KubeletReady', since)
          : condition('Ready', 'Unknown', 'NodeStatusUnknown', since),
      ],
    },
  };
}
