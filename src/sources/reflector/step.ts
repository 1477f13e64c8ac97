import { takeToken, tokenWait } from '../model/backoff.js';
import { ResponseError, EarlyCloseError, SilentConnectionError, type SourceError } from '../model/errors.js';
import type { WatchEvent } from '../model/watch-event.js';
import {
  overdueAt,
  nothingKnown,
  stay,
  streamSilence,
  type Effect,
  type InFlightState,
  type Input,
  type Pace,
  type Paced,
  type Query,
  type ReflectorConfig,
  type State,
  type Step,
  type Streaming,
  type Turn,
  type Waiting,
  shortLife,
  type DecodedEvent,
  type Watching,
} from './protocol.js';
import { stepList } from './step-list.js';
import { stepStream } from './step-stream.js';
import {
  errorEvent,
  openAnyList,
  openWatch,
  statusEvent,
  type Moment,
  afterWatchFailure,
  backOff,
  failedTransforms,
} from './transitions.js';
import { compareResourceVersions } from '../../kubernetes/object.js';
import { asExpected, isNoAnswer, isOverloaded, isTooManyRequests } from './failure.js';

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
      return continueStream(config, state, input);
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

/** Returns the moment at which `state` continues by itself. */
export function alarmOf<T>(config: ReflectorConfig, state: State<T>): number {
  switch (state.name) {
    case 'idle':
      return Infinity;
    case 'waiting':
    case 'paced':
      return state.until;
    case 'listing':
      return state.headAt === undefined ? state.openedAt + config.openTimeout : state.lastAt + config.listSilence;
    case 'streaming':
      return state.headAt === undefined
        ? state.openedAt + config.openTimeout
        : Math.min(
            state.lastAt + streamSilence,
            state.initialAt + config.bookmarkDeadline,
            overdueAt(config, state.query, state.headAt),
          );
    case 'watching':
      return Math.min(
        state.headAt === undefined ? state.openedAt + config.openTimeout : overdueAt(config, state.query, state.headAt),
        state.memory.relistAt ?? Infinity,
      );
  }
}

/** A streaming list becomes the watch in the middle of a read: the rest of the read is the watch's. */
function continueStream<T>(config: ReflectorConfig, streaming: Streaming<T>, input: Input<T>): Step<T> {
  const { rest = [], ...next } = stepStream(config, streaming, input);
  if (rest.length === 0 || next.state.name !== 'watching') return next;
  const { state, effects } = stepWatch(config, next.state, { ...input, type: 'events', events: rest });
  return { state, effects: [...next.effects, ...effects] };
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

/** So many watches in a row that ended early without a single event: the version may be gone without a 410 (R14 ▲). */
const fruitlessWatches = 5;

/** While a watch is open, or being opened. */
export function stepWatch<T>(config: ReflectorConfig, state: Watching, input: Input<T>): Step<T> {
  switch (input.type) {
    case 'head':
      return state.headAt === undefined ? connected(state, input) : stay(state);
    case 'events':
      return read(config, { ...state, lastAt: input.at }, input, input.events);
    case 'closed':
      return ended(config, state, input, input.cut);
    case 'failed':
      return fail(config, state, input, input.error);
    case 'alarm':
      return overdue(config, state, input);
    case 'started':
    case 'items':
    case 'page-end':
      return stay(state);
  }
}

function connected<T>(state: Watching, { at }: Input<T>): Step<T> {
  const { memory } = state;
  const status = statusEvent({ state: 'watching', since: at, resourceVersion: memory.resourceVersion });
  return {
    state: { ...state, memory: { ...memory, healthySince: memory.healthySince ?? at }, headAt: at, lastAt: at },
    effects: [{ type: 'emit', batch: [status] }],
  };
}

/** R9: one network read, one batch; the version moves with each event, and never past one that was not delivered (R12 ▲). */
function read<T>(
  config: ReflectorConfig,
  state: Watching,
  input: Input<T>,
  events: readonly DecodedEvent<T>[],
): Step<T> {
  const batch: WatchEvent<T>[] = [];
  let { resourceVersion, newestVersion } = state.memory;
  let { isOrdered } = state;
  const advanced = (): Watching => ({
    ...state,
    memory: { ...state.memory, resourceVersion, newestVersion },
    hasProgressed: state.hasProgressed || newestVersion !== state.memory.newestVersion,
    isOrdered,
  });
  for (const [position, event] of events.entries()) {
    switch (event.type) {
      case 'change':
      case 'elsewhere':
        // R11: after opening at no version the server first says what exists, in no order.
        isOrdered ||= event.change !== 'ADDED';
        if (isOrdered) resourceVersion = event.resourceVersion;
        newestVersion = newerOf(newestVersion, event.resourceVersion);
        if (event.type === 'change') batch.push({ type: event.change, object: event.object });
        break;
      case 'bookmark':
        isOrdered = true;
        resourceVersion = event.resourceVersion;
        newestVersion = newerOf(newestVersion, resourceVersion);
        batch.push({ type: 'BOOKMARK', resourceVersion });
        break;
      case 'error': {
        // R15: 429 asks for patience; 410 and everything else for a list.
        const next = isTooManyRequests(event.error) ? 'watch' : 'list';
        const memory = afterWatchFailure(advanced().memory, event.error);
        return backOff(config, memory, input, { cause: event.error, next, events: batch });
      }
      case 'untransformed':
      case 'lost':
        // The read was decoded as a whole, and no later read reports what failed behind this event.
        batch.push(...failedTransforms(events.slice(position + 1)));
        return backOff(config, advanced().memory, input, { cause: event.error, next: 'list', events: batch });
      default:
        event satisfies never;
    }
  }
  return { state: advanced(), effects: batch.length > 0 ? [{ type: 'emit', batch }] : [] };
}

/**
 * The watch is over, by the server's will or because the connection broke.
 *
 * | it brought | it lived | what follows |
 * | --- | --- | --- |
 * | a newer version | however long | resumed at once (R13), see `pace` |
 * | nothing newer | less than a second | backoff, then a list (R14), or a watch where the connection broke |
 * | nothing newer, some times in a row | less than half of what was asked for | backoff, then a list (R14 ▲) |
 * | nothing newer | otherwise | resumed at once (R13) |
 */
function ended<T>(config: ReflectorConfig, state: Watching, input: Input<T>, cut: SourceError | undefined): Step<T> {
  const { memory, query } = state;
  const lived = input.at - state.openedAt;
  const isEarly = lived < (query.timeoutSeconds * 1_000) / 2;
  const times = state.hasProgressed || !isEarly ? 0 : memory.fruitless + 1;
  if (times >= fruitlessWatches) {
    const cause = cut ?? new EarlyCloseError(config.requestLine(query), times);
    return backOff(config, { ...memory, fruitless: 0 }, input, { cause, next: 'list' });
  }
  const counted = { ...memory, fruitless: times };
  if (!state.hasProgressed && lived < shortLife) {
    const cause = cut ?? new EarlyCloseError(config.requestLine(query));
    return backOff(config, counted, input, { cause, next: cut === undefined ? 'list' : 'watch' });
  }
  return resume(config, { ...state, memory: counted }, input, cut && asExpected(cut));
}

/** Versions that cannot be compared are newer if they differ. */
function newerOf(known: string, version: string): string {
  return (compareResourceVersions(version, known) ?? 1) > 0 ? version : known;
}

/** R13: again at once, from the last version. */
function resume<T>(config: ReflectorConfig, state: Watching, input: Input<T>, cause: SourceError | undefined): Step<T> {
  const reconnecting = statusEvent({ state: 'reconnecting', ...(cause !== undefined && { cause }) });
  const events = cause === undefined ? [reconnecting] : [errorEvent(cause), reconnecting];
  return openWatch(config, state.memory, input, events);
}

/** R8 ▲: if there was no answer, or the server is too busy, the version is as good as before; otherwise a list is needed. */
function fail<T>(config: ReflectorConfig, state: Watching, input: Input<T>, error: SourceError): Step<T> {
  if (state.headAt !== undefined && isNoAnswer(error)) return ended(config, state, input, error);
  const next = isNoAnswer(error) || isOverloaded(error) ? 'watch' : 'list';
  return backOff(config, afterWatchFailure(state.memory, error), input, { cause: error, next });
}

function overdue<T>(config: ReflectorConfig, state: Watching, input: Input<T>): Step<T> {
  const { relistAt } = state.memory;
  if (relistAt !== undefined && input.at >= relistAt) return openAnyList(config, state.memory, input);
  const silence = input.at - state.lastAt;
  const request = config.requestLine(state.query);
  if (state.headAt === undefined) {
    // A proxy that holds responses back lets no watch through, but lists: better a list now and then than nothing.
    const cause = new SilentConnectionError(request, 'headers', silence);
    return backOff(config, state.memory, input, { cause, next: 'list' });
  }
  // A server that still talks has ignored timeoutSeconds; the connection is changed all the same, but nothing was wrong.
  return resume(
    config,
    state,
    input,
    silence >= config.grace ? new SilentConnectionError(request, 'data', silence) : undefined,
  );
}
