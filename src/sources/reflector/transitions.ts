import { EarlyCloseError, type SourceError } from '../model/errors.js';
import type { SourceStatus, WatchEvent } from '../model/watch-event.js';
import { firstFold, noPages } from './collected.js';
import { asExpected, isExpired, leastWait, waitingState } from './failure.js';
import type { DecodedEvent, ListQuery, Memory, ReflectorConfig, Step, WatchQuery } from './protocol.js';

/** So long without a failure, and the next failure counts as the first (R18 ▲: anchored to health, not to the last reset). */
const healthyAfter = 120_000;

/** The limit of a paged list where none was chosen (R2). */
const defaultPageSize = 500;

/** The part of an input that every transition needs. */
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

/** Begins to read everything that exists: by a streaming list where that may work (R22), in pages otherwise. */
export function openAnyList<T>(
  config: ReflectorConfig,
  memory: Memory,
  moment: Moment,
  events: readonly WatchEvent<T>[] = [],
): Step<T> {
  const open = config.initialList === 'stream' && !memory.isStreamRefused ? openStream : openPages;
  return open(config, memory, moment, events);
}

/** R23: a watch that begins with everything, not older than what was seen last; at first, as recent as can be. */
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
    },
    effects: [
      { type: 'abort' },
      { type: 'emit', batch: [...events, statusEvent({ state: 'listing', by: 'stream', received: 0 })] },
      { type: 'request', query },
    ],
  };
}

/** R1, R2: the first page, from whatever the server has at hand; later never older than what was seen. */
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

/** The first page of the list that `query` describes. */
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
      reportedAt: moment.at,
    },
    effects: [
      { type: 'abort' },
      { type: 'emit', batch: [...events, statusEvent({ state: 'listing', by: 'pages', received: 0 })] },
      { type: 'request', query },
    ],
  };
}

/** R7: a watch from the last version, with bookmarks, ended by the server after a random time so that not all end at once. */
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
    },
    effects: [{ type: 'abort' }, { type: 'emit', batch: events }, { type: 'request', query }],
  };
}

/** R18, R19: waits, longer each time, and at least as long as the server asked for; R16 ▲: every cause is reported. */
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
  const until = moment.at + Math.max(waitBefore(config, attempt, moment), leastWait(cause, config.maxRetryAfter));
  const status = statusEvent({ state: waitingState(cause), until, attempt, cause });
  return {
    state: { name: 'waiting', memory: { ...memory, attempt, healthySince: undefined }, until, next, cause },
    effects: [{ type: 'abort' }, { type: 'emit', batch: [...events, errorEvent(cause), status] }],
  };
}

/**
 * Returns what is known after a watch failed with `cause`. If a watch from the same version expired before, the list in between
 * brought nothing newer, and the next one asks for the most recent state (R4 ▲).
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

/**
 * A list that lacks objects is half a failure: the others are followed as always, and after a backoff comes another list.
 */
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

/** Which failure in a row one that happens now is: the first, where all was well for long enough (R18 ▲). */
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

/** R2: a limit at a version would bypass the server's watch cache, unless there is none. */
function listLimit(config: ReflectorConfig, memory: Memory, resourceVersion: string): number | undefined {
  if (config.pageSize !== undefined) return config.pageSize;
  if (memory.isPaged || resourceVersion === '' || resourceVersion === '0') return defaultPageSize;
  return undefined;
}
