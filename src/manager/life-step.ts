import type { ManagerStopped } from './manager-event.js';

/** Where a manager is in its life. */
export interface LifeState {
  /**
   * - `opening`: the port for health and metrics is being opened
   * - `running`: caches, candidacy and controllers
   * - `draining`: controllers finish what they are doing
   * - `closing`: the lease is given back, and what is to be closed is closed
   * - `stopped`
   */
  readonly phase: 'opening' | 'running' | 'draining' | 'closing' | 'stopped';
  readonly exitCode: ManagerStopped['exitCode'];
}

/** What may happen to it. */
export type LifeInput =
  | { readonly type: 'opened' }
  /** A signal, or `stop$`. The second one hurries. */
  | { readonly type: 'asked'; readonly signal?: string }
  | { readonly type: 'failed'; readonly error: unknown }
  /** No controller runs any more, and the candidacy is over. */
  | { readonly type: 'drained' }
  | { readonly type: 'closed' }
  | { readonly type: 'grace-over' };

/**
 * What is to be done, in this order.
 *
 * - `tell-failure`, `tell-stopping`: emit the event
 * - `start`: connect the caches, then compete or run the controllers
 * - `limit`: begin the grace period
 * - `drain`: ask the controllers to stop; compete no more
 * - `abort`: ask the controllers again, which aborts what still runs
 * - `close`: disconnect the caches, give the lease back, close what is to be closed
 * - `end`: emit the last event, and complete
 */
export type LifeEffect = 'tell-failure' | 'tell-stopping' | 'start' | 'limit' | 'drain' | 'abort' | 'close' | 'end';

export interface LifeStep {
  readonly state: LifeState;
  readonly effects: readonly LifeEffect[];
}

export const initialLife: LifeState = { phase: 'opening', exitCode: 0 };

/**
 * Returns what follows from `input`. Pure.
 *
 * | phase | opened | asked | failed | drained | closed | grace-over |
 * | --- | --- | --- | --- | --- | --- | --- |
 * | opening | running | closing | closing | | | |
 * | running | | draining | draining | | | |
 * | draining | | stopped | draining | closing | | stopped |
 * | closing | | stopped | closing | | stopped | stopped |
 */
export function lifeStep(state: LifeState, input: LifeInput): LifeStep {
  if (state.phase === 'stopped') return { state, effects: [] };
  switch (input.type) {
    case 'opened':
      return state.phase === 'opening' ? to(state, 'running', 'start') : { state, effects: [] };
    case 'failed': {
      const { state: next, effects } = stopping({ ...state, exitCode: 1 });
      return { state: next, effects: ['tell-failure', ...effects] };
    }
    case 'asked':
      return isStopping(state) ? hurried(state) : stopping(state);
    case 'grace-over':
      return isStopping(state) ? hurried(state) : { state, effects: [] };
    case 'drained':
      return state.phase === 'draining' ? to(state, 'closing', 'close') : { state, effects: [] };
    case 'closed':
      return to(state, 'stopped', 'end');
    default:
      return input satisfies never;
  }
}

function stopping(state: LifeState): LifeStep {
  if (state.phase === 'opening') return to(state, 'closing', 'tell-stopping', 'limit', 'close');
  if (state.phase === 'running') return to(state, 'draining', 'tell-stopping', 'limit', 'drain');
  return { state, effects: [] };
}

/** What is cut off counts as a failure to stop as asked, unless something worse happened before. */
function hurried(state: LifeState): LifeStep {
  const exitCode = state.exitCode === 0 ? 2 : state.exitCode;
  const effects: readonly LifeEffect[] = state.phase === 'draining' ? ['abort', 'close', 'end'] : ['end'];
  return { state: { phase: 'stopped', exitCode }, effects };
}

function isStopping({ phase }: LifeState): boolean {
  return phase === 'draining' || phase === 'closing';
}

function to(state: LifeState, phase: LifeState['phase'], ...effects: readonly LifeEffect[]): LifeStep {
  return { state: { ...state, phase }, effects };
}
