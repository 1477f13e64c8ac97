import { objectKey } from '../../kubernetes/keys.js';
import { collect, everythingIn } from '../model/collected-list.js';
import { type SourceError, responseError, silentConnectionError } from '../model/errors.js';
import { asExpected, failureKindOf } from '../model/failure-kind.js';
import { errorEvent, statusEvent, type WatchEvent } from '../model/watch-event.js';
import type { ListEnvelopeMetadata } from '../wire/list-envelope.js';
import { reportInterval, streamSilence } from './alarm.js';
import { backOff, finishList, openPage, openPages, openWatch } from './next-request.js';
import {
  type Context,
  type Input,
  type Listing,
  type ListQuery,
  type Memory,
  type PageProgress,
  stay,
  type Step,
} from './protocol.js';

/** Returns the next step while a list is read in pages. */
export function stepList<T>(context: Context, state: Listing<T>, input: Input<T>): Step<T> {
  const { at, config } = context;
  switch (input.type) {
    case 'head':
      return stay({ ...state, headAt: at, lastAt: at });
    case 'items': {
      const { items, failures } = input;
      const read: Listing<T> = {
        ...state,
        lastAt: at,
        collected: collect(state.collected, items),
        received: state.received + items.length,
        missing: [...state.missing, ...failures.map((failure) => failure.key)],
        progress: readPart(state.progress, items, failures.length),
      };
      const isDue = items.length > 0 && at - state.reportedAt >= reportInterval;
      return report(context, read, failures.map(errorEvent), isDue);
    }
    case 'page-end':
      return state.memory.isStreamSilent
        ? compareWithStream(context, state, input.metadata)
        : endPage(context, state, input.metadata);
    case 'failed':
      return failed(context, state, input.error);
    case 'closed': {
      const problem = 'the response ended before the list was complete';
      return failed(context, state, responseError(config.requestLine(state.query), problem));
    }
    case 'alarm': {
      const waitedFor = state.headAt === undefined ? 'headers' : 'data';
      const line = config.requestLine(state.query);
      return failed(context, state, silentConnectionError(line, waitedFor, at - state.lastAt));
    }
    default:
      return stay(state);
  }
}

/** Emits the progress of the list, at most once a second, and when its length becomes known. */
function report<T>({ at }: Context, state: Listing<T>, errors: readonly WatchEvent<T>[], isDue: boolean): Step<T> {
  if (!isDue) return stay(state, errors);
  const { received, expected } = state;
  const status = statusEvent({ state: 'listing', by: 'pages', received, ...(expected !== undefined && { expected }) });
  return stay({ ...state, reportedAt: at }, [...errors, status]);
}

/**
 * Decides after a silent stream whether streams work: if a page arrived in less time than the
 * stream was silent, the server is not slow, so they do not (R27 ▲).
 */
function compareWithStream<T>(context: Context, state: Listing<T>, metadata: ListEnvelopeMetadata): Step<T> {
  const isStreamRefused = context.at - state.openedAt < streamSilence;
  const memory: Memory = { ...state.memory, isStreamSilent: false, isStreamRefused };
  const next = endPage(context, { ...state, memory }, metadata);
  return isStreamRefused ? { ...next, effects: [...next.effects, { type: 'streams-refused' }] } : next;
}

/** Ends the list, or requests its next page. A list has the version of its first page (U5). */
function endPage<T>(context: Context, state: Listing<T>, metadata: ListEnvelopeMetadata): Step<T> {
  const { memory, query, first, received } = state;
  const { continue: token, resourceVersion, remainingItemCount } = metadata;
  if (!token) {
    const list = {
      query,
      requested: first.resourceVersion,
      resourceVersion: state.listVersion ?? resourceVersion ?? '',
      items: everythingIn(state.collected),
      missing: [...new Set(state.missing)],
    };
    return finishList(context, memory, list, (known, events) => openWatch(context, known, events));
  }
  const progress = turnPage(state.progress, token);
  if (progress === undefined) {
    const problem = 'the list does not end: a continue token leads back to a page that was read before';
    return readWhole(context, state, responseError(context.config.requestLine(query), problem));
  }
  const nextQuery: ListQuery = { ...first, continue: token };
  const isFree = state.progress.isNew;
  const expected = remainingItemCount === undefined ? state.expected : received + remainingItemCount;
  const next: Listing<T> = {
    ...state,
    // R3: a list at version 0 came in pages, so there is no cache to bypass.
    memory: { ...memory, isPaged: memory.isPaged || first.resourceVersion === '0' },
    query: nextQuery,
    openedAt: context.at,
    headAt: undefined,
    lastAt: context.at,
    listVersion: state.listVersion ?? resourceVersion,
    expected,
    progress,
    isFree,
  };
  const reported = report(context, next, [], expected !== state.expected);
  return {
    state: reported.state,
    effects: [{ type: 'abort' }, ...reported.effects, { type: 'request', query: nextQuery, isFree }],
  };
}

/**
 * Requests the whole list without pages, because the continuation cannot be used (U5). The version
 * is taken from the query of the first page. If this was already tried, the source backs off.
 */
function readWhole<T>(context: Context, { memory, first }: Listing<T>, cause: SourceError): Step<T> {
  if (first.limit === undefined) return backOff(context, memory, { cause, next: 'list' });
  return openPage(context, { ...first, limit: undefined }, memory, [errorEvent(cause)]);
}

function failed<T>(context: Context, state: Listing<T>, cause: SourceError): Step<T> {
  const { memory, query, first } = state;
  const kind = failureKindOf(cause);
  if (kind === 'expired' && query.continue !== undefined && first.limit !== undefined) {
    return readWhole(context, state, asExpected(cause));
  }
  // R4: lists again at once, but only once, at the most recent version.
  if ((kind === 'expired' || kind === 'too-large') && first.resourceVersion !== '') {
    return openPages(context, { ...memory, isVersionUnavailable: true }, [errorEvent(asExpected(cause))]);
  }
  const isStreamForbidden = memory.isStreamForbidden && kind !== 'forbidden' && kind !== 'not-found';
  return backOff(context, { ...memory, isStreamForbidden }, { cause, next: 'list' });
}

/**
 * Returns the progress after a part of a page. Servers list in key order, so a new last key means
 * new objects. `untransformed` is the number of objects that are not in `items`.
 */
function readPart(progress: PageProgress, items: readonly unknown[], untransformed: number): PageProgress {
  if (items.length === 0) return untransformed > 0 ? { ...progress, isNew: true } : progress;
  const first = progress.first ?? objectKey(items[0]);
  const last = objectKey(items.at(-1));
  const isNew = progress.isNew || (last !== undefined && (progress.last === undefined || last > progress.last));
  return { ...progress, first, last: isNew ? last : progress.last, isNew };
}

/** Returns the progress at the page of `token`; `undefined` if it was read before. */
function turnPage(progress: PageProgress, token: string): PageProgress | undefined {
  const { first, mark } = progress;
  if (mark?.token === token || (first !== undefined && mark?.first === first)) return undefined;
  const pages = progress.pages + 1;
  const isMarked = (pages & (pages - 1)) === 0;
  return { ...progress, first: undefined, isNew: false, pages, mark: isMarked ? { token, first } : mark };
}
