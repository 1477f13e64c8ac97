import { isRxInformersError } from '../../kubernetes/errors.js';
import { compareResourceVersions } from '../../kubernetes/object.js';
import { type SourceError, earlyCloseError, silentConnectionError } from '../model/errors.js';
import { asExpected, failureKindOf } from '../model/failure-kind.js';
import { errorEvent, statusEvent, type WatchEvent } from '../model/watch-event.js';
import { maxSilence, shortLifetime } from './alarm.js';
import {
  backOff,
  isOlderThanKnown,
  listAfterRestore,
  openAnyList,
  openWatch,
  withKnownServer,
} from './next-request.js';
import {
  type Bookmarks,
  type Context,
  type DecodedEvent,
  type Input,
  type Memory,
  stay,
  type Step,
  type Watching,
} from './protocol.js';
import { countRequest, requestWait } from './request-rate.js';

/** Returns the next step while a watch is open or being opened. */
export function stepWatch<T>(context: Context, state: Watching, input: Input<T>): Step<T> {
  switch (input.type) {
    case 'head':
      return state.headAt === undefined ? connected(context, state) : stay(state);
    case 'events':
      return readEvents(context, state, input.events);
    case 'closed':
      return ended(context, state, input.cut);
    case 'failed':
      return failed(context, state, input.error);
    case 'alarm':
      return overdue(context, state);
    case 'probed':
      return probed(context, state, input.resourceVersion);
    default:
      return stay(state);
  }
}

function connected<T>(context: Context, state: Watching): Step<T> {
  const { at } = context;
  const { lost, healthySince = at, resourceVersion } = state.memory;
  const memory: Memory = {
    ...state.memory,
    isStreamForbidden: false,
    healthySince,
    probeAt: lost === undefined ? undefined : probeTime(context),
  };
  return stay({ ...state, memory, headAt: at, lastAt: at }, [
    statusEvent({ state: 'watching', since: at, resourceVersion }),
  ]);
}

/** Emits a batch per read (R9). The version never passes an undelivered event (R12 ▲). */
export function readEvents<T>(context: Context, state: Watching, events: readonly DecodedEvent<T>[]): Step<T> {
  const batch: WatchEvent<T>[] = [];
  let { resourceVersion, newestVersion } = state.memory;
  let { isOrdered, bookmarks } = state;
  /** The event that ends the watch. */
  let last: DecodedEvent<T> | undefined;
  for (const event of events) {
    if (last !== undefined) {
      // This event is decoded already, so its failure is reported now.
      if (event.type === 'untransformed') batch.push(errorEvent(event.error));
      continue;
    }
    switch (event.type) {
      case 'change':
        // R11: a watch without a version begins with all existing objects, in no order.
        isOrdered ||= event.change !== 'ADDED';
        if (isOrdered) resourceVersion = event.resourceVersion;
        newestVersion = newerOf(newestVersion, event.resourceVersion);
        batch.push({ type: event.change, object: event.object });
        break;
      case 'bookmark':
        // The versions of single events may go back, because servers replay events.
        if (isOlderThanKnown(event.resourceVersion, { newestVersion })) {
          last = event;
          break;
        }
        isOrdered = true;
        bookmarks = nextBookmark(bookmarks, context.at);
        resourceVersion = event.resourceVersion;
        newestVersion = newerOf(newestVersion, resourceVersion);
        batch.push({ type: 'BOOKMARK', resourceVersion });
        break;
      default:
        last = event;
    }
  }
  const memory: Memory = { ...state.memory, resourceVersion, newestVersion };
  const hasProgressed = state.hasProgressed || newestVersion !== state.memory.newestVersion;
  switch (last?.type) {
    case 'bookmark':
      return listAfterRestore(context, memory, {
        query: state.query,
        serverVersion: last.resourceVersion,
        events: batch,
      });
    case 'error': {
      // R15: after 429 the watch is tried again; after 410 and any other error, a list follows.
      const next = failureKindOf(last.error) === 'too-many-requests' ? 'watch' : 'list';
      return backOff(context, afterWatchFailure(memory, last.error), { cause: last.error, next, events: batch });
    }
    case 'lost':
    case 'untransformed':
      return backOff(context, memory, { cause: last.error, next: 'list', events: batch });
    default:
      return stay({ ...state, memory, lastAt: context.at, hasProgressed, isOrdered, bookmarks }, batch);
  }
}

/** Returns the newer version. If the two cannot be compared, `version` counts as newer. */
function newerOf(known: string, version: string): string {
  return (compareResourceVersions(version, known) ?? 1) > 0 ? version : known;
}

/**
 * API servers send a bookmark about once a minute, also if nothing changes. Two bookmarks with a
 * time between these two, in milliseconds, are regular. The last bookmark of a watch comes early.
 */
const regularTimes = [30_000, 90_000] as const;

/** Returns the bookmarks of a watch after another one has arrived. */
function nextBookmark({ lastAt, areRegular }: Bookmarks, at: number): Bookmarks {
  const [shortest, longest] = regularTimes;
  const time = at - lastAt;
  return { lastAt: at, areRegular: time <= longest && (areRegular || time >= shortest) };
}

/**
 * After this number of watches in a row that ended early without anything new, the source lists
 * again. The version may be gone without a 410 (R14 ▲).
 */
const maxEarlyEnds = 5;

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
function ended<T>(context: Context, state: Watching, cut: SourceError | undefined): Step<T> {
  const { query, hasProgressed } = state;
  const lasted = context.at - state.openedAt;
  const isEarly = !hasProgressed && lasted < (query.timeoutSeconds * 1_000) / 2;
  const withoutProgress = isEarly ? state.memory.withoutProgress + 1 : 0;
  const memory = { ...afterConnection(context, state.memory, cut), withoutProgress };
  const line = context.config.requestLine(query);
  if (withoutProgress >= maxEarlyEnds) {
    const cause = cut ?? earlyCloseError(line, withoutProgress);
    return backOff(context, { ...memory, withoutProgress: 0 }, { cause, next: 'list' });
  }
  if (!hasProgressed && lasted < shortLifetime) {
    return backOff(context, memory, { cause: cut ?? earlyCloseError(line), next: cut ? 'watch' : 'list' });
  }
  return resume(context, memory, cut && asExpected(cut));
}

/** Opens the watch again at once, from the last version (R13). */
function resume<T>(context: Context, memory: Memory, cause?: SourceError): Step<T> {
  const reconnecting = statusEvent({ state: 'reconnecting', ...(cause !== undefined && { cause }) });
  return openWatch(context, memory, cause === undefined ? [reconnecting] : [errorEvent(cause), reconnecting]);
}

/**
 * Continues after the failure of a watch. If there was no response, or the server is too busy, the
 * version is still valid, so the watch is tried again. Otherwise the source lists (R8 ▲).
 */
function failed<T>(context: Context, state: Watching, cause: SourceError): Step<T> {
  const kind = failureKindOf(cause);
  if (state.headAt !== undefined && kind === 'no-answer') return ended(context, state, cause);
  const isVersionValid = kind === 'no-answer' || kind === 'overloaded' || kind === 'too-many-requests';
  const memory: Memory = {
    ...afterConnection(context, afterWatchFailure(state.memory, cause), cause),
    isStreamForbidden: kind === 'forbidden' || kind === 'not-found',
  };
  return backOff(context, memory, { cause, next: isVersionValid ? 'watch' : 'list' });
}

/**
 * Returns the memory after a failed watch. If two from the same version expired, the list between
 * returned no newer one, so the next list requests the most recent state (R4 ▲).
 */
function afterWatchFailure(memory: Memory, cause: SourceError): Memory {
  if (failureKindOf(cause) !== 'expired') return memory;
  const { resourceVersion, expiredVersion } = memory;
  const isVersionUnavailable = memory.isVersionUnavailable || resourceVersion === expiredVersion;
  return { ...memory, expiredVersion: resourceVersion, isVersionUnavailable };
}

/** Returns the memory after a watch has ended. After a broken connection, the server is doubted. */
function afterConnection({ at }: Context, memory: Memory, cause: SourceError | undefined): Memory {
  const isBroken = isRxInformersError(cause, 'RXI_CONNECTION') || isRxInformersError(cause, 'RXI_SILENT_CONNECTION');
  const lost = isBroken ? { at, newestVersion: memory.newestVersion } : memory.lost;
  return { ...memory, lost, probeAt: undefined };
}

function overdue<T>(context: Context, state: Watching): Step<T> {
  const { config, at } = context;
  const { relistAt, lost, probeAt } = state.memory;
  if (probeAt !== undefined && lost !== undefined && at >= probeAt) return probe(context, state, lost.at);
  if (relistAt !== undefined && at >= relistAt) return openAnyList(context, state.memory);
  const silence = at - state.lastAt;
  const line = config.requestLine(state.query);
  if (state.headAt === undefined) {
    // A proxy that buffers responses blocks every watch, but not lists. So the source lists from
    // time to time.
    const cause = silentConnectionError(line, 'headers', silence);
    return backOff(context, afterConnection(context, state.memory, cause), { cause, next: 'list' });
  }
  // A server that still sends data has ignored timeoutSeconds. The connection is replaced without
  // an error.
  const isDead = silence >= Math.min(config.grace, maxSilence(config, state));
  const cause = isDead ? silentConnectionError(line, 'data', silence) : undefined;
  return resume(context, afterConnection(context, state.memory, cause), cause);
}

/*
 * After a broken connection, the etcd of the server may have been restored from a backup. Its
 * version then goes back, and a watch would be silent until the server has passed the known one. So
 * the source requests the version of the server, some time after a watch is open again.
 */

/**
 * The shortest time, in milliseconds, between the head of a watch and the request for the version
 * of the server, and the time over which many clients spread these requests.
 */
const probeDelay = 1_000;
const probeSpread = 2_000;

/** The wait before the version is requested again, if the server could not answer. */
const probeRetry = 10_000;

/** Returns the time at which the version of the server is requested after a watch has opened. */
function probeTime({ at, random }: Context): number {
  return at + probeDelay + random * probeSpread;
}

/** Requests the version of the server, within the limit of `pace`. */
function probe<T>({ at }: Context, state: Watching, since: number): Step<T> {
  const { memory } = state;
  const wait = requestWait(memory, at);
  if (wait > 0) return stay({ ...state, memory: { ...memory, probeAt: at + wait } });
  return {
    state: { ...state, memory: { ...countRequest(memory, at), probeAt: undefined } },
    effects: [{ type: 'probe', since }],
  };
}

/**
 * Compares the server's version, `undefined` if it could not be read, with the newest one that was
 * known before the request: the watch may have shown newer ones since.
 */
function probed<T>(context: Context, state: Watching, serverVersion: string | undefined): Step<T> {
  const { memory, query } = state;
  if (memory.lost === undefined) return stay(state);
  if (serverVersion === undefined) {
    return stay({ ...state, memory: { ...memory, probeAt: probeTime(context) + probeRetry } });
  }
  return isOlderThanKnown(serverVersion, memory.lost)
    ? listAfterRestore(context, memory, { query, serverVersion })
    : stay({ ...state, memory: withKnownServer(memory) });
}
