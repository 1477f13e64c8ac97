import type { ControllerStopping, ControllerSynced } from './reconcile-event.js';

/** Where a controller is in its life. */
export type LifePhase = 'syncing' | 'running' | 'stopping';

/** What may happen to it. */
export type LifeInput = ControllerSynced | ControllerStopping;

/** What is to be done: tell of it, let runs begin, take no more triggers, end what still runs and drop what waits. */
export type LifeEffect = 'tell' | 'start-runs' | 'stop-intake' | 'end-drain';

/** Where it is then, and what is to be done on the way. */
export interface LifeStep {
  readonly phase: LifePhase;
  readonly effects: readonly LifeEffect[];
}

/**
 * What follows from `input`. A controller that is stopped while it runs drains; one that has not synced knows too little to run anything, one
 * that loses a cache knows nothing any more, and one that is told twice to stop is in a hurry: those end at once.
 */
export function lifeStep(phase: LifePhase, input: LifeInput): LifeStep {
  if (input.type === 'synced') {
    return phase === 'syncing' ? { phase: 'running', effects: ['tell', 'start-runs'] } : { phase, effects: [] };
  }
  const isUrgent = phase !== 'running' || input.cause === 'collection-ended';
  const stop: readonly LifeEffect[] = phase === 'stopping' ? [] : ['tell', 'stop-intake'];
  return { phase: 'stopping', effects: isUrgent ? [...stop, 'end-drain'] : stop };
}
