import type { Pod } from 'rx-informers';

/** What the map colours pods by, in the order of the legend. */
export const podPhases = ['running', 'pending', 'failing', 'failed', 'terminating', 'succeeded', 'unknown'] as const;

export type PodPhase = (typeof podPhases)[number];

const known: ReadonlyMap<string, PodPhase> = new Map([
  ['Running', 'running'],
  ['Pending', 'pending'],
  ['Succeeded', 'succeeded'],
  ['Failed', 'failed'],
]);

/** Reasons for which a container waits while nothing is wrong. */
const starting: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** `status.phase`, and what it does not say: that a pod goes, or that its containers cannot run. */
export function podPhase(pod: Pod): PodPhase {
  if (pod.metadata.deletionTimestamp !== undefined) return 'terminating';
  if (troubleOf(pod) !== undefined) return 'failing';
  return known.get(pod.status?.phase ?? '') ?? 'unknown';
}

/** The word in the table: the most exact one that the object has. */
export function podStatusText(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return troubleOf(pod) ?? (pod.status?.reason || pod.status?.phase || 'Unknown');
}

function troubleOf({ status }: Pod): string | undefined {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return containers
    .map(({ state }) => state?.waiting?.reason)
    .find((reason) => reason !== undefined && !starting.has(reason));
}

export function restartsOf({ status }: Pod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
}

/** Containers that are ready, and all. */
export function readinessOf({ spec, status }: Pod): { readonly ready: number; readonly all: number } {
  const ready = (status?.containerStatuses ?? []).filter((container) => container.ready).length;
  return { ready, all: spec?.containers.length ?? 0 };
}
