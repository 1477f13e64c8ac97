import { useMemo, type ReactNode } from 'react';
import { useByIndex, useHasSynced, useObject } from 'rx-informers/react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { useTotals } from '../facets/facet-counts.js';
import { valueText } from '../facets/facet-value.js';
import { PhaseDot } from '../pods/phase-dot.js';
import { usePodCounts } from '../pods/pod-counts.js';
import { splitPair, toggled } from '../pods/pod-filter.js';
import { podPhases, type PodPhase } from '../pods/pod-phase.js';
import { middleCut } from '../text/middle-cut.js';
import { countText, plainText } from '../text/text.js';
import { heats, seriesPaint, type MapColour } from './map-cells.js';

/**
 * Renders the meaning of the colours. Each entry is a filter, except restarts, which have no facet.
 */
export function MapLegend({ colour }: { readonly colour: MapColour }): ReactNode {
  switch (colour) {
    case 'status':
      return (
        <ul className="legend" aria-label="Pods by phase">
          {podPhases.map((phase) => (
            <PhaseItem key={phase} phase={phase} />
          ))}
        </ul>
      );
    case 'namespace':
    case 'owner':
      return <NamesLegend facet={colour} />;
    case 'restarts':
      return (
        <ul className="legend" aria-label="Pods by restarts">
          {heats.map((least, at) => (
            <li key={least}>
              <span className={`paint heat-${at}`} aria-hidden="true" /> {heatText(at)}
            </li>
          ))}
        </ul>
      );
  }
}

function PhaseItem({ phase }: { readonly phase: PodPhase }): ReactNode {
  const { phase: counts, dots } = usePodCounts();
  const hasSynced = useHasSynced(dots);
  const { pods } = useObject(counts, phase) ?? { pods: 0 };
  return (
    <LegendButton facet="phase" value={phase} isQuiet={pods === 0}>
      <PhaseDot phase={phase} /> {phase} <span className="count">{hasSynced ? countText(pods) : '–'}</span>
    </LegendButton>
  );
}

const maxNames = 7;

/** Renders the names with the most pods. */
function NamesLegend({ facet }: { readonly facet: 'namespace' | 'owner' }): ReactNode {
  const counts = useByIndex(useTotals(), 'facet', facet);
  const largest = useMemo(() => [...counts].sort((a, b) => b.pods - a.pods).slice(0, maxNames), [counts]);
  return (
    <ul className="legend" aria-label={`Pods by ${facet}`}>
      {largest.map(({ group, pods }) => {
        const [, value] = splitPair(group);
        return (
          <LegendButton key={group} facet={facet} value={value} isQuiet={false}>
            <span className={`paint ${seriesPaint(value)}`} aria-hidden="true" />{' '}
            {middleCut(plainText(valueText(facet, value)), 24)} <span className="count">{countText(pods)}</span>
          </LegendButton>
        );
      })}
      {counts.length > maxNames && <li className="fine">and {counts.length - maxNames} more</li>}
    </ul>
  );
}

interface LegendButtonProps {
  readonly facet: string;
  readonly value: string;
  readonly isQuiet: boolean;
  readonly children: ReactNode;
}

function LegendButton({ facet, value, isQuiet, children }: LegendButtonProps): ReactNode {
  const isChosen = usePageAddress().filter.chosen[facet]?.includes(value) ?? false;
  return (
    <li className={isQuiet ? 'none' : undefined}>
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={() => {
          go(({ filter }) => ({ filter: toggled(filter, facet, value) }));
        }}
      >
        {children}
      </button>
    </li>
  );
}

function heatText(at: number): string {
  const least = heats[at] ?? 0;
  const next = heats[at + 1];
  if (next === undefined) return `${least} and more restarts`;
  return next - 1 === least ? String(least) : `${least} to ${next - 1}`;
}
