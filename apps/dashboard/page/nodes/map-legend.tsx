import type { ReactNode } from 'react';
import { useHasSynced, useObject } from 'rx-informers/react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { PhaseDot } from '../pods/phase-dot.js';
import { usePodCounts } from '../pods/pod-counts.js';
import { toggled } from '../pods/pod-filter.js';
import { podPhases, type PodPhase } from '../pods/pod-phase.js';
import { countText } from '../text/text.js';

/** Renders the meaning of the colours. Each entry filters by its phase. */
export function MapLegend(): ReactNode {
  return (
    <ul className="legend" aria-label="Pods by phase">
      {podPhases.map((phase) => (
        <PhaseItem key={phase} phase={phase} />
      ))}
    </ul>
  );
}

function PhaseItem({ phase }: { readonly phase: PodPhase }): ReactNode {
  const { phase: counts, dots } = usePodCounts();
  const hasSynced = useHasSynced(dots);
  const { pods } = useObject(counts, phase) ?? { pods: 0 };
  const isChosen = usePageAddress().filter.chosen['phase']?.includes(phase) ?? false;
  return (
    <li className={pods === 0 ? 'none' : undefined}>
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={() => {
          go(({ filter }) => ({ filter: toggled(filter, 'phase', phase) }));
        }}
      >
        <PhaseDot phase={phase} /> {phase} <span className="count">{hasSynced ? countText(pods) : '–'}</span>
      </button>
    </li>
  );
}
