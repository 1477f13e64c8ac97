import { objectKey } from '../../kubernetes/keys.js';
import {
  collect,
  createChangeFold,
  everythingIn,
  firstFold,
  type FoldableChange,
  foldChanges,
} from '../model/collected-list.js';
import { type SourceError, earlyCloseError, bookmarkDeadlineError, silentConnectionError } from '../model/errors.js';
import { asExpected, failureKindOf } from '../model/failure-kind.js';
import { errorEvent, statusEvent, type WatchEvent } from '../model/watch-event.js';
import { overdueAt, reportInterval, shortLifetime, streamSilence, timeouts } from './alarm.js';
import { backOff, finishList, openPages, openStream } from './next-request.js';
import {
  type Context,
  type DecodedEvent,
  type Input,
  type LinkMeasure,
  noBookmarks,
  stay,
  type Step,
  type Streaming,
} from './protocol.js';
import { readEvents } from './step-watch.js';

/** Returns the next step while a streaming list is read, up to its end bookmark (R23–R27). */
export function stepStream<T>(context: Context, state: Streaming<T>, input: Input<T>): Step<T> {
  const { at } = context;
  switch (input.type) {
    case 'head': {
      const link = input.isCompressed === true ? undefined : state.link;
      return stay<T>({ ...state, headAt: at, lastAt: at, initialAt: at, link });
    }
    case 'events':
      return readPart(context, state, input.events, input.bytes);
    case 'closed':
      return ended(context, state, input.cut);
    case 'failed':
      return state.headAt !== undefined && failureKindOf(input.error) === 'no-answer'
        ? ended(context, state, input.error)
        : failed(context, state, input.error);
    case 'alarm':
      return tooLate(context, state);
    default:
      return stay(state);
  }
}

/**
 * Collects changes of all types. No change is emitted before the end bookmark. After it, the same
 * stream is the watch, and the rest of the read belongs to the watch (R24).
 *
 * @param bytes the length of the read; 0 for a heartbeat
 */
function readPart<T>(
  context: Context,
  before: Streaming<T>,
  events: readonly DecodedEvent<T>[],
  bytes: number | undefined,
): Step<T> {
  const { at } = context;
  const link = measure(before, at, bytes);
  const changes: FoldableChange<T>[] = [];
  const errors: WatchEvent<T>[] = [];
  let { lastInOrder, isChanging } = before;
  let hasAddition = false;
  let failure: SourceError | undefined;
  for (const [position, event] of events.entries()) {
    if ('change' in event && failure === undefined) {
      if (event.change === 'ADDED') hasAddition = true;
      else isChanging = true;
    }
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
      case 'bookmark':
        if (event.endsInitialList) {
          const state = { ...before, collected: collect(before.collected, changes), lastInOrder };
          const next = finish(context, state, event.resourceVersion, errors);
          const rest = events.slice(position + 1);
          if (rest.length === 0 || next.state.name !== 'watching') return next;
          const watched = readEvents(context, next.state, rest);
          return { state: watched.state, effects: [...next.effects, ...watched.effects] };
        }
        break;
      default:
        failure = event.error;
    }
  }
  if (failure !== undefined) return failed(context, before, failure, errors);
  const received = before.received + changes.length;
  const isPart = events.length === 0 && bytes !== 0;
  const isInitial = !before.isChanging && (isPart || hasAddition);
  const isDue = changes.length > 0 && at - before.reportedAt >= reportInterval;
  const batch = isDue ? [...errors, statusEvent({ state: 'listing', by: 'stream', received })] : errors;
  const next: Streaming<T> = {
    ...withChanges(before, changes, lastInOrder),
    lastAt: at,
    link,
    initialAt: isInitial ? at : before.initialAt,
    isChanging,
    received,
    reportedAt: isDue ? at : before.reportedAt,
  };
  if (link === undefined || link.time < slowTime) return stay(next, batch);
  // Servers compress pages, so lists are in pages from now on. The stream's objects are dropped.
  const pages = openPages<T>(context, { ...next.memory, isLinkSlow: true });
  return { state: pages.state, effects: [...stay<T>(next, batch).effects, ...pages.effects] };
}

/** A link is fast if it delivers `fastBytes` within `slowTime` milliseconds, otherwise slow. */
const fastBytes = 1024 * 1024;
const slowTime = 1_000;

/**
 * A longer pause between two reads counts as this number of milliseconds, because the server or
 * this process was busy, or the connection was new.
 */
const maxPause = 100;

/** Returns the measurement after a read; `undefined` once the link has proved to be fast. */
function measure<T>({ link, lastAt }: Streaming<T>, at: number, read = 0): LinkMeasure | undefined {
  if (link === undefined) return undefined;
  const bytes = link.bytes + read;
  return bytes >= fastBytes ? undefined : { bytes, time: link.time + Math.min(at - lastAt, maxPause) };
}

/**
 * Adds changes to the collected changes. The collected changes are folded whenever their number has
 * doubled, so their number is at most about twice the number of objects.
 */
function withChanges<T>(
  state: Streaming<T>,
  added: readonly FoldableChange<T>[],
  lastInOrder: string | undefined,
): Streaming<T> {
  const collected = collect(state.collected, added);
  const changes = state.changes + added.length;
  if (lastInOrder !== undefined || changes < state.foldAt) return { ...state, collected, changes, lastInOrder };
  const folded = foldChanges(everythingIn(collected));
  const foldAt = Math.max(firstFold, folded.length * 2);
  return { ...state, collected: collect(undefined, folded), changes: folded.length, foldAt, lastInOrder };
}

/** Emits the list. The stream continues as the watch (R24). */
function finish<T>(
  context: Context,
  state: Streaming<T>,
  resourceVersion: string,
  events: readonly WatchEvent<T>[],
): Step<T> {
  const { query, openedAt } = state;
  const { at } = context;
  const before = { ...state.memory, isStreamSilent: false, withoutProgress: 0 };
  const list = { query, requested: query.resourceVersion, resourceVersion, ...contentOf(state), events };
  return finishList(context, before, list, (memory, batch) =>
    stay<T>(
      {
        name: 'watching',
        memory: { ...memory, healthySince: memory.healthySince ?? at },
        query,
        openedAt,
        headAt: state.headAt ?? at,
        lastAt: at,
        hasProgressed: true,
        isOrdered: true,
        bookmarks: noBookmarks,
      },
      [...batch, statusEvent({ state: 'watching', since: at, resourceVersion })],
    ),
  );
}

/**
 * Returns the objects at the end of the list. Most servers send each object once, in key order;
 * then nothing has to be folded.
 */
function contentOf<T>({ collected, lastInOrder }: Streaming<T>): {
  readonly items: readonly T[];
  readonly missing: readonly string[];
} {
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

/** The number of broken streaming lists in a row after which pages are read (R25 ▲). */
const maxBrokenStreams = 3;

/**
 * Handles an early end: drops the objects, and opens the stream again (R25). After several such
 * ends, or a very short stream without an object, lists in pages (▲).
 */
function ended<T>(context: Context, state: Streaming<T>, cut: SourceError | undefined): Step<T> {
  const withoutProgress = state.memory.withoutProgress + 1;
  const line = context.config.requestLine(state.query);
  const events = [errorEvent(asExpected(cut ?? earlyCloseError(line, withoutProgress)))];
  const isShort = context.at - state.openedAt < shortLifetime && state.received === 0;
  return isShort || withoutProgress >= maxBrokenStreams
    ? openPages(context, { ...state.memory, withoutProgress: 0 }, events)
    : openStream(context, { ...state.memory, withoutProgress }, events);
}

/**
 * Ends a silent stream, and lists in pages. The time until a page arrives then decides whether a
 * stream is tried again later (R27 ▲).
 */
function tooLate<T>(context: Context, state: Streaming<T>): Step<T> {
  const { config, at } = context;
  const { memory, headAt, initialAt, lastAt, query } = state;
  const line = config.requestLine(query);
  const silence = at - lastAt;
  if (headAt !== undefined) {
    const isOverdue = at >= Math.min(initialAt + timeouts.bookmark, overdueAt(config, query, headAt));
    if (isOverdue) return failed(context, state, bookmarkDeadlineError(line, at - initialAt));
    // If the alarm is this late, this process was busy, and the stream may have sent something.
    if (silence >= streamSilence + shortLifetime) return stay({ ...state, lastAt: at });
  }
  const error =
    headAt === undefined ? silentConnectionError(line, 'headers', silence) : bookmarkDeadlineError(line, silence);
  return openPages(context, { ...memory, isStreamSilent: true }, [errorEvent(error)]);
}

/** Handles the failure of a streaming list (R26). */
function failed<T>(
  context: Context,
  { memory, query }: Streaming<T>,
  cause: SourceError,
  events: readonly WatchEvent<T>[] = [],
): Step<T> {
  const kind = failureKindOf(cause);
  switch (kind) {
    case 'too-many-requests':
    case 'no-answer':
      return backOff(context, memory, { cause, next: 'list', events });
    // A list in pages would probably be refused too, so it is the next attempt (▲).
    case 'forbidden':
    case 'not-found':
      return backOff(context, { ...memory, isStreamForbidden: true }, { cause, next: 'list', events });
    case 'expired':
    case 'too-large':
      if (query.resourceVersion === '') break;
      return openStream(context, { ...memory, isVersionUnavailable: true }, [...events, errorEvent(asExpected(cause))]);
    default:
  }
  // After any other error, lists in pages: only this time, or always if a stream would fail in the
  // same way again (▲).
  const isStreamRefused = kind === 'no-streams' || kind === 'no-watch';
  const reported = [...events, errorEvent(isStreamRefused ? asExpected(cause) : cause)];
  const pages = openPages(context, { ...memory, isStreamRefused }, reported);
  return kind === 'no-streams' ? { ...pages, effects: [...pages.effects, { type: 'streams-refused' }] } : pages;
}
