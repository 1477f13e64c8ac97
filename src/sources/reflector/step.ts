import type { ReflectorConfig } from './config.js';
import { stay, type Step } from './effect.js';
import { isInFlight, pace, release } from './pace.js';
import type { Input, Turn } from './input.js';
import { alarmOf, nothingKnown, type State, type Waiting } from './state.js';
import { stepList } from './step-list.js';
import { stepStream } from './step-stream.js';
import { stepWatch } from './step-watch.js';
import { openAnyList, openWatch, statusEvent, type Moment } from './transitions.js';

/** Before the first request. */
export const initialState: State<never> = { name: 'idle', memory: nothingKnown };

/**
 * What follows from `input` in `state`: the next state, and what to do in the world.
 *
 * It is pure: no clock, no randomness, no request; and total: an input that means nothing in a state changes nothing.
 */
export function step<T>(config: ReflectorConfig, state: State<T>, input: Input<T> | (Turn & Moment)): Step<T> {
  if (input.type === 'alarm' && input.at < alarmOf(config, state)) return stay(state);
  if (input.type === 'queued' || input.type === 'sent') return turn(state, input);
  return pace(config, stepFrom(config, state, input), input);
}

/**
 * Stops the clock of a request that the client keeps waiting, and starts it when the request is sent.
 * Until then, the alarm is the client's.
 */
function turn<T>(state: State<T>, { type, at }: Turn & Moment): Step<T> {
  if (!isInFlight(state) || state.headAt !== undefined) return stay(state);
  return stay({ ...state, openedAt: type === 'queued' ? Infinity : at, lastAt: at });
}

function stepFrom<T>(config: ReflectorConfig, state: State<T>, input: Input<T>): Step<T> {
  switch (state.name) {
    case 'idle':
      return input.type === 'started' ? openAnyList(config, state.memory, input) : stay(state);
    case 'streaming':
      return stepStream(config, state, input);
    case 'listing':
      return stepList(config, state, input);
    case 'watching':
      return stepWatch(config, state, input);
    case 'paced':
      return input.type === 'alarm' ? release(state, input) : stay(state);
    case 'waiting':
      return input.type === 'alarm' ? goOn(config, state, input) : stay(state);
  }
}

/** The wait is over. */
function goOn<T>(config: ReflectorConfig, state: Waiting, input: Input<T>): Step<T> {
  if (state.next === 'list') return openAnyList(config, state.memory, input);
  const reconnecting = statusEvent({ state: 'reconnecting', cause: state.cause });
  return openWatch(config, state.memory, input, [reconnecting]);
}
