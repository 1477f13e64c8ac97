import type { Tally } from 'rx-informers/derived';
import { podPhases, type PodPhase } from './pod-phase.js';

export interface PhaseCounts {
  readonly pods: number;
  readonly phases: Tally<PodPhase>;
}

/** For example `12 pods: 10 running, 2 pending`. */
export function countsText({ pods, phases }: PhaseCounts): string {
  if (pods === 0) return 'no pods';
  const parts = podPhases.filter((phase) => phases[phase]).map((phase) => `${phases[phase] ?? 0} ${phase}`);
  return `${pods} ${pods === 1 ? 'pod' : 'pods'}: ${parts.join(', ')}`;
}
