import { createContext, useContext, useEffect, useState } from 'react';
import { phaseColours, type PhaseColours } from '../drawing/phase-colours.js';
import type { Theme } from './use-theme.js';

export const PhaseColoursContext = createContext<PhaseColours | undefined>(undefined);

/** The colours of phases, read once for all tiles; `undefined` before the first paint. */
export function usePhaseColours(): PhaseColours | undefined {
  return useContext(PhaseColoursContext);
}

/** Reads them again where the theme changes, the one of the operating system too. */
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
