import type { Collection, KubernetesNode } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** One row for each node: its CPU, beside the nodes and the CPU of its zone. */
export function zoneShares(nodes: Collection<KubernetesNode>) {
  const zones = derived.groupBy(nodes, zoneOf, { nodes: derived.count(), cpu: derived.sum(cpuOf) });
  return derived.leftJoin(nodes, zones, {
    on: zoneOf,
    select: (node, zone) => ({ zone: zoneOf(node), nodes: zone?.nodes, cpu: cpuOf(node), ofZone: zone?.cpu }),
  });
}

function zoneOf({ metadata }: KubernetesNode): string | undefined {
  return metadata.labels?.['topology.kubernetes.io/zone'];
}

function cpuOf({ status }: KubernetesNode): number {
  return derived.quantity(status?.allocatable?.['cpu'] ?? 0);
}
