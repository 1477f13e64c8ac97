import { takeToken, tokenWait } from '../model/backoff.js';
import { ResponseError } from '../model/errors.js';
import type { WatchEvent } from '../model/watch-event.js';
import {
  alarmOf,
  nothingKnown,
  stay,
  type Effect,
  type InFlightState,
  type Input,
  type Pace,
  type Paced,
  type Query,
  type ReflectorConfig,
  type State,
  type Step,
  type Turn,
  type Waiting,
} from './protocol.js';
import { stepList } from './step-list.js';
import { stepStream } from './step-stream.js';
import { stepWatch } from './step-watch.js';
import { errorEvent, openAnyList, openWatch, statusEvent, type Moment } from './transitions.js';

/** Before the first request. */
export const initialState: State<never> = { name: 'idle', memory: nothingKnown };

/**
 * Returns the next state and the effects to carry out.
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

/** So many requests may follow each other at once. */
export const requestBurst = 10;

/** After those, one request in so many milliseconds. */
export const requestInterval = 1_000;

const rate = { interval: requestInterval, burst: requestBurst };

/**
 * Bounds the requests of one source, whatever the server does: `requestBurst` at once, then one each `requestInterval`. That is
 * at most 70 in any minute (G5). A page that follows one with new objects is free, because a long list is no misbehaviour.
 *
 * A request beyond the bound becomes the state `paced`, which sends it later. The first of a run is reported.
 */
export function pace<T>(config: ReflectorConfig, next: Step<T>, moment: Moment): Step<T> {
  const request = next.effects.find((effect) => effect.type === 'request');
  const { state } = next;
  if (request === undefined || request.isFree === true || !isInFlight(state)) return next;
  const { fullAt, waits } = state.memory.pace;
  const wait = tokenWait(fullAt, moment.at, rate);
  if (wait === 0) {
    const isRested = fullAt <= moment.at;
    const taken: Pace = { fullAt: takeToken(fullAt, moment.at, rate), waits: isRested ? 0 : waits };
    return { ...next, state: { ...state, memory: { ...state.memory, pace: taken } } };
  }
  return postpone(config, next.effects, { state, query: request.query, until: moment.at + wait });
}

function postpone<T>(
  config: ReflectorConfig,
  effects: readonly Effect<T>[],
  { state, query, until }: { readonly state: InFlightState<T>; readonly query: Query; readonly until: number },
): Step<T> {
  const { pace: before } = state.memory;
  const cause = new ResponseError(
    config.requestLine(query),
    `${requestBurst} requests ended within seconds; each further one waits up to ${requestInterval} ms`,
  );
  const status = statusEvent({ state: 'backing-off', until, attempt: before.waits + 1, cause });
  const batch: readonly WatchEvent<T>[] = before.waits === 0 ? [errorEvent(cause), status] : [status];
  const memory = { ...state.memory, pace: { ...before, waits: before.waits + 1 } };
  return {
    state: { name: 'paced', memory, until, then: { ...state, memory }, query },
    effects: [...effects.filter((effect) => effect.type !== 'request'), { type: 'emit', batch }],
  };
}

/** Sends the request that had to wait. */
export function release<T>({ then, query, memory }: Paced<T>, { at }: Moment): Step<T> {
  const state: InFlightState<T> = { ...then, openedAt: at, headAt: undefined, lastAt: at };
  const taken: Pace = { ...memory.pace, fullAt: takeToken(memory.pace.fullAt, at, rate) };
  const status =
    then.name === 'watching'
      ? statusEvent({ state: 'reconnecting' })
      : statusEvent({ state: 'listing', by: then.name === 'streaming' ? 'stream' : 'pages', received: then.received });
  return {
    state: { ...state, memory: { ...memory, pace: taken } },
    effects: [
      { type: 'emit', batch: [status] },
      { type: 'request', query, isFree: true },
    ],
  };
}

/** Returns true for a state with a request in flight. */
export function isInFlight<T>(state: State<T>): state is InFlightState<T> {
  return state.name === 'listing' || state.name === 'streaming' || state.name === 'watching';
}
