import { compareResourceVersions } from '../../kubernetes/object.js';
import { waitingState } from '../model/failure-kind.js';
import { statusEvent } from '../model/watch-event.js';
import { reflectorAlarm, shortLifetime } from './alarm.js';
import { openAnyList, openPages, openWatch } from './next-request.js';
import {
  type Context,
  type Input,
  nothingKnown,
  type Recheck,
  type SentRequest,
  type State,
  stay,
  type Step,
  type Turn,
  type Waiting,
} from './protocol.js';
import { isInFlight, pace, requestWait, sendPaced } from './request-rate.js';
import { stepList } from './step-list.js';
import { stepStream } from './step-stream.js';
import { stepWatch } from './step-watch.js';

/** The state before the first request. */
export const initialState: State<never> = { name: 'idle', memory: nothingKnown };

/**
 * Returns the next state and the effects. Pure. A meaningless input changes nothing.
 *
 * The steps of a state are in `step-stream.ts`, `step-list.ts` and `step-watch.ts`. What they have
 * in common is in `next-request.ts` (requests, waits and the end of a list), `request-rate.ts` (the
 * limit on requests) and `alarm.ts` (limits of time).
 */
export function step<T>(context: Context, state: State<T>, input: Input<T>): Step<T> {
  return pace(context, state, nextOf(context, state, input));
}

function nextOf<T>(context: Context, state: State<T>, input: Input<T>): Step<T> {
  switch (input.type) {
    case 'queued':
    case 'sent':
      return queuedOrSent(context, state, input);
    case 'alarm':
      return context.at < reflectorAlarm(context.config, state) ? stay(state) : stepState(context, state, input);
    case 'recheck':
      return recheck(context, state, input);
    default:
      return stepState(context, withHeartbeat(state, input), input);
  }
}

function stepState<T>(context: Context, state: State<T>, input: Input<T>): Step<T> {
  switch (state.name) {
    case 'idle':
      return input.type === 'started' ? openAnyList(context, state.memory) : stay(state);
    case 'streaming':
      return stepStream(context, state, input);
    case 'listing':
      return stepList(context, state, input);
    case 'watching':
      return stepWatch(context, state, input);
    case 'paced':
      return input.type === 'alarm' ? sendPaced(context, state) : stay(state);
    case 'waiting':
      return input.type === 'alarm' ? continueRequest(context, state) : stay(state);
  }
}

/** Records that the connection has a heartbeat, also for later watches. */
function withHeartbeat<T>(state: State<T>, input: Input<T>): State<T> {
  if (input.type !== 'events' || input.hasHeartbeat !== true) return state;
  return { ...state, memory: { ...state.memory, hasHeartbeat: true } };
}

/** Stops the timeout of a request in the client's queue until the request is sent. */
function queuedOrSent<T>({ at }: Context, state: State<T>, { type }: Turn): Step<T> {
  if (!isInFlight(state) || state.headAt !== undefined) return stay(state);
  return stay({ ...state, openedAt: type === 'queued' ? Infinity : at, lastAt: at });
}

/** Sends the next request after a wait. */
function continueRequest<T>(context: Context, { next, memory, cause }: Waiting): Step<T> {
  return next === 'list'
    ? openAnyList(context, memory)
    : openWatch(context, memory, [statusEvent({ state: 'reconnecting', cause })]);
}

/**
 * Connects again because the subscriber has a reason to doubt the connection, or does not want to
 * wait.
 *
 * | state | what follows |
 * | --- | --- |
 * | waiting | the next request is sent now, or at the end of a wait that the server requested; after a request sent now, waits start short again |
 * | watching, and the watch is open | the watch is opened again from the last version, on another connection |
 * | a list or a watch that has received nothing for a second | the list or the watch is requested again |
 * | any other state, or any state if the limit on requests is reached | nothing |
 */
function recheck<T>(context: Context, state: State<T>, { version }: Recheck): Step<T> {
  if (version !== undefined) return catchUp(context, state, version);
  if (requestWait(state.memory, context.at) > 0) return stay(state);
  switch (state.name) {
    case 'idle':
    case 'paced':
      return stay(state);
    case 'waiting':
      return retrySooner(context, state);
    case 'watching':
      return state.headAt !== undefined || isSilent(context, state)
        ? openWatch(context, state.memory, [statusEvent({ state: 'reconnecting' })])
        : stay(state);
    case 'listing':
    case 'streaming':
      return isSilent(context, state) ? openAnyList(context, state.memory) : stay(state);
  }
}

/**
 * Lists in pages, at this version or a later one, if the watch has not reached it. A watch that
 * delivers late would deliver a streaming list late, too.
 */
function catchUp<T>(context: Context, state: State<T>, version: string): Step<T> {
  const isListing = state.name !== 'watching' && (state.name !== 'waiting' || context.at < state.notBefore);
  const isReached = (compareResourceVersions(state.memory.newestVersion, version) ?? 0) >= 0;
  if (isListing || isReached) return stay(state);
  return openPages(context, { ...state.memory, resourceVersion: version });
}

/** Ends a wait, or shortens it to the wait that the server requested. */
function retrySooner<T>(context: Context, state: Waiting): Step<T> {
  const { memory, notBefore, until, cause } = state;
  if (context.at >= notBefore) return continueRequest(context, { ...state, memory: { ...memory, attempt: 0 } });
  if (notBefore >= until) return stay(state);
  const status = statusEvent({ state: waitingState(cause), until: notBefore, attempt: memory.attempt, cause });
  return stay<T>({ ...state, until: notBefore }, [status]);
}

/** Returns true if a request has received nothing for a second. */
function isSilent({ at }: Context, { openedAt, lastAt }: SentRequest): boolean {
  return at - Math.max(openedAt, lastAt) >= shortLifetime;
}
