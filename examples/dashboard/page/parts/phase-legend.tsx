import { useState, type ReactNode } from 'react';
import { useChanges } from 'rx-informers/react';
import { usePods } from '../cluster/informers.js';
import { PhaseTally } from '../cluster/phase-tally.js';
import { podPhases } from '../model/pod-phase.js';
import { PhaseDot } from './phase-dot.js';

/** What the colours mean, and how many pods have each. */
export function PhaseLegend(): ReactNode {
  const [tally] = useState(() => new PhaseTally());
  const [counts, setCounts] = useState(tally.counts);
  useChanges(usePods(), (set) => {
    tally.apply(set);
    setCounts(tally.counts);
  });
  return (
    <ul className="legend" aria-label="Pods by phase">
      {podPhases.map((phase) => (
        <li key={phase} className={counts[phase] ? undefined : 'none'}>
          <PhaseDot phase={phase} /> {phase} <span className="count">{counts[phase] ?? 0}</span>
        </li>
      ))}
    </ul>
  );
}
