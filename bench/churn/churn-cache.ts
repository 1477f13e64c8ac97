import type { ChurnEvent } from './population.js';

/** Whatever is told what happens in a population of pods, and holds it. */
export interface ChurnCache {
  /** What happened since the last time, in order. */
  readonly take: (events: readonly ChurnEvent[]) => void;
  /** False while more is held than otherwise, for a moment: the heap is not measured then. */
  readonly isSettled: () => boolean;
  /** The keys of what is held. */
  readonly keys: () => readonly string[];
}
