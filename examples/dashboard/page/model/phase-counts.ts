import { podPhases, type PodPhase } from './pod-phase.js';

export type PhaseCounts = Readonly<Partial<Record<PodPhase, number>>>;

export function totalOf(counts: PhaseCounts): number {
  return podPhases.reduce((sum, phase) => sum + (counts[phase] ?? 0), 0);
}

export function areSameCounts(a: PhaseCounts, b: PhaseCounts): boolean {
  return podPhases.every((phase) => (a[phase] ?? 0) === (b[phase] ?? 0));
}

/** For example `12 pods: 10 running, 2 pending`. */
export function countsText(counts: PhaseCounts): string {
  const total = totalOf(counts);
  const parts = podPhases.filter((phase) => counts[phase]).map((phase) => `${counts[phase] ?? 0} ${phase}`);
  const pods = `${total} ${total === 1 ? 'pod' : 'pods'}`;
  return parts.length === 0 ? 'no pods' : `${pods}: ${parts.join(', ')}`;
}
