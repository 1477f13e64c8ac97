import { isRxInformersError } from '../../kubernetes/errors.js';
import { compareResourceVersions } from '../../kubernetes/object.js';
import { firstFold } from '../model/collected-list.js';
import { type SourceError, responseError, serverRestoredError } from '../model/errors.js';
import { asExpected, failureKindOf, waitingState } from '../model/failure-kind.js';
import { errorEvent, statusEvent, type WatchEvent } from '../model/watch-event.js';
import {
  type Context,
  type ListQuery,
  type Memory,
  noBookmarks,
  noPages,
  type RequestQuery,
  type SentRequest,
  type Step,
  type WatchQuery,
} from './protocol.js';

/* The steps that send a request or begin a wait. Each ends the request in flight. */

/** Begins a list: as a stream if a stream may work (R22), in pages otherwise. */
export function openAnyList<T>(context: Context, memory: Memory, events: readonly WatchEvent<T>[] = []): Step<T> {
  const { isStreamRefused, isStreamForbidden, isLinkSlow } = memory;
  return context.config.initialList === 'pages' || isStreamRefused || isStreamForbidden || isLinkSlow
    ? openPages(context, memory, events)
    : openStream(context, memory, events);
}

/**
 * Opens a watch that begins with all objects, in a state that is not older than the last version
 * (R23). The first stream begins with the most recent state.
 */
export function openStream<T>(context: Context, memory: Memory, events: readonly WatchEvent<T>[] = []): Step<T> {
  const { config, at } = context;
  const query: WatchQuery = {
    verb: 'watch',
    resourceVersion: memory.isVersionUnavailable ? '' : memory.resourceVersion,
    timeoutSeconds: randomTimeout(context),
    sendInitialEvents: true,
  };
  return {
    state: {
      name: 'streaming',
      query,
      ...sent(context, memory),
      collected: undefined,
      changes: 0,
      foldAt: firstFold,
      initialAt: at,
      isChanging: false,
      lastInOrder: '',
      received: 0,
      reportedAt: at,
      link: config.initialList === 'auto' ? { bytes: 0, time: 0 } : undefined,
    },
    effects: replaceRequest(query, [...events, statusEvent({ state: 'listing', by: 'stream', received: 0 })]),
  };
}

/**
 * Requests the first page of a list. The first list may have any version that the server has in its
 * cache; later lists are never older than the last version (R1). A limit would make the server
 * bypass its cache for a later list, unless it has none (R2, R3).
 */
export function openPages<T>(context: Context, memory: Memory, events: readonly WatchEvent<T>[] = []): Step<T> {
  const { pageSize, isPageSizeSet, listConsistency } = context.config;
  const isMostRecent = memory.isVersionUnavailable || listConsistency === 'most-recent';
  const resourceVersion = isMostRecent ? '' : memory.resourceVersion || '0';
  const isLimited = isPageSizeSet || memory.isPaged || resourceVersion === '' || resourceVersion === '0';
  const query: ListQuery = { verb: 'list', resourceVersion, limit: isLimited ? pageSize : undefined };
  return openPage(context, query, memory, events);
}

/** Requests the first page of the list that `query` describes. */
export function openPage<T>(
  context: Context,
  query: ListQuery,
  memory: Memory,
  events: readonly WatchEvent<T>[],
): Step<T> {
  return {
    state: {
      name: 'listing',
      query,
      first: query,
      ...sent(context, memory),
      listVersion: undefined,
      collected: undefined,
      received: 0,
      expected: undefined,
      missing: [],
      progress: noPages,
      isFree: false,
      reportedAt: context.at,
    },
    effects: replaceRequest(query, [...events, statusEvent({ state: 'listing', by: 'pages', received: 0 })]),
  };
}

/**
 * Opens a watch from the last version, with bookmarks. The server ends it after a random time, so
 * that not all watches end at once (R7).
 */
export function openWatch<T>(context: Context, memory: Memory, events: readonly WatchEvent<T>[]): Step<T> {
  const { resourceVersion } = memory;
  const query: WatchQuery = {
    verb: 'watch',
    resourceVersion,
    timeoutSeconds: randomTimeout(context),
    sendInitialEvents: false,
  };
  return {
    state: {
      name: 'watching',
      query,
      ...sent(context, memory),
      hasProgressed: false,
      isOrdered: resourceVersion !== '' && resourceVersion !== '0',
      bookmarks: noBookmarks,
    },
    effects: replaceRequest(query, events),
  };
}

function replaceRequest<T>(query: RequestQuery, batch: readonly WatchEvent<T>[]): Step<T>['effects'] {
  return [{ type: 'abort' }, { type: 'emit', batch }, { type: 'request', query }];
}

function sent({ at }: Context, memory: Memory): SentRequest {
  return { memory, openedAt: at, headAt: undefined, lastAt: at };
}

function randomTimeout({ config: { watchTimeout }, random }: Context): number {
  const [shortest, longest] = watchTimeout;
  return Math.floor(shortest + random * (longest - shortest));
}

/** Waits, longer each time, at least as long as requested (R18, R19). Reports causes (R16 ▲). */
export function backOff<T>(
  context: Context,
  before: Memory,
  failure: { readonly cause: SourceError; readonly next: 'list' | 'watch'; readonly events?: readonly WatchEvent<T>[] },
): Step<T> {
  const { cause, next, events = [] } = failure;
  const { config, at } = context;
  const { memory, until: end } = afterFailure(context, before);
  const { attempt } = memory;
  if (attempt === 1 && (failureKindOf(cause) === 'expired' || isRxInformersError(cause, 'RXI_EARLY_CLOSE')))
    asExpected(cause);
  const requested = 'retryAfter' in cause ? (cause.retryAfter ?? 0) : 0;
  const notBefore = at + Math.min(requested, config.maxRetryAfter);
  const until = Math.max(end, notBefore);
  const status = statusEvent({ state: waitingState(cause), until, attempt, cause });
  return {
    state: { name: 'waiting', memory, until, notBefore, next, cause },
    effects: [{ type: 'abort' }, { type: 'emit', batch: [...events, errorEvent(cause), status] }],
  };
}

/**
 * After this time without a failure, in milliseconds, the next failure counts as the first (R18 ▲;
 * client-go counts from the last reset instead).
 */
const healthyAfter = 120_000;

/** Counts a failure, and returns the end of the wait after it. */
function afterFailure(
  { config, at, random }: Context,
  memory: Memory,
): { readonly memory: Memory; readonly until: number } {
  const { healthySince } = memory;
  const isFirst = healthySince !== undefined && at - healthySince >= healthyAfter;
  const attempt = isFirst ? 1 : memory.attempt + 1;
  const wait = config.backoff(attempt, random);
  return {
    memory: { ...memory, attempt, healthySince: undefined },
    until: at + (Number.isFinite(wait) && wait > 0 ? wait : 0),
  };
}

/** A list that was read completely, by a stream or in pages. */
export interface CompleteList<T> {
  readonly query: RequestQuery;
  /** The version that was requested; a list at version 0 may have any version of the cache. */
  readonly requested: string;
  readonly resourceVersion: string;
  readonly items: readonly T[];
  /** The keys of the objects that could not be delivered. */
  readonly missing: readonly string[];
  /** The events that precede the list. */
  readonly events?: readonly WatchEvent<T>[];
}

/**
 * Emits all objects in one event, and continues with `watch`. The version of the list is not used
 * before this event (R5). A list with missing objects counts as a failure: another list follows.
 */
export function finishList<T>(
  context: Context,
  before: Memory,
  { query, requested, resourceVersion, items, missing, events = [] }: CompleteList<T>,
  watch: (memory: Memory, events: readonly WatchEvent<T>[]) => Step<T>,
): Step<T> {
  const isRestored = requested !== '0' && isOlderThanKnown(resourceVersion, before);
  if (isRestored && requested !== '') {
    return listAfterRestore(context, before, { query, serverVersion: resourceVersion, events });
  }
  const batch: readonly WatchEvent<T>[] = [
    ...events,
    ...(isRestored ? [restoredEvent(context, before, query, resourceVersion)] : []),
    { type: 'LISTED', items, resourceVersion, ...(missing.length > 0 && { missing }) },
  ];
  const memory: Memory = {
    ...withKnownServer(before),
    resourceVersion,
    newestVersion: resourceVersion,
    isVersionUnavailable: false,
    relistAt: undefined,
  };
  if (resourceVersion === '') {
    // Without a version, a watch would miss deletions since the list, so the source lists again.
    const line = context.config.requestLine(query);
    const cause = responseError(line, 'the list has no resourceVersion to watch from');
    return backOff(context, memory, { cause, next: 'list', events: batch });
  }
  if (missing.length === 0) return watch(memory, batch);
  const counted = afterFailure(context, memory);
  return watch({ ...counted.memory, relistAt: counted.until }, batch);
}

/** Forgets the versions of a restored server, and lists its most recent state. */
export function listAfterRestore<T>(
  context: Context,
  memory: Memory,
  sign: { readonly query: RequestQuery; readonly serverVersion: string; readonly events?: readonly WatchEvent<T>[] },
): Step<T> {
  const { query, serverVersion, events = [] } = sign;
  const unknown = { ...withKnownServer(memory), newestVersion: '', isVersionUnavailable: true };
  return openAnyList(context, unknown, [...events, restoredEvent(context, memory, query, serverVersion)]);
}

function restoredEvent(
  { config }: Context,
  { newestVersion }: Memory,
  query: RequestQuery,
  serverVersion: string,
): WatchEvent<never> {
  return errorEvent(serverRestoredError(config.requestLine(query), newestVersion, serverVersion));
}

/** Returns true if `version` shows that the server has gone back behind a version of its own. */
export function isOlderThanKnown(version: string, { newestVersion }: Pick<Memory, 'newestVersion'>): boolean {
  return (compareResourceVersions(version, newestVersion) ?? 0) < 0;
}

/** Returns the memory after the version of the server has become known. */
export function withKnownServer(memory: Memory): Memory {
  return { ...memory, lost: undefined, probeAt: undefined };
}
