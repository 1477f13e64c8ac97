import type { Step } from '../time/run-protocol.js';
import type { ManagerStopped } from './manager-event.js';

/** Where a manager is in its life. */
export interface State {
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

/** What happens to a manager. */
export type Input =
  | { readonly type: 'opened' }
  /** A signal, or `stop$`. The second one hurries. */
  | { readonly type: 'asked'; readonly signal?: string }
  | { readonly type: 'failed'; readonly error: unknown }
  /** No controller runs any more, and the candidacy is over. */
  | { readonly type: 'drained' }
  | { readonly type: 'closed' }
  | { readonly type: 'grace-over' };

/**
 * What an input leads to.
 *
 * - `emit-failure`, `emit-stopping`: emit the event
 * - `start`: connect the caches, then compete or run the controllers
 * - `limit`: begin the grace period
 * - `drain`: ask the controllers to stop; compete no more
 * - `abort`: ask the controllers again, which aborts what still runs
 * - `close`: disconnect the caches, give the lease back, close what is to be closed
 * - `end`: emit the last event, and complete
 */
export type Effect =
  | { readonly type: 'emit-failure'; readonly error: unknown }
  | { readonly type: 'emit-stopping'; readonly cause: Stop }
  | { readonly type: 'start' | 'limit' | 'drain' | 'abort' | 'close' | 'end' };

/** The inputs that stop a manager. */
type Stop = Extract<Input, { readonly type: 'asked' | 'failed' }>;

export const initial: State = { phase: 'opening', exitCode: 0 };

/**
 * Returns the next state and the effects of an input. Pure.
 *
 * | phase | opened | asked | failed | drained | closed | grace-over |
 * | --- | --- | --- | --- | --- | --- | --- |
 * | opening | running | closing | closing | | | |
 * | running | | draining | draining | | | |
 * | draining | | stopped | draining | closing | | stopped |
 * | closing | | stopped | closing | | stopped | stopped |
 */
export function step(state: State, input: Input): Step<State, Effect> {
  if (state.phase === 'stopped') return { state, effects: [] };
  switch (input.type) {
    case 'opened':
      return state.phase === 'opening' ? to(state, 'running', 'start') : { state, effects: [] };
    case 'failed': {
      const { state: next, effects } = stopping({ ...state, exitCode: 1 }, input);
      return { state: next, effects: [{ type: 'emit-failure', error: input.error }, ...effects] };
    }
    case 'asked':
      return isStopping(state) ? hurried(state) : stopping(state, input);
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

function stopping(state: State, cause: Stop): Step<State, Effect> {
  if (state.phase !== 'opening' && state.phase !== 'running') return { state, effects: [] };
  const isOpening = state.phase === 'opening';
  const { state: next, effects } = to(
    state,
    isOpening ? 'closing' : 'draining',
    'limit',
    isOpening ? 'close' : 'drain',
  );
  return { state: next, effects: [{ type: 'emit-stopping', cause }, ...effects] };
}

/** What is cut off counts as a failure to stop as asked, unless something worse happened before. */
function hurried(state: State): Step<State, Effect> {
  const exitCode = state.exitCode === 0 ? 2 : state.exitCode;
  const stopped: State = { ...state, exitCode };
  return state.phase === 'draining' ? to(stopped, 'stopped', 'abort', 'close', 'end') : to(stopped, 'stopped', 'end');
}

function isStopping({ phase }: State): boolean {
  return phase === 'draining' || phase === 'closing';
}

function to(state: State, phase: State['phase'], ...effects: readonly SimpleEffect[]): Step<State, Effect> {
  return { state: { ...state, phase }, effects: effects.map((type) => ({ type })) };
}

type SimpleEffect = 'start' | 'limit' | 'drain' | 'abort' | 'close' | 'end';
