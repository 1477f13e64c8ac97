import type { ReactNode } from 'react';
import { useObject } from 'rx-informers/react';
import { usePodCounts } from '../cluster/pod-counts.js';
import { podPhases, type PodPhase } from '../model/pod-phase.js';
import { PhaseDot } from './phase-dot.js';

/** What the colours mean, and how many pods have each. */
export function PhaseLegend(): ReactNode {
  return (
    <ul className="legend" aria-label="Pods by phase">
      {podPhases.map((phase) => (
        <LegendItem key={phase} phase={phase} />
      ))}
    </ul>
  );
}

function LegendItem({ phase }: { readonly phase: PodPhase }): ReactNode {
  const { pods } = useObject(usePodCounts().phase, phase) ?? none;
  return (
    <li className={pods > 0 ? undefined : 'none'}>
      <PhaseDot phase={phase} /> {phase} <span className="count">{pods}</span>
    </li>
  );
}

const none = { pods: 0 };
