import { createContext, useEffect, useState, type ReactNode } from 'react';
import type { Theme } from '../frame/theme.js';
import { podPhases, type PodPhase } from './pod-phase.js';

export type PhaseColours = Readonly<Record<PodPhase, string>>;

/** Returns the current colours of the phases in the style sheet, in a format for a canvas. */
export function phaseColours(): PhaseColours {
  const probe = document.createElement('span');
  // Reads the colours of the style sheet even if the user forces other colours: on the map, the
  // colours carry the information.
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const colours = podPhases.map((phase) => {
    probe.style.color = `var(--phase-${phase})`;
    return [phase, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours) as PhaseColours;
}

/** The colours of the phases; `undefined` before the first paint. They are read once for all tiles. */
export const PhaseColoursContext = createContext<PhaseColours | undefined>(undefined);

/**
 * Returns the colours of the phases. Reads them again when the theme of the page or of the
 * operating system changes.
 */
export function useThemedPhaseColours(theme: Theme): PhaseColours | undefined {
  const [colours, setColours] = useState<PhaseColours>();
  useEffect(() => {
    const read = (): void => {
      setColours(phaseColours());
    };
    read();
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', read);
    return () => {
      system.removeEventListener('change', read);
    };
  }, [theme]);
  return colours;
}

export function PhaseDot({ phase }: { readonly phase: PodPhase }): ReactNode {
  return <span className={`phase-dot ${phase}`} aria-hidden="true" />;
}
