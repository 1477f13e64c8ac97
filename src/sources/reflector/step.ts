import { compareResourceVersions } from '../../kubernetes/object.js';
import { takeToken, tokenWait } from '../model/backoff.js';
import {
  ConnectionError,
  EarlyCloseError,
  ResponseError,
  SilentConnectionError,
  type SourceError,
} from '../model/errors.js';
import type { WatchEvent } from '../model/watch-event.js';
import { asExpected, isNoAnswer, isOverloaded, isRefusal, isTooManyRequests, waitingState } from './failure.js';
import {
  bookmarkSilence,
  overdueAt,
  nextBookmark,
  nothingKnown,
  stay,
  streamSilence,
  type Effect,
  type InFlightState,
  type Input,
  type Memory,
  type Pace,
  type Paced,
  type Query,
  type Probed,
  type Recheck,
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
  openPages,
  openWatch,
  statusEvent,
  type Moment,
  afterRestore,
  afterWatchFailure,
  backOff,
  failedTransforms,
  isBehind,
  settled,
} from './transitions.js';

/** The state before the first request. */
export const initialState: State<never> = { name: 'idle', memory: nothingKnown };

/** Returns the next state and the effects. Pure. A meaningless input changes nothing. */
export function step<T>(
  config: ReflectorConfig,
  state: State<T>,
  input: Input<T> | ((Turn | Recheck | Probed) & Moment),
): Step<T> {
  if (input.type === 'alarm' && input.at < alarmOf(config, state)) return stay(state);
  if (input.type === 'queued' || input.type === 'sent') return turn(state, input);
  if (input.type === 'probed') return pace(config, probed(config, state, input), input);
  const next =
    input.type === 'recheck' ? recheck(config, state, input) : stepFrom(config, withHeartbeat(state, input), input);
  return pace(config, charge(state, next, input), input);
}

/** Records that the connection has a heartbeat, also for later watches. */
function withHeartbeat<T>(state: State<T>, input: Input<T>): State<T> {
  if (input.type !== 'events' || input.hasHeartbeat !== true || state.memory.hasHeartbeat) return state;
  return { ...state, memory: { ...state.memory, hasHeartbeat: true } };
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
function recheck<T>(config: ReflectorConfig, state: State<T>, input: Recheck & Moment): Step<T> {
  if (input.version !== undefined) return catchUp(config, state, input, input.version);
  if (tokenWait(state.memory.pace.fullAt, input.at, rate) > 0) return stay(state);
  switch (state.name) {
    case 'idle':
    case 'paced':
      return stay(state);
    case 'waiting':
      return hurry(config, state, input);
    case 'watching':
      return state.headAt !== undefined || isSilent(state, input)
        ? resume(config, state, input, undefined)
        : stay(state);
    case 'listing':
    case 'streaming':
      return isSilent(state, input) ? openAnyList(config, state.memory, input) : stay(state);
  }
}

/**
 * Lists in pages, at this version or a later one, if the watch has not reached it. A watch that
 * delivers late would deliver a streaming list late, too.
 */
function catchUp<T>(config: ReflectorConfig, state: State<T>, input: Moment, version: string): Step<T> {
  const isListing = state.name !== 'watching' && (state.name !== 'waiting' || input.at < state.notBefore);
  const isReached = (compareResourceVersions(state.memory.newestVersion, version) ?? 0) >= 0;
  if (isListing || isReached) return stay(state);
  return openPages(config, { ...state.memory, resourceVersion: version }, input);
}

function hurry<T>(config: ReflectorConfig, state: Waiting, input: Moment): Step<T> {
  const { memory, notBefore, cause } = state;
  if (input.at >= notBefore) return goOn(config, { ...state, memory: { ...memory, attempt: 0 } }, input);
  if (notBefore >= state.until) return stay(state);
  const status = statusEvent({ state: waitingState(cause), until: notBefore, attempt: memory.attempt, cause });
  return { state: { ...state, until: notBefore }, effects: [{ type: 'emit', batch: [status] }] };
}

/** Returns true if a request has received nothing for a second. */
function isSilent<T>({ openedAt, lastAt }: InFlightState<T>, { at }: Moment): boolean {
  return at - Math.max(openedAt, lastAt) >= shortLife;
}

/** Stops the timeout of a request in the client's queue until the request is sent. */
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
        state.headAt === undefined ? state.openedAt + config.openTimeout : watchEndsAt(config, state, state.headAt),
        state.memory.relistAt ?? Infinity,
        state.memory.probeAt ?? Infinity,
      );
  }
}

function watchEndsAt(config: ReflectorConfig, state: Watching, headAt: number): number {
  return Math.min(overdueAt(config, state.query, headAt), state.lastAt + longestSilence(config, state));
}

/** Returns the silence after which a watch counts as dead, because it was never silent for long. */
function longestSilence(config: ReflectorConfig, { memory, bookmarks }: Watching): number {
  return Math.min(
    memory.hasHeartbeat ? config.watchSilence : Infinity,
    bookmarks.areRegular ? bookmarkSilence : Infinity,
  );
}

/** Continues a list. The rest of a read after its end belongs to the watch. */
function continueStream<T>(config: ReflectorConfig, streaming: Streaming<T>, input: Input<T>): Step<T> {
  const { rest = [], ...next } = stepStream(config, streaming, input);
  if (rest.length === 0 || next.state.name !== 'watching') return next;
  const { state, effects } = stepWatch(config, next.state, { ...input, type: 'events', events: rest });
  return { state, effects: [...next.effects, ...effects] };
}

/** Sends the next request after a wait. */
function goOn<T>(config: ReflectorConfig, state: Waiting, input: Moment): Step<T> {
  if (state.next === 'list') return openAnyList(config, state.memory, input);
  const reconnecting = statusEvent({ state: 'reconnecting', cause: state.cause });
  return openWatch(config, state.memory, input, [reconnecting]);
}

/** The number of requests that may be sent without a wait. */
const requestBurst = 10;

/** The milliseconds between two requests after the first `requestBurst` requests. */
const requestInterval = 1_000;

const rate = { interval: requestInterval, burst: requestBurst };

/**
 * Limits the requests of one source: `requestBurst` at once, then one per `requestInterval`, so at
 * most 70 in any minute (G5). A page after one with new objects is free: a long list is normal.
 *
 * A request beyond the limit leads to `paced`, and is sent later. The first in a row is reported.
 */
function pace<T>(config: ReflectorConfig, next: Step<T>, moment: Moment): Step<T> {
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
    `${requestBurst} requests ended within seconds; the source now waits up to ${requestInterval} ms before each request`,
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
function release<T>({ then, query, memory }: Paced<T>, { at }: Moment): Step<T> {
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

/** Counts a page that was free, but ended without a new object of its own. */
function charge<T>(state: State<T>, next: Step<T>, { at }: Moment): Step<T> {
  if (state.name !== 'listing' || !state.isFree || state.progress.isNew) return next;
  if (next.state.name === 'listing' && next.state.query === state.query) return next;
  const { memory } = next.state;
  const pace: Pace = { ...memory.pace, fullAt: takeToken(memory.pace.fullAt, at, rate) };
  return { ...next, state: { ...next.state, memory: { ...memory, pace } } };
}

/** Returns true for a state with a request in flight. */
function isInFlight<T>(state: State<T>): state is InFlightState<T> {
  return state.name === 'listing' || state.name === 'streaming' || state.name === 'watching';
}

/**
 * After this number of watches in a row that ended early without anything new, the source lists
 * again. The version may be gone without a 410 (R14 ▲).
 */
const fruitlessWatches = 5;

/** Returns the next step while a watch is open or being opened. */
function stepWatch<T>(config: ReflectorConfig, state: Watching, input: Input<T>): Step<T> {
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

function connected<T>(state: Watching, { at, random }: Input<T>): Step<T> {
  const { lostAt } = state.memory;
  const memory = { ...state.memory, probeAt: lostAt === undefined ? undefined : probeTime(at, random) };
  const status = statusEvent({ state: 'watching', since: at, resourceVersion: memory.resourceVersion });
  return {
    state: {
      ...state,
      memory: { ...memory, isStreamForbidden: false, healthySince: memory.healthySince ?? at },
      headAt: at,
      lastAt: at,
    },
    effects: [{ type: 'emit', batch: [status] }],
  };
}

/** Emits a batch per read (R9). The version never passes an undelivered event (R12 ▲). */
function read<T>(
  config: ReflectorConfig,
  state: Watching,
  input: Input<T>,
  events: readonly DecodedEvent<T>[],
): Step<T> {
  const batch: WatchEvent<T>[] = [];
  let { resourceVersion, newestVersion } = state.memory;
  let { isOrdered, bookmarks } = state;
  const advanced = (): Watching => ({
    ...state,
    memory: { ...state.memory, resourceVersion, newestVersion },
    hasProgressed: state.hasProgressed || newestVersion !== state.memory.newestVersion,
    isOrdered,
    bookmarks,
  });
  for (const [position, event] of events.entries()) {
    switch (event.type) {
      case 'change':
      case 'elsewhere':
        // R11: a watch without a version begins with all existing objects, in no order.
        isOrdered ||= event.change !== 'ADDED';
        if (isOrdered) resourceVersion = event.resourceVersion;
        newestVersion = newerOf(newestVersion, event.resourceVersion);
        if (event.type === 'change') batch.push({ type: event.change, object: event.object });
        break;
      case 'bookmark':
        // The versions of single events may go back, because servers replay events.
        if (isBehind(advanced().memory, event.resourceVersion)) {
          const sign = { query: state.query, serverVersion: event.resourceVersion, events: batch };
          return afterRestore(config, advanced().memory, input, sign);
        }
        isOrdered = true;
        bookmarks = nextBookmark(bookmarks, input.at);
        resourceVersion = event.resourceVersion;
        newestVersion = newerOf(newestVersion, resourceVersion);
        batch.push({ type: 'BOOKMARK', resourceVersion });
        break;
      case 'error': {
        // R15: after 429 the watch is tried again; after 410 and any other error, a list follows.
        const next = isTooManyRequests(event.error) ? 'watch' : 'list';
        const memory = afterWatchFailure(advanced().memory, event.error);
        return backOff(config, memory, input, { cause: event.error, next, events: batch });
      }
      case 'untransformed':
      case 'lost':
        // These events are decoded already, so failures are reported now.
        batch.push(...failedTransforms(events.slice(position + 1)));
        return backOff(config, advanced().memory, input, { cause: event.error, next: 'list', events: batch });
      default:
        event satisfies never;
    }
  }
  return { state: advanced(), effects: batch.length > 0 ? [{ type: 'emit', batch }] : [] };
}

/**
 * Continues after a watch has ended, because the server closed it or the connection broke.
 *
 * | the watch delivered | it lasted | what follows |
 * | --- | --- | --- |
 * | a newer version | any time | the watch is resumed at once (R13), within the limit of `pace` |
 * | nothing newer | less than a second | backoff, then a list (R14), or another watch if the connection broke |
 * | nothing newer, several times in a row | less than half of the requested time | backoff, then a list (R14 ▲) |
 * | nothing newer | any other time | the watch is resumed at once (R13) |
 */
function ended<T>(config: ReflectorConfig, state: Watching, input: Input<T>, cut: SourceError | undefined): Step<T> {
  const { query } = state;
  const memory = doubted(state.memory, input, cut);
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

/** Returns the newer version. If the two cannot be compared, `version` counts as newer. */
function newerOf(known: string, version: string): string {
  return (compareResourceVersions(version, known) ?? 1) > 0 ? version : known;
}

/** Opens the watch again at once, from the last version (R13). */
function resume<T>(config: ReflectorConfig, state: Watching, input: Moment, cause: SourceError | undefined): Step<T> {
  const reconnecting = statusEvent({ state: 'reconnecting', ...(cause !== undefined && { cause }) });
  const events = cause === undefined ? [reconnecting] : [errorEvent(cause), reconnecting];
  return openWatch(config, state.memory, input, events);
}

/**
 * Continues after the failure of a watch. If there was no response, or the server is too busy, the
 * version is still valid, so the watch is tried again. Otherwise the source lists (R8 ▲).
 */
function fail<T>(config: ReflectorConfig, state: Watching, input: Input<T>, error: SourceError): Step<T> {
  if (state.headAt !== undefined && isNoAnswer(error)) return ended(config, state, input, error);
  const next = isNoAnswer(error) || isOverloaded(error) ? 'watch' : 'list';
  const isStreamForbidden = isRefusal(error);
  const memory = { ...doubted(afterWatchFailure(state.memory, error), input, error), isStreamForbidden };
  return backOff(config, memory, input, { cause: error, next });
}

/** Returns the memory after a watch has ended. After a broken connection, the server is doubted. */
function doubted(memory: Memory, { at }: Moment, cause: SourceError | undefined): Memory {
  const isBroken = cause instanceof ConnectionError || cause instanceof SilentConnectionError;
  return isBroken ? { ...memory, lostAt: at, probeAt: undefined } : { ...memory, probeAt: undefined };
}

/**
 * The shortest time, in milliseconds, between the head of a watch and the request for the version
 * of the server, and the time over which many clients spread these requests.
 */
const probeDelay = 1_000;
const probeSpread = 2_000;

/** The wait before the version is requested again, if the server could not answer. */
const probeRetry = 10_000;

function probeTime(at: number, random: number): number {
  return at + probeDelay + random * probeSpread;
}

/** Requests the version of the server, within the limit of `pace`. */
function probe<T>(state: Watching, since: number, { at }: Moment): Step<T> {
  const { memory } = state;
  const wait = tokenWait(memory.pace.fullAt, at, rate);
  if (wait > 0) return stay({ ...state, memory: { ...memory, probeAt: at + wait } });
  const pace: Pace = { ...memory.pace, fullAt: takeToken(memory.pace.fullAt, at, rate) };
  return { state: { ...state, memory: { ...memory, pace, probeAt: undefined } }, effects: [{ type: 'probe', since }] };
}

/**
 * Compares the server's version with the newest known one. If it went back, its etcd was restored,
 * and a watch would be silent until the server has passed the known version.
 */
function probed<T>(
  config: ReflectorConfig,
  state: State<T>,
  { resourceVersion, at, random }: Probed & Moment,
): Step<T> {
  if (state.name !== 'watching' || state.memory.lostAt === undefined) return stay(state);
  const { memory, query } = state;
  if (resourceVersion === undefined) {
    return stay({ ...state, memory: { ...memory, probeAt: probeTime(at + probeRetry, random) } });
  }
  if (!isBehind(memory, resourceVersion)) return stay({ ...state, memory: settled(memory) });
  return afterRestore(config, memory, { at, random }, { query, serverVersion: resourceVersion });
}

function overdue<T>(config: ReflectorConfig, state: Watching, input: Input<T>): Step<T> {
  const { relistAt, lostAt, probeAt } = state.memory;
  if (probeAt !== undefined && lostAt !== undefined && input.at >= probeAt) return probe(state, lostAt, input);
  if (relistAt !== undefined && input.at >= relistAt) return openAnyList(config, state.memory, input);
  const silence = input.at - state.lastAt;
  const request = config.requestLine(state.query);
  if (state.headAt === undefined) {
    // A proxy that buffers responses blocks every watch, but not lists. So the source lists from
    // time to time.
    const cause = new SilentConnectionError(request, 'headers', silence);
    return backOff(config, doubted(state.memory, input, cause), input, { cause, next: 'list' });
  }
  // A server that still sends data has ignored timeoutSeconds. The connection is replaced without
  // an error.
  const isDead = silence >= Math.min(config.grace, longestSilence(config, state));
  const cause = isDead ? new SilentConnectionError(request, 'data', silence) : undefined;
  return resume(config, { ...state, memory: doubted(state.memory, input, cause) }, input, cause);
}
