import { createContext, useContext } from 'react';
import type { InformerRegistry } from '../informer/informer-registry.js';
import { paceOf, type Pace, type PaceOptions } from './pace.js';

/** What an `InformersProvider` says to the components in it. */
export interface InformersContextValue {
  readonly registry: InformerRegistry | undefined;
  readonly options: PaceOptions;
  readonly pace: Pace;
}

export const InformersContext = createContext<InformersContextValue>({
  registry: undefined,
  options: {},
  pace: paceOf({}),
});

export function usePace(): Pace {
  return useContext(InformersContext).pace;
}
