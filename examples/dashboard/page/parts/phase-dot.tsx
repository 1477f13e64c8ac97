import type { ReactNode } from 'react';
import type { PodPhase } from '../model/pod-phase.js';

export function PhaseDot({ phase }: { readonly phase: PodPhase }): ReactNode {
  return <span className={`phase-dot ${phase}`} aria-hidden="true" />;
}
