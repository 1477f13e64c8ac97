import { objectKey } from '../../kubernetes/object.js';
import { BookmarkDeadlineError, EarlyCloseError, SilentConnectionError, type SourceError } from '../model/errors.js';
import type { ListedEvent, WatchEvent } from '../model/watch-event.js';
import { collect, createChangeFold, everythingIn, firstFold, foldChanges, type FoldableChange } from './collected.js';
import {
  asExpected,
  isNoAnswer,
  isTooManyRequests,
  isVersionUnavailable,
  refusesAllStreams,
  refusesStream,
} from './failure.js';
import {
  overdueAt,
  reportInterval,
  shortLife,
  stay,
  streamSilence,
  type DecodedEvent,
  type Input,
  type Memory,
  type ReflectorConfig,
  type Step,
  type Streaming,
  type Watching,
} from './protocol.js';
import {
  backOff,
  countMissing,
  errorEvent,
  failedTransforms,
  openPages,
  openStream,
  statusEvent,
} from './transitions.js';

/** So many streaming lists in a row that ended before their end: list in pages instead (R25 ▲). */
const fruitlessStreams = 3;

/** A step of a streaming list. If it ends the list, `rest` has the events behind the end, which are the watch's. */
export type StreamStep<T> = Step<T> & { readonly rest?: readonly DecodedEvent<T>[] };

/** While a streaming list is read, up to its end bookmark (R23–R27). */
export function stepStream<T>(config: ReflectorConfig, state: Streaming<T>, input: Input<T>): StreamStep<T> {
  switch (input.type) {
    case 'head':
      return stay<T>({ ...state, headAt: input.at, lastAt: input.at, initialAt: input.at });
    case 'events':
      return read(config, { ...state, lastAt: input.at }, input, input.events);
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

/** R27 ▲: a stream that falls silent is given up early; whether it is tried again depends on how fast a page comes. */
function tooLate<T>(config: ReflectorConfig, state: Streaming<T>, input: Input<T>): Step<T> {
  const { headAt, initialAt, lastAt, query } = state;
  const request = config.requestLine(query);
  const silence = input.at - lastAt;
  const inPages = (error: SourceError): Step<T> =>
    openPages(config, { ...state.memory, isStreamSilent: true }, input, [errorEvent(error)]);
  if (headAt === undefined) return inPages(new SilentConnectionError(request, 'headers', silence));
  const isOverdue = input.at >= Math.min(initialAt + config.bookmarkDeadline, overdueAt(config, query, headAt));
  if (isOverdue) return fail(config, state, input, new BookmarkDeadlineError(request, input.at - initialAt));
  // An alarm this late means that this process was busy; the stream may have said something meanwhile.
  if (silence >= streamSilence + shortLife) return stay({ ...state, lastAt: input.at });
  return inPages(new BookmarkDeadlineError(request, silence));
}

/** R24: collects changes of all types beside what is known; nothing of it is seen before the end bookmark. */
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
  const isInitial = !state.isChanging && (events.length === 0 || events.some(isAddition));
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

function isAddition<T>(event: DecodedEvent<T>): boolean {
  return 'change' in event && event.change === 'ADDED';
}

function isLaterChange<T>(event: DecodedEvent<T>): boolean {
  return 'change' in event && event.change !== 'ADDED';
}

/** Adds changes to those collected; at each doubling they are folded, so what is held is at most twice what exists. */
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

/** What exists in the end. Most servers send each object once, in key order: then there is nothing to add up. */
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

/** R24: the list is whole; the same stream continues as the watch, beginning with the rest of this read. */
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
  const { items, missing } = listOf(state);
  const known: Memory = {
    ...state.memory,
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
    query: state.query,
    openedAt: state.openedAt,
    headAt: state.headAt ?? input.at,
    lastAt: input.at,
    hasProgressed: true,
    isOrdered: true,
  };
  const listed: WatchEvent<T> = {
    type: 'LISTED',
    items,
    resourceVersion,
    ...(missing.length > 0 && { missing }),
  };
  const status = statusEvent({ state: 'watching', since: input.at, resourceVersion });
  return { state: watching, effects: [{ type: 'emit', batch: [...end.errors, listed, status] }], rest: end.rest };
}

/** R25: what was collected is dropped and the stream opened again, at once; ▲ after some such ends in a row, or a very short one, pages. */
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

/** R26. */
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
  const isBehind = isVersionUnavailable(cause) && query.resourceVersion !== '';
  const isRefused = refusesStream(cause);
  const reported = [...events, errorEvent(isBehind || isRefused ? asExpected(cause) : cause)];
  if (isBehind) {
    return openStream(config, { ...memory, isVersionUnavailable: true }, input, reported);
  }
  // Anything else: pages, in this cycle only; ▲ for good where the stream would fail the same way again.
  const pages = openPages(config, { ...memory, isStreamRefused: isRefused }, input, reported);
  return refusesAllStreams(cause) ? { ...pages, effects: [...pages.effects, { type: 'streams-refused' }] } : pages;
}
