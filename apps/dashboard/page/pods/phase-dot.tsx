import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import type { Theme } from '../frame/theme.js';
import { otherPaints } from '../nodes/map-cells.js';
import { podPhases, type PodPhase } from './pod-phase.js';

/** Colours by phase, and by the names of the map's other colours. */
export type PhaseColours = Readonly<Record<PodPhase, string> & Record<string, string>>;

/** Returns the current colours of the phases in the style sheet, in a format for a canvas. */
export function phaseColours(): PhaseColours {
  const probe = document.createElement('span');
  // Reads the colours of the style sheet even if the user forces other colours: on the map, the
  // colours carry the information.
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const properties = [
    ...podPhases.map((phase) => [phase, `--phase-${phase}`] as const),
    ...otherPaints.map((name) => [name, `--${name}`] as const),
  ];
  const colours = properties.map(([name, property]) => {
    probe.style.color = `var(${property})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours) as PhaseColours;
}

export const PhaseColoursContext = createContext<PhaseColours | undefined>(undefined);

/**
 * Returns the colours of the phases, or `undefined` before the first paint. They are read once for
 * all tiles.
 */
export function usePhaseColours(): PhaseColours | undefined {
  return useContext(PhaseColoursContext);
}

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
