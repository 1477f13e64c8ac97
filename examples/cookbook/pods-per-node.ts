import type { Collection, KubernetesNode, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** One row for each node: its pods, and the CPU that they request of what the node offers. */
export function podsPerNode(nodes: Collection<KubernetesNode>, pods: Collection<Pod>) {
  const active = derived.filter(pods, ({ status }) => !['Succeeded', 'Failed'].includes(status?.phase ?? ''));
  const used = derived.groupBy(active, (pod) => pod.spec?.nodeName, {
    pods: derived.count(),
    cpu: derived.sum((pod: Pod) =>
      pod.spec?.containers.map(({ resources }) => derived.quantity(resources?.requests?.['cpu'] ?? 0)),
    ),
  });
  return derived.leftJoin(nodes, used, {
    on: (node) => node.metadata.name,
    select: ({ metadata, status }, load) => ({
      node: metadata.name,
      pods: load?.pods ?? 0,
      requested: load?.cpu ?? 0,
      allocatable: derived.quantity(status?.allocatable?.['cpu'] ?? 0),
    }),
  });
}
