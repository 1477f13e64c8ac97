import type { Collection, KubernetesNode, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';

/** One row for each node: its pods, and the CPU that they request of what the node offers. */
export function podsPerNode(nodes: Collection<KubernetesNode>, pods: Collection<Pod>) {
  const active = derived.filter(pods, ({ status }) => !['Succeeded', 'Failed'].includes(status?.phase ?? ''));
  const used = derived.groupBy(active, (pod) => pod.spec?.nodeName, {
    pods: derived.count(),
    cpu: derived.sum(requestsOf),
  });
  return derived.leftJoin(nodes, used, {
    on: (node) => node.metadata.name,
    select: ({ metadata, status }, load) => ({
      node: metadata.name,
      pods: load?.pods ?? 0,
      requested: load?.cpu ?? 0,
      allocatable: cpuIn(status?.allocatable),
    }),
  });
}

/** The CPU that the scheduler reserves for a pod, as terms of a sum. */
function requestsOf({ spec }: Pod): readonly number[] {
  const sidecars: number[] = [];
  let start: readonly number[] = [];
  for (const { resources, restartPolicy } of spec?.initContainers ?? []) {
    // An init container runs alone, except for the sidecars before it.
    const cpu = cpuIn(resources?.requests);
    start = larger(start, [...sidecars, cpu]);
    if (restartPolicy === 'Always') sidecars.push(cpu);
  }
  const containers = spec?.containers.map(({ resources }) => cpuIn(resources?.requests)) ?? [];
  return [...larger(start, [...sidecars, ...containers]), cpuIn(spec?.overhead)];
}

function larger(one: readonly number[], other: readonly number[]): readonly number[] {
  const total = (terms: readonly number[]): number => terms.reduce((sum, term) => sum + term, 0);
  return total(one) > total(other) ? one : other;
}

function cpuIn(resources: Readonly<Record<string, string>> | undefined): number {
  return derived.quantity(resources?.['cpu'] ?? 0);
}
