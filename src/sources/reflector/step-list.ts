import { ResponseError, SilentConnectionError, type SourceError } from '../model/errors.js';
import type { WatchEvent } from '../model/watch-event.js';
import type { ListEnvelopeMetadata } from '../wire/split-list.js';
import { collect, everythingIn, readPart, turnPage } from './collected.js';
import { asExpected, isExpired, isRefusal, isVersionUnavailable } from './failure.js';
import {
  reportInterval,
  stay,
  streamSilence,
  type Input,
  type Listing,
  type ListQuery,
  type Memory,
  type ReflectorConfig,
  type Step,
} from './protocol.js';
import {
  afterRestore,
  backOff,
  countMissing,
  errorEvent,
  isBehind,
  openPage,
  openPages,
  openWatch,
  restoredError,
  settled,
  statusEvent,
} from './transitions.js';

/** Returns the next step while a list is read in pages. */
export function stepList<T>(config: ReflectorConfig, state: Listing<T>, input: Input<T>): Step<T> {
  switch (input.type) {
    case 'head':
      return stay({ ...state, headAt: input.at, lastAt: input.at });
    case 'items': {
      const { items, failures } = input;
      const read: Listing<T> = {
        ...state,
        lastAt: input.at,
        collected: collect(state.collected, items),
        received: state.received + items.length,
        missing: [...state.missing, ...failures.map((failure) => failure.key)],
        progress: readPart(state.progress, items, failures.length + (input.elsewhere ?? 0)),
      };
      return report(read, input, failures.map(errorEvent));
    }
    case 'page-end':
      return state.memory.isStreamSilent
        ? compareWithStream(config, state, input, input.metadata)
        : endPage(config, state, input, input.metadata);
    case 'failed':
      return fail(config, state, input, input.error);
    case 'closed':
      return fail(
        config,
        state,
        input,
        new ResponseError(config.requestLine(state.query), 'the response ended before the list was complete'),
      );
    case 'alarm': {
      const waitedFor = state.headAt === undefined ? 'headers' : 'data';
      const silence = input.at - state.lastAt;
      return fail(config, state, input, new SilentConnectionError(config.requestLine(state.query), waitedFor, silence));
    }
    case 'started':
    case 'events':
      return stay(state);
  }
}

function endPage<T>(
  config: ReflectorConfig,
  state: Listing<T>,
  input: Input<T>,
  metadata: ListEnvelopeMetadata,
): Step<T> {
  return metadata.continue
    ? nextPage(config, state, input, { ...metadata, continue: metadata.continue })
    : finish(config, state, input, metadata);
}

/**
 * Decides after a silent stream whether streams work: if a page arrived in less time than the
 * stream was silent, the server is not slow, so they do not (R27 ▲).
 */
function compareWithStream<T>(
  config: ReflectorConfig,
  state: Listing<T>,
  input: Input<T>,
  metadata: ListEnvelopeMetadata,
): Step<T> {
  const isStreamRefused = input.at - state.openedAt < streamSilence;
  const memory: Memory = { ...state.memory, isStreamSilent: false, isStreamRefused };
  const next = endPage(config, { ...state, memory }, input, metadata);
  return isStreamRefused ? { ...next, effects: [...next.effects, { type: 'streams-refused' }] } : next;
}

/**
 * Requests the next page. The version of the list is the version of its first page (U5). Records
 * that a list at version 0 came in pages (R3).
 */
function nextPage<T>(
  config: ReflectorConfig,
  state: Listing<T>,
  input: Input<T>,
  metadata: ListEnvelopeMetadata & { readonly continue: string },
): Step<T> {
  const query: ListQuery = { ...state.first, continue: metadata.continue };
  const progress = turnPage(state.progress, metadata.continue);
  if (progress === undefined) {
    const problem = 'the list does not end: a continue token leads back to a page that was read before';
    return readWhole(config, state, input, new ResponseError(config.requestLine(query), problem));
  }
  const { remainingItemCount } = metadata;
  const expected = remainingItemCount === undefined ? state.expected : state.received + remainingItemCount;
  const isPaged = state.memory.isPaged || state.first.resourceVersion === '0';
  const next: Listing<T> = {
    ...state,
    memory: { ...state.memory, isPaged },
    query,
    openedAt: input.at,
    headAt: undefined,
    lastAt: input.at,
    listVersion: state.listVersion ?? metadata.resourceVersion,
    expected,
    progress,
    isFree: state.progress.isNew,
  };
  const { state: reported, effects } = report(next, input, [], expected !== state.expected);
  const { isFree } = next;
  return { state: reported, effects: [{ type: 'abort' }, ...effects, { type: 'request', query, isFree }] };
}

/** Emits all objects in one event. The version of the list is not used before this event (R5). */
function finish<T>(
  config: ReflectorConfig,
  state: Listing<T>,
  input: Input<T>,
  metadata: ListEnvelopeMetadata,
): Step<T> {
  const resourceVersion = state.listVersion ?? metadata.resourceVersion ?? '';
  const { first, query } = state;
  // A list at version 0 may have any version of the server's cache.
  const isRestored = first.resourceVersion !== '0' && isBehind(state.memory, resourceVersion);
  if (isRestored && first.resourceVersion !== '') {
    return afterRestore(config, state.memory, input, { query, serverVersion: resourceVersion });
  }
  const restored = isRestored ? [errorEvent(restoredError(config, state.memory, query, resourceVersion))] : [];
  const known: Memory = {
    ...settled(state.memory),
    resourceVersion,
    newestVersion: resourceVersion,
    isVersionUnavailable: false,
  };
  const missing = [...new Set(state.missing)];
  const listed: WatchEvent<T> = {
    type: 'LISTED',
    items: everythingIn(state.collected),
    resourceVersion,
    ...(missing.length > 0 && { missing }),
  };
  if (resourceVersion === '') {
    // Without a version, a watch would miss deletions since the list, so the source lists again.
    const cause = new ResponseError(config.requestLine(state.query), 'the list has no resourceVersion to watch from');
    return backOff(config, known, input, { cause, next: 'list', events: [...restored, listed] });
  }
  return openWatch(config, countMissing(config, known, input, missing), input, [...restored, listed]);
}

/**
 * Requests the whole list without pages, because the continuation cannot be used (U5). The version
 * is taken from the query of the first page. If this was already tried, the source backs off.
 */
function readWhole<T>(config: ReflectorConfig, state: Listing<T>, input: Input<T>, error: SourceError): Step<T> {
  const { memory, first } = state;
  if (first.limit === undefined) return backOff(config, memory, input, { cause: error, next: 'list' });
  return openPage({ ...first, limit: undefined }, memory, input, [errorEvent(error)]);
}

function fail<T>(config: ReflectorConfig, state: Listing<T>, input: Input<T>, error: SourceError): Step<T> {
  const { memory, query, first } = state;
  if (isExpired(error) && query.continue !== undefined && first.limit !== undefined) {
    return readWhole(config, state, input, asExpected(error));
  }
  // R4: lists again at once, but only once, at the most recent version.
  if (isVersionUnavailable(error) && first.resourceVersion !== '') {
    return openPages(config, { ...memory, isVersionUnavailable: true }, input, [errorEvent(asExpected(error))]);
  }
  const isStreamForbidden = memory.isStreamForbidden && !isRefusal(error);
  return backOff(config, { ...memory, isStreamForbidden }, input, { cause: error, next: 'list' });
}

/** Emits the progress of the list, at most once a second, and when its length becomes known. */
function report<T>(state: Listing<T>, input: Input<T>, errors: readonly WatchEvent<T>[], isNews = false): Step<T> {
  const { received, expected } = state;
  const isDue = isNews || (hasItems(input) && input.at - state.reportedAt >= reportInterval);
  const status = statusEvent({ state: 'listing', by: 'pages', received, ...(expected !== undefined && { expected }) });
  const batch = isDue ? [...errors, status] : errors;
  return {
    state: isDue ? { ...state, reportedAt: input.at } : state,
    effects: batch.length > 0 ? [{ type: 'emit', batch }] : [],
  };
}

function hasItems<T>(input: Input<T>): boolean {
  return input.type === 'items' && input.items.length > 0;
}
