import { takeToken, tokenWait } from '../../time/token-bucket.js';
import { ResponseError } from '../source-error.js';
import type { WatchEvent } from '../watch-event.js';
import type { ReflectorConfig } from './config.js';
import type { Effect, Step } from './effect.js';
import type { Query } from './query.js';
import type { InFlightState, Paced, State } from './state.js';
import { errorEvent, statusEvent, type Moment } from './transitions.js';

/** So many requests may follow each other at once. */
export const requestBurst = 10;

/** After those, one request in so many milliseconds. */
export const requestInterval = 1_000;

const rate = { interval: requestInterval, burst: requestBurst };

/** How much of the allowance for requests is used up. */
export interface Pace {
  /** When the whole allowance is there again. */
  readonly fullAt: number;
  /** How many requests in a row had to wait. */
  readonly waits: number;
}

export const fullPace: Pace = { fullAt: 0, waits: 0 };

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
