import type { ChurnEvent } from './population.js';

/** A cache that receives the events of a population of pods and stores the pods. */
export interface ChurnCache {
  /** Applies the events since the last call, in order. */
  readonly take: (events: readonly ChurnEvent[]) => void;
  /**
   * Returns false while the cache briefly contains more objects than usual. The heap is not
   * measured then.
   */
  readonly isSettled: () => boolean;
  /** Returns the keys of the stored pods. */
  readonly keys: () => readonly string[];
}
