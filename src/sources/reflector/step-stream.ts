import { objectKey } from '../../kubernetes/keys.js';
import { BookmarkDeadlineError, EarlyCloseError, SilentConnectionError, type SourceError } from '../model/errors.js';
import type { ListedEvent, WatchEvent } from '../model/watch-event.js';
import { collect, createChangeFold, everythingIn, firstFold, type FoldableChange, foldChanges } from './collected.js';
import {
  asExpected,
  isNoAnswer,
  isRefusal,
  isTooManyRequests,
  isVersionUnavailable,
  refusesAllStreams,
  refusesStream,
} from './failure.js';
import {
  type DecodedEvent,
  type Input,
  type LinkMeasure,
  type Memory,
  noBookmarks,
  overdueAt,
  type ReflectorConfig,
  reportInterval,
  shortLife,
  stay,
  type Step,
  type Streaming,
  streamSilence,
  type Watching,
} from './protocol.js';
import {
  afterRestore,
  backOff,
  countMissing,
  errorEvent,
  failedTransforms,
  isBehind,
  openPages,
  openStream,
  restoredError,
  settled,
  statusEvent,
} from './transitions.js';

/** The number of broken streaming lists in a row after which pages are read (R25 ▲). */
const fruitlessStreams = 3;

/** A step. `rest` has the events after the end of the list, which belong to the watch. */
export type StreamStep<T> = Step<T> & { readonly rest?: readonly DecodedEvent<T>[] };

/** Returns the next step while a streaming list is read, up to its end bookmark (R23–R27). */
export function stepStream<T>(config: ReflectorConfig, state: Streaming<T>, input: Input<T>): StreamStep<T> {
  switch (input.type) {
    case 'head': {
      const link = input.isCompressed === true ? undefined : state.link;
      return stay<T>({ ...state, headAt: input.at, lastAt: input.at, initialAt: input.at, link });
    }
    case 'events': {
      const link = measure(state, input.at, input.bytes);
      const next = read(config, { ...state, lastAt: input.at, link }, input, input.events);
      const goesOn = next.state.name === 'streaming' && next.state.query === state.query;
      return goesOn && isSlow(link) ? leaveSlowLink(config, next, input) : next;
    }
    case 'closed':
      return ended(config, state, input, input.cut);
    case 'failed':
      return isNoAnswer(input.error) && state.headAt !== undefined
        ? ended(config, state, input, input.error)
        : fail(config, state, input, input.error);
    case 'alarm':
      return tooLate(config, state, input);
    case 'started':
    case 'items':
    case 'page-end':
      return stay(state);
  }
}

/**
 * Ends a silent stream, and lists in pages. The time until a page arrives then decides whether a
 * stream is tried again later (R27 ▲).
 */
function tooLate<T>(config: ReflectorConfig, state: Streaming<T>, input: Input<T>): Step<T> {
  const { headAt, initialAt, lastAt, query } = state;
  const request = config.requestLine(query);
  const silence = input.at - lastAt;
  const inPages = (error: SourceError): Step<T> =>
    openPages(config, { ...state.memory, isStreamSilent: true }, input, [errorEvent(error)]);
  if (headAt === undefined) return inPages(new SilentConnectionError(request, 'headers', silence));
  const isOverdue = input.at >= Math.min(initialAt + config.bookmarkDeadline, overdueAt(config, query, headAt));
  if (isOverdue) return fail(config, state, input, new BookmarkDeadlineError(request, input.at - initialAt));
  // If the alarm is this late, this process was busy. The stream may have sent something meanwhile.
  if (silence >= streamSilence + shortLife) return stay({ ...state, lastAt: input.at });
  return inPages(new BookmarkDeadlineError(request, silence));
}

/** A link is fast if it delivers `fastBytes` within `slowTime` milliseconds, otherwise slow. */
const fastBytes = 1024 * 1024;
const slowTime = 1_000;

/**
 * A longer pause between two reads counts as this number of milliseconds, because the server or
 * this process was busy, or the connection was new.
 */
const longestPause = 100;

/** Returns the measurement after a read; `undefined` once the link has proved to be fast. */
function measure<T>({ link, lastAt }: Streaming<T>, at: number, read = 0): LinkMeasure | undefined {
  if (link === undefined) return undefined;
  const bytes = link.bytes + read;
  return bytes >= fastBytes ? undefined : { bytes, time: link.time + Math.min(at - lastAt, longestPause) };
}

function isSlow(link: LinkMeasure | undefined): boolean {
  return link !== undefined && link.time >= slowTime;
}

/** Lists in pages from now on, because servers compress them. Drops the stream's objects. */
function leaveSlowLink<T>(config: ReflectorConfig, { state, effects }: Step<T>, input: Input<T>): Step<T> {
  const pages = openPages<T>(config, { ...state.memory, isLinkSlow: true }, input);
  return { state: pages.state, effects: [...effects, ...pages.effects] };
}

/** Collects changes of all types. No change is emitted before the end bookmark (R24). */
function read<T>(
  config: ReflectorConfig,
  state: Streaming<T>,
  input: Input<T>,
  events: readonly DecodedEvent<T>[],
): StreamStep<T> {
  const changes: FoldableChange<T>[] = [];
  const errors: WatchEvent<T>[] = [];
  let { lastInOrder } = state;
  for (const [position, event] of events.entries()) {
    switch (event.type) {
      case 'change': {
        const { change, object } = event;
        const key = objectKey(object);
        changes.push(change === 'DELETED' ? { type: 'delete', key } : { type: 'upsert', object });
        const follows = change === 'ADDED' && lastInOrder !== undefined && key !== undefined && key > lastInOrder;
        lastInOrder = follows ? key : undefined;
        break;
      }
      case 'untransformed':
        errors.push(errorEvent(event.error));
        changes.push({ type: event.change === 'DELETED' ? 'delete' : 'missing', key: event.error.key });
        lastInOrder = undefined;
        break;
      case 'elsewhere':
        break;
      case 'bookmark':
        if (event.endsInitialList) {
          const whole = { ...state, collected: collect(state.collected, changes), lastInOrder };
          return finish(config, whole, input, {
            errors,
            resourceVersion: event.resourceVersion,
            rest: events.slice(position + 1),
          });
        }
        break;
      case 'error':
      case 'lost':
        return fail(config, state, input, event.error, [...errors, ...failedTransforms(events.slice(position + 1))]);
      default:
        event satisfies never;
    }
  }
  const received = state.received + changes.length;
  const isPart = events.length === 0 && !isHeartbeat(input);
  const isInitial = !state.isChanging && (isPart || events.some(isAddition));
  const isDue = changes.length > 0 && input.at - state.reportedAt >= reportInterval;
  const batch = isDue ? [...errors, statusEvent({ state: 'listing', by: 'stream', received })] : errors;
  return {
    state: {
      ...hold(state, changes, lastInOrder),
      initialAt: isInitial ? input.at : state.initialAt,
      isChanging: state.isChanging || events.some(isLaterChange),
      received,
      reportedAt: isDue ? input.at : state.reportedAt,
    },
    effects: batch.length > 0 ? [{ type: 'emit', batch }] : [],
  };
}

/** Returns true for a read that has only empty lines: the heartbeat of a proxy. */
function isHeartbeat<T>(input: Input<T>): boolean {
  return input.type === 'events' && input.bytes === 0;
}

function isAddition<T>(event: DecodedEvent<T>): boolean {
  return 'change' in event && event.change === 'ADDED';
}

function isLaterChange<T>(event: DecodedEvent<T>): boolean {
  return 'change' in event && event.change !== 'ADDED';
}

/**
 * Adds changes to the collected changes. The collected changes are folded whenever their number has
 * doubled, so their number is at most about twice the number of objects.
 */
function hold<T>(
  state: Streaming<T>,
  changes: readonly FoldableChange<T>[],
  lastInOrder: string | undefined,
): Streaming<T> {
  const collected = collect(state.collected, changes);
  const held = state.held + changes.length;
  if (lastInOrder !== undefined || held < state.foldAt) return { ...state, collected, held, lastInOrder };
  const folded = foldChanges(everythingIn(collected));
  const foldAt = Math.max(firstFold, folded.length * 2);
  return { ...state, collected: collect(undefined, folded), held: folded.length, foldAt, lastInOrder };
}

/**
 * Returns the objects at the end of the list. Most servers send each object once, in key order;
 * then nothing has to be folded.
 */
function listOf<T>({
  collected,
  lastInOrder,
}: Streaming<T>): Pick<ListedEvent<T>, 'items'> & { readonly missing: readonly string[] } {
  const changes = everythingIn(collected);
  if (lastInOrder !== undefined) {
    const items: T[] = [];
    for (const change of changes) if (change.type === 'upsert') items.push(change.object);
    return { items, missing: [] };
  }
  const fold = createChangeFold<T>();
  for (const change of changes) fold.apply(change);
  return { items: fold.items(), missing: fold.missing() };
}

/** Emits the list. The stream continues as the watch, with the rest of this read (R24). */
function finish<T>(
  config: ReflectorConfig,
  state: Streaming<T>,
  input: Input<T>,
  end: {
    readonly errors: readonly WatchEvent<T>[];
    readonly resourceVersion: string;
    readonly rest: readonly DecodedEvent<T>[];
  },
): StreamStep<T> {
  const { resourceVersion } = end;
  const { query } = state;
  const isRestored = isBehind(state.memory, resourceVersion);
  if (isRestored && query.resourceVersion !== '') {
    return afterRestore(config, state.memory, input, { query, serverVersion: resourceVersion, events: end.errors });
  }
  const restored = isRestored ? [errorEvent(restoredError(config, state.memory, query, resourceVersion))] : [];
  const { items, missing } = listOf(state);
  const known: Memory = {
    ...settled(state.memory),
    resourceVersion,
    newestVersion: resourceVersion,
    isVersionUnavailable: false,
    isStreamSilent: false,
    fruitless: 0,
  };
  const memory = countMissing(config, known, input, missing);
  const watching: Watching = {
    name: 'watching',
    memory: { ...memory, healthySince: memory.healthySince ?? input.at },
    query,
    openedAt: state.openedAt,
    headAt: state.headAt ?? input.at,
    lastAt: input.at,
    hasProgressed: true,
    isOrdered: true,
    bookmarks: noBookmarks,
  };
  const listed: WatchEvent<T> = {
    type: 'LISTED',
    items,
    resourceVersion,
    ...(missing.length > 0 && { missing }),
  };
  const status = statusEvent({ state: 'watching', since: input.at, resourceVersion });
  return {
    state: watching,
    effects: [{ type: 'emit', batch: [...end.errors, ...restored, listed, status] }],
    rest: end.rest,
  };
}

/**
 * Handles an early end: drops the objects, and opens the stream again (R25). After several such
 * ends, or a very short stream without an object, lists in pages (▲).
 */
function ended<T>(
  config: ReflectorConfig,
  state: Streaming<T>,
  input: Input<T>,
  cut: SourceError | undefined,
): Step<T> {
  const times = state.memory.fruitless + 1;
  const error = asExpected(cut ?? new EarlyCloseError(config.requestLine(state.query), times));
  const isShort = input.at - state.openedAt < shortLife && state.received === 0;
  if (isShort || times >= fruitlessStreams) {
    return openPages(config, { ...state.memory, fruitless: 0 }, input, [errorEvent(error)]);
  }
  return openStream(config, { ...state.memory, fruitless: times }, input, [errorEvent(error)]);
}

/** Handles the failure of a streaming list (R26). */
function fail<T>(
  config: ReflectorConfig,
  state: Streaming<T>,
  input: Input<T>,
  cause: SourceError,
  events: readonly WatchEvent<T>[] = [],
): Step<T> {
  const { memory, query } = state;
  if (isTooManyRequests(cause) || isNoAnswer(cause)) {
    return backOff(config, memory, input, { cause, next: 'list', events });
  }
  // A list in pages would probably be refused too, so it is the next attempt (▲).
  if (isRefusal(cause)) {
    return backOff(config, { ...memory, isStreamForbidden: true }, input, { cause, next: 'list', events });
  }
  const isBehind = isVersionUnavailable(cause) && query.resourceVersion !== '';
  const isRefused = refusesStream(cause);
  const reported = [...events, errorEvent(isBehind || isRefused ? asExpected(cause) : cause)];
  if (isBehind) {
    return openStream(config, { ...memory, isVersionUnavailable: true }, input, reported);
  }
  // After any other error, lists in pages: only this time, or always if a stream would fail in the
  // same way again (▲).
  const pages = openPages(config, { ...memory, isStreamRefused: isRefused }, input, reported);
  return refusesAllStreams(cause) ? { ...pages, effects: [...pages.effects, { type: 'streams-refused' }] } : pages;
}
