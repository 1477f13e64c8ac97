import { compareResourceVersions } from '../../kubernetes/object.js';
import { EarlyCloseError, ServerRestoredError, type SourceError } from '../model/errors.js';
import type { SourceStatus, WatchEvent } from '../model/watch-event.js';
import { firstFold, noPages } from './collected.js';
import { asExpected, isExpired, leastWait, waitingState } from './failure.js';
import {
  type DecodedEvent,
  type ListQuery,
  type Memory,
  noBookmarks,
  type Query,
  type ReflectorConfig,
  type Step,
  type WatchQuery,
} from './protocol.js';

/**
 * After this time without a failure, in milliseconds, the next failure counts as the first (R18 ▲;
 * client-go counts from the last reset instead).
 */
const healthyAfter = 120_000;

/** The default limit of a paged list (R2). */
const defaultPageSize = 500;

/** The time and the random number of an input, which every transition needs. */
export interface Moment {
  readonly at: number;
  readonly random: number;
}

export function errorEvent(error: SourceError): WatchEvent<never> {
  return { type: 'ERROR', error };
}

/** Returns an `ERROR` for each event whose object could not be transformed. */
export function failedTransforms<T>(events: readonly DecodedEvent<T>[]): readonly WatchEvent<never>[] {
  return events.flatMap((event) => (event.type === 'untransformed' ? [errorEvent(event.error)] : []));
}

export function statusEvent(status: SourceStatus): WatchEvent<never> {
  return { type: 'STATUS', status };
}

/** Begins a list: as a stream if a stream may work (R22), in pages otherwise. */
export function openAnyList<T>(
  config: ReflectorConfig,
  memory: Memory,
  moment: Moment,
  events: readonly WatchEvent<T>[] = [],
): Step<T> {
  const { isStreamRefused, isStreamForbidden, isLinkSlow } = memory;
  const isStreamed = config.initialList !== 'pages' && !isStreamRefused && !isStreamForbidden && !isLinkSlow;
  const open = isStreamed ? openStream : openPages;
  return open(config, memory, moment, events);
}

/**
 * Opens a watch that begins with all objects, in a state that is not older than the last version
 * (R23). The first stream begins with the most recent state.
 */
export function openStream<T>(
  config: ReflectorConfig,
  memory: Memory,
  moment: Moment,
  events: readonly WatchEvent<T>[] = [],
): Step<T> {
  const query: WatchQuery = {
    verb: 'watch',
    resourceVersion: memory.isVersionUnavailable ? '' : memory.resourceVersion,
    timeoutSeconds: randomTimeout(config, moment),
    sendInitialEvents: true,
  };
  return {
    state: {
      name: 'streaming',
      memory,
      query,
      ...justSent(moment),
      collected: undefined,
      held: 0,
      foldAt: firstFold,
      initialAt: moment.at,
      isChanging: false,
      lastInOrder: '',
      received: 0,
      reportedAt: moment.at,
      link: config.initialList === 'auto' ? { bytes: 0, time: 0 } : undefined,
    },
    effects: [
      { type: 'abort' },
      { type: 'emit', batch: [...events, statusEvent({ state: 'listing', by: 'stream', received: 0 })] },
      { type: 'request', query },
    ],
  };
}

/**
 * Requests the first page of a list. The first list may have any version that the server has in its
 * cache; later lists are never older than the last version (R1, R2).
 */
export function openPages<T>(
  config: ReflectorConfig,
  memory: Memory,
  moment: Moment,
  events: readonly WatchEvent<T>[] = [],
): Step<T> {
  const resourceVersion = listVersion(config, memory);
  return openPage(
    { verb: 'list', resourceVersion, limit: listLimit(config, memory, resourceVersion) },
    memory,
    moment,
    events,
  );
}

/** Requests the first page of the list that `query` describes. */
export function openPage<T>(
  query: ListQuery,
  memory: Memory,
  moment: Moment,
  events: readonly WatchEvent<T>[],
): Step<T> {
  return {
    state: {
      name: 'listing',
      memory,
      query,
      first: query,
      ...justSent(moment),
      listVersion: undefined,
      collected: undefined,
      received: 0,
      expected: undefined,
      missing: [],
      progress: noPages,
      isFree: false,
      reportedAt: moment.at,
    },
    effects: [
      { type: 'abort' },
      { type: 'emit', batch: [...events, statusEvent({ state: 'listing', by: 'pages', received: 0 })] },
      { type: 'request', query },
    ],
  };
}

/**
 * Opens a watch from the last version, with bookmarks. The server ends it after a random time, so
 * that not all watches end at once (R7).
 */
export function openWatch<T>(
  config: ReflectorConfig,
  memory: Memory,
  moment: Moment,
  events: readonly WatchEvent<T>[],
): Step<T> {
  const query: WatchQuery = {
    verb: 'watch',
    resourceVersion: memory.resourceVersion,
    timeoutSeconds: randomTimeout(config, moment),
    sendInitialEvents: false,
  };
  return {
    state: {
      name: 'watching',
      memory,
      query,
      ...justSent(moment),
      hasProgressed: false,
      isOrdered: query.resourceVersion !== '' && query.resourceVersion !== '0',
      bookmarks: noBookmarks,
    },
    effects: [{ type: 'abort' }, { type: 'emit', batch: events }, { type: 'request', query }],
  };
}

/** Waits, longer each time, at least as long as requested (R18, R19). Reports causes (R16 ▲). */
export function backOff<T>(
  config: ReflectorConfig,
  memory: Memory,
  moment: Moment,
  failure: { readonly cause: SourceError; readonly next: 'list' | 'watch'; readonly events?: readonly WatchEvent<T>[] },
): Step<T> {
  const { next, events = [] } = failure;
  const attempt = nextAttempt(memory, moment);
  const isHandled = attempt === 1 && (isExpired(failure.cause) || failure.cause instanceof EarlyCloseError);
  const cause = isHandled ? asExpected(failure.cause) : failure.cause;
  const notBefore = moment.at + leastWait(cause, config.maxRetryAfter);
  const until = Math.max(moment.at + waitBefore(config, attempt, moment), notBefore);
  const status = statusEvent({ state: waitingState(cause), until, attempt, cause });
  return {
    state: { name: 'waiting', memory: { ...memory, attempt, healthySince: undefined }, until, notBefore, next, cause },
    effects: [{ type: 'abort' }, { type: 'emit', batch: [...events, errorEvent(cause), status] }],
  };
}

/**
 * Returns the memory after a failed watch. If two from the same version expired, the list between
 * returned no newer one, so the next list requests the most recent state (R4 ▲).
 */
export function afterWatchFailure(memory: Memory, cause: SourceError): Memory {
  if (!isExpired(cause)) return memory;
  const { resourceVersion, expiredVersion, isVersionUnavailable } = memory;
  return {
    ...memory,
    expiredVersion: resourceVersion,
    isVersionUnavailable: isVersionUnavailable || resourceVersion === expiredVersion,
  };
}

/** Forgets the versions of a restored server, and lists its most recent state. */
export function afterRestore<T>(
  config: ReflectorConfig,
  memory: Memory,
  moment: Moment,
  sign: { readonly query: Query; readonly serverVersion: string; readonly events?: readonly WatchEvent<T>[] },
): Step<T> {
  const error = restoredError(config, memory, sign.query, sign.serverVersion);
  const unknown = { ...memory, newestVersion: '', isVersionUnavailable: true };
  return openAnyList(config, settled(unknown), moment, [...(sign.events ?? []), errorEvent(error)]);
}

export function restoredError(
  config: ReflectorConfig,
  { newestVersion }: Memory,
  query: Query,
  serverVersion: string,
): ServerRestoredError {
  return new ServerRestoredError(config.requestLine(query), newestVersion, serverVersion);
}

/** Returns true if `version` shows that the server has gone back behind a version of its own. */
export function isBehind({ newestVersion }: Memory, version: string): boolean {
  return (compareResourceVersions(version, newestVersion) ?? 0) < 0;
}

/** Returns the memory after the version of the server has become known. */
export function settled(memory: Memory): Memory {
  return { ...memory, lostAt: undefined, probeAt: undefined };
}

/** Counts a list with missing objects as a failure. Another list follows after a backoff. */
export function countMissing(
  config: ReflectorConfig,
  memory: Memory,
  moment: Moment,
  missing: readonly string[],
): Memory {
  if (missing.length === 0) return { ...memory, relistAt: undefined };
  const attempt = nextAttempt(memory, moment);
  return { ...memory, attempt, healthySince: undefined, relistAt: moment.at + waitBefore(config, attempt, moment) };
}

/** Returns the failures in a row, with this one: 1 after enough time without failure (R18 ▲). */
function nextAttempt({ attempt, healthySince }: Memory, { at }: Moment): number {
  return healthySince !== undefined && at - healthySince >= healthyAfter ? 1 : attempt + 1;
}

function waitBefore(config: ReflectorConfig, attempt: number, { random }: Moment): number {
  const wait = config.backoff(attempt, random);
  return Number.isFinite(wait) && wait > 0 ? wait : 0;
}

function justSent({ at }: Moment): { readonly openedAt: number; readonly headAt: undefined; readonly lastAt: number } {
  return { openedAt: at, headAt: undefined, lastAt: at };
}

function randomTimeout({ watchTimeout: [shortest, longest] }: ReflectorConfig, { random }: Moment): number {
  return Math.floor(shortest + random * (longest - shortest));
}

function listVersion(config: ReflectorConfig, memory: Memory): string {
  if (memory.isVersionUnavailable || config.listConsistency === 'most-recent') return '';
  return memory.resourceVersion === '' ? '0' : memory.resourceVersion;
}

/** Returns the limit of a page; `undefined` if it would bypass the watch cache (R2). */
function listLimit(config: ReflectorConfig, memory: Memory, resourceVersion: string): number | undefined {
  if (config.pageSize !== undefined) return config.pageSize;
  if (memory.isPaged || resourceVersion === '' || resourceVersion === '0') return defaultPageSize;
  return undefined;
}
