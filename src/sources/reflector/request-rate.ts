import { takeToken, tokenWait } from '../model/backoff.js';
import { responseError } from '../model/errors.js';
import { errorEvent, statusEvent } from '../model/watch-event.js';
import type { Context, InFlightState, Memory, Paced, RequestQuery, State, Step } from './protocol.js';

/** The number of requests that may be sent without a wait. */
const requestBurst = 10;

/** The milliseconds between two requests after the first `requestBurst` requests. */
const requestInterval = 1_000;

const rate = { interval: requestInterval, burst: requestBurst };

/** Returns the milliseconds until a request may be sent; 0 if one may be sent now. */
export function requestWait({ pace }: Memory, at: number): number {
  return tokenWait(pace.fullAt, at, rate);
}

/** Returns the memory after a request that counts towards the limit. */
export function countRequest(memory: Memory, at: number): Memory {
  const { fullAt, waits } = memory.pace;
  return { ...memory, pace: { fullAt: takeToken(fullAt, at, rate), waits: fullAt <= at ? 0 : waits } };
}

/**
 * Limits the requests of one source: `requestBurst` at once, then one per `requestInterval`, so at
 * most 70 in any minute (G5). A page after one with new objects is free: a long list is normal.
 *
 * A request beyond the limit leads to `paced`, and is sent later. The first in a row is reported.
 */
export function pace<T>(context: Context, before: State<T>, after: Step<T>): Step<T> {
  const next = countPage(context, before, after);
  for (const effect of next.effects) {
    if (effect.type !== 'request' || effect.isFree === true || !isInFlight(next.state)) continue;
    const { state } = next;
    const wait = requestWait(state.memory, context.at);
    return wait === 0
      ? { ...next, state: { ...state, memory: countRequest(state.memory, context.at) } }
      : postpone(context, next, state, effect.query, context.at + wait);
  }
  return next;
}

function postpone<T>(
  { config }: Context,
  { effects }: Step<T>,
  state: InFlightState<T>,
  query: RequestQuery,
  until: number,
): Step<T> {
  const waits = state.memory.pace.waits + 1;
  const memory = { ...state.memory, pace: { ...state.memory.pace, waits } };
  const cause = responseError(
    config.requestLine(query),
    `${requestBurst} requests ended within seconds; the source now waits up to ${requestInterval} ms before each request`,
  );
  const status = statusEvent({ state: 'backing-off', until, attempt: waits, cause });
  return {
    state: { name: 'paced', memory, until, then: { ...state, memory }, query },
    effects: [
      ...effects.filter((effect) => effect.type !== 'request'),
      { type: 'emit', batch: waits === 1 ? [errorEvent(cause), status] : [status] },
    ],
  };
}

/** Sends the request that had to wait. */
export function sendPaced<T>({ at }: Context, { then, query, memory }: Paced<T>): Step<T> {
  const status =
    then.name === 'watching'
      ? statusEvent({ state: 'reconnecting' })
      : statusEvent({ state: 'listing', by: then.name === 'streaming' ? 'stream' : 'pages', received: then.received });
  return {
    state: { ...then, openedAt: at, headAt: undefined, lastAt: at, memory: countRequest(memory, at) },
    effects: [
      { type: 'emit', batch: [status] },
      { type: 'request', query, isFree: true },
    ],
  };
}

/** Counts a page that was free, but ended without a new object of its own. */
function countPage<T>({ at }: Context, state: State<T>, next: Step<T>): Step<T> {
  if (state.name !== 'listing' || !state.isFree || state.progress.isNew) return next;
  if (next.state.name === 'listing' && next.state.query === state.query) return next;
  return { ...next, state: { ...next.state, memory: countRequest(next.state.memory, at) } };
}

/** Returns true for a state with a request in flight. */
export function isInFlight<T>(state: State<T>): state is InFlightState<T> {
  return state.name === 'listing' || state.name === 'streaming' || state.name === 'watching';
}
