import type { Step } from '../scheduling/run-protocol.js';
import type { ManagerEventOf } from './manager-event.js';

/** The state of a manager. */
export interface State {
  /**
   * - `opening`: the port for health and metrics is being opened
   * - `running`: the caches, the candidacy and the controllers run
   * - `draining`: controllers finish their work
   * - `closing`: the lease is released, and the objects in `closes` are closed
   * - `stopped`
   */
  readonly phase: 'opening' | 'running' | 'draining' | 'closing' | 'stopped';
  readonly exitCode: ManagerEventOf<'stopped'>['exitCode'];
}

/** The inputs of a manager. */
export type Input =
  | { readonly type: 'opened' }
  /** A signal, or a value of `stop$`. The second of these inputs stops the manager at once. */
  | { readonly type: 'asked'; readonly signal?: string }
  | { readonly type: 'failed'; readonly error: unknown }
  /** A controller has aborted runs, because its own grace period was over. */
  | { readonly type: 'aborted' }
  /** No controller runs any more, and the candidacy has ended. */
  | { readonly type: 'drained' }
  | { readonly type: 'closed' }
  | { readonly type: 'grace-over' };

/**
 * The effects of a step.
 *
 * - `emit-failure`, `emit-stopping`: emit the event
 * - `start`: connect the caches, then compete or run the controllers
 * - `limit`: start the grace period
 * - `drain`: ask the controllers to stop; stop competing for leadership
 * - `abort`: ask the controllers to stop a second time, which aborts running reconciles
 * - `close`: disconnect the caches, wait until the lease is released, close the objects in `closes`
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
 *
 * The input `aborted` changes only the exit code.
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
      return isStopping(state) ? stopSooner(state) : stopping(state, input);
    case 'grace-over':
      return isStopping(state) ? stopSooner(state) : { state, effects: [] };
    case 'aborted':
      return { state: cutOff(state), effects: [] };
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

/** Returns the state with exit code 2, unless an earlier failure has set the code to 1. */
function cutOff(state: State): State {
  return { ...state, exitCode: state.exitCode === 0 ? 2 : state.exitCode };
}

/** Cuts off the stop. */
function stopSooner(state: State): Step<State, Effect> {
  const stopped = cutOff(state);
  return state.phase === 'draining' ? to(stopped, 'stopped', 'abort', 'close', 'end') : to(stopped, 'stopped', 'end');
}

function isStopping({ phase }: State): boolean {
  return phase === 'draining' || phase === 'closing';
}

function to(state: State, phase: State['phase'], ...effects: readonly SimpleEffect[]): Step<State, Effect> {
  return { state: { ...state, phase }, effects: effects.map((type) => ({ type })) };
}

type SimpleEffect = 'start' | 'limit' | 'drain' | 'abort' | 'close' | 'end';
