import type { Pod } from 'rx-informers';
import type { Tally } from 'rx-informers/derived';
import { podStatus, type PodStatusSummary } from 'rx-informers/resources';

/** The phases by which the map colours pods, trouble first, in the order of the legend. */
export const podPhases = ['failing', 'failed', 'unready', 'pending', 'terminating', 'running', 'succeeded'] as const;

export type PodPhase = (typeof podPhases)[number];

const summaries = new WeakMap<Pod, PodStatusSummary>();

/**
 * Returns the status that kubectl prints for a pod, and its severity. Computes it once for each
 * version of the pod. Computes it again with `now` if the pod has restarted, or if its grace period
 * ended before `now`.
 *
 * @param now the time that is shown; default: none, which omits the age of the last restart and
 * ignores the end of the grace period
 */
export function statusOf(pod: Pod, now?: number): PodStatusSummary {
  const known = summaries.get(pod) ?? podStatus(pod);
  summaries.set(pod, known);
  const isKnown = now !== undefined && (known.lastRestart !== undefined || (known.changesAt ?? Infinity) <= now);
  return isKnown ? podStatus(pod, { now }) : known;
}

/**
 * Returns the phase that determines the colour of a pod. It follows the severity, with two
 * distinctions: a progressing pod is pending or terminating, and a pod with a warning is unready or
 * pending.
 */
export function podPhase(pod: Pod, now?: number): PodPhase {
  const { severity } = isOverdue(pod, now) ? podStatus(pod, { now }) : statusOf(pod);
  switch (severity) {
    case 'failing':
    case 'failed':
      return severity;
    case 'warning':
      return pod.status?.phase === 'Running' ? 'unready' : 'pending';
    case 'progressing':
      return pod.metadata.deletionTimestamp === undefined ? 'pending' : 'terminating';
    case 'ok':
      return 'running';
    case 'done':
      return 'succeeded';
  }
  return severity satisfies never;
}

function isOverdue(pod: Pod, now = -Infinity): boolean {
  return now >= (statusOf(pod).changesAt ?? Infinity);
}

/** Returns the STATUS column of kubectl. */
export function podStatusText(pod: Pod): string {
  return statusOf(pod).reason;
}

export function restartsOf(pod: Pod): number {
  return statusOf(pod).restarts;
}

/** Returns the number of ready containers, and of all containers. */
export function readinessOf(pod: Pod): { readonly ready: number; readonly all: number } {
  const { ready, total } = statusOf(pod).ready;
  return { ready, all: total };
}

export interface PhaseCounts {
  readonly pods: number;
  readonly phases: Tally<PodPhase>;
}

/** Returns for example `12 pods: 10 running, 2 pending`. */
export function countsText({ pods, phases }: PhaseCounts): string {
  if (pods === 0) return 'no pods';
  const parts = podPhases.filter((phase) => phases[phase]).map((phase) => `${phases[phase] ?? 0} ${phase}`);
  return `${pods} ${pods === 1 ? 'pod' : 'pods'}: ${parts.join(', ')}`;
}
