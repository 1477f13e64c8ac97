import { type RxInformersError } from '../../kubernetes/errors.js';
import type { Step as ProtocolStep } from '../../scheduling/run-protocol.js';
import type { Backoff } from '../model/backoff.js';
import type { Collected, FoldableChange } from '../model/collected-list.js';
import type { RequestLine, SourceError, StatusError } from '../model/errors.js';
import type { WatchEventBatch } from '../model/watch-event.js';
import type { ListEnvelopeMetadata } from '../wire/list-envelope.js';

/**
 * The states of a list-watch. Each state holds exactly the data that is valid in it.
 *
 * ```
 * idle ──▶ streaming ──────────▶ watching ◀─▶ waiting ──▶ (streaming or listing)
 *              └────▶ listing ──────▲
 * ```
 *
 * `streaming`, `listing` and `watching` have one request in flight; `waiting` has none. If requests
 * follow each other too fast, the state `paced` comes before any of these three. Every state except
 * `idle` has an alarm (`alarmOf`), at which the protocol continues even without an input, so the
 * protocol never stops (G5). A request that waits in the queue of a limited client has no alarm.
 */
export type State<T> = Idle | InFlightState<T> | Paced<T> | Waiting;

/** A state with a request in flight. */
export type InFlightState<T> = Listing<T> | Streaming<T> | Watching;

/** The data that one subscription keeps through all states. */
export interface Memory {
  /** The last version observed, `''` before the first (R1). */
  readonly resourceVersion: string;
  /** The newest since the last list. `resourceVersion` may be older if a server replays events. */
  readonly newestVersion: string;
  /** True if the server lacks this version: the latest is requested until a list succeeds (R4). */
  readonly isVersionUnavailable: boolean;
  /** The version of the last watch that failed with 410; `''` if none has failed. */
  readonly expiredVersion: string;
  /** True if a list at version 0 had pages: there is no watch cache to bypass with a limit (R3). */
  readonly isPaged: boolean;
  /** True if the server refuses streaming lists, or the end bookmark is dropped (R26 ▲, R27 ▲). */
  readonly isStreamRefused: boolean;
  /**
   * True if the last refused request (401, 403, 404) was a stream or a watch. Then the next list is
   * requested in pages, because a user may have the right to list without the right to watch.
   */
  readonly isStreamForbidden: boolean;
  /**
   * True if the last streaming list fell silent. If a page then arrives in less time, streaming
   * lists do not work with this server.
   */
  readonly isStreamSilent: boolean;
  /** True if a streaming list was slow with `initialList: 'auto'`. Later lists are in pages. */
  readonly isLinkSlow: boolean;
  /** The number of failures in a row. */
  readonly attempt: number;
  /** The time since which a watch has been open without a failure. */
  readonly healthySince: number | undefined;
  /** The number of connections in a row that ended early without anything new. */
  readonly withoutProgress: number;
  /** True after an empty line. A proxy that sends such lines is never silent while it is alive. */
  readonly hasHeartbeat: boolean;
  /** The time of the next list, because the last list had missing objects (R12 ▲). */
  readonly relistAt: number | undefined;
  /**
   * The last failure of a connection after which the version of the server is not yet known, and
   * the newest version then. Its etcd may have been restored from a backup meanwhile.
   */
  readonly lost: { readonly at: number; readonly newestVersion: string } | undefined;
  /** The time at which the version of the server is requested. */
  readonly probeAt: number | undefined;
  readonly pace: RequestPace;
}

/** The state of the limit on the rate of requests. */
interface RequestPace {
  /** The time at which the whole burst is available again. */
  readonly fullAt: number;
  /** The number of requests in a row that had to wait. */
  readonly waits: number;
}

export const nothingKnown: Memory = {
  resourceVersion: '',
  newestVersion: '',
  isVersionUnavailable: false,
  expiredVersion: '',
  isPaged: false,
  isStreamRefused: false,
  isStreamForbidden: false,
  isStreamSilent: false,
  isLinkSlow: false,
  attempt: 0,
  healthySince: undefined,
  withoutProgress: 0,
  hasHeartbeat: false,
  relistAt: undefined,
  lost: undefined,
  probeAt: undefined,
  pace: { fullAt: 0, waits: 0 },
};

interface Idle {
  readonly name: 'idle';
  readonly memory: Memory;
}

/** The request in flight. */
export interface SentRequest {
  readonly memory: Memory;
  /** The time of sending, before the connection is open (R14); `Infinity` in the client's queue. */
  readonly openedAt: number;
  /** The time at which the head of the response arrived. */
  readonly headAt: number | undefined;
  /** The time at which the last part of the response arrived. */
  readonly lastAt: number;
}

/** The state in which a list is read, page by page. */
export interface Listing<T> extends SentRequest {
  readonly name: 'listing';
  readonly query: ListQuery;
  /** The query of the first page, whose version is listed again if a continuation expires (U5). */
  readonly first: ListQuery;
  /** The version of the list, which is the version of its first page (U5). */
  readonly listVersion: string | undefined;
  readonly collected: Collected<T> | undefined;
  readonly received: number;
  readonly expected: number | undefined;
  /** The keys of the objects that could not be delivered. */
  readonly missing: readonly string[];
  readonly progress: PageProgress;
  /** True if the current page did not count towards the limit on requests when it was requested. */
  readonly isFree: boolean;
  readonly reportedAt: number;
}

/** Distinguishes a long list from a list that never ends, and does not grow with the list. */
export interface PageProgress {
  /** The key of the first object of the current page. */
  readonly first: string | undefined;
  /** The greatest key so far, over all pages. */
  readonly last: string | undefined;
  /** True if the current page contains a key after all keys of earlier pages. */
  readonly isNew: boolean;
  readonly pages: number;
  /** An earlier page to compare with, replaced after 1, 2, 4, 8 … pages (Brent's algorithm). */
  readonly mark: { readonly token: string; readonly first: string | undefined } | undefined;
}

export const noPages: PageProgress = { first: undefined, last: undefined, isNew: false, pages: 0, mark: undefined };

/** A streaming list until its end bookmark. Then the same stream continues as the watch (R24). */
export interface Streaming<T> extends SentRequest {
  readonly name: 'streaming';
  readonly query: WatchQuery;
  readonly collected: Collected<FoldableChange<T>> | undefined;
  /** The number of collected changes. At `foldAt` changes they are folded again. */
  readonly changes: number;
  readonly foldAt: number;
  /** The time at which the last part of the initial objects arrived. */
  readonly initialAt: number;
  /** True if an event other than ADDED arrived. Then the initial objects are complete. */
  readonly isChanging: boolean;
  /**
   * The key of the last object, as long as all objects arrived in key order, each once; otherwise
   * `undefined`. `''` before the first object.
   */
  readonly lastInOrder: string | undefined;
  readonly received: number;
  readonly reportedAt: number;
  /** The measurement of the link for `initialList: 'auto'`; `undefined` once it is over. */
  readonly link: LinkMeasure | undefined;
}

/** The received bytes, and the milliseconds in which they arrived. */
export interface LinkMeasure {
  readonly bytes: number;
  readonly time: number;
}

export interface Watching extends SentRequest {
  readonly name: 'watching';
  readonly query: WatchQuery;
  /** True if the watch has delivered a version that is newer than all earlier versions. */
  readonly hasProgressed: boolean;
  /** False at the beginning of a watch without a version, while versions are ignored (R11). */
  readonly isOrdered: boolean;
  readonly bookmarks: Bookmarks;
}

/** The bookmarks of one watch. */
export interface Bookmarks {
  /** The time at which the last bookmark arrived; `-Infinity` before the first. */
  readonly lastAt: number;
  /** True if bookmarks arrive about once a minute. */
  readonly areRegular: boolean;
}

export const noBookmarks: Bookmarks = { lastAt: -Infinity, areRegular: false };

/** A request is delayed, because many requests were sent within a few seconds. */
export interface Paced<T> {
  readonly name: 'paced';
  readonly memory: Memory;
  readonly until: number;
  /** The state after the delay. */
  readonly then: InFlightState<T>;
  readonly query: RequestQuery;
}

export interface Waiting {
  readonly name: 'waiting';
  readonly memory: Memory;
  readonly until: number;
  /** The end of the wait that the server requested (`Retry-After`). */
  readonly notBefore: number;
  readonly next: 'list' | 'watch';
  readonly cause: SourceError;
}

/** One page of a LIST. Fields that are not set are not sent. */
export interface ListQuery {
  readonly verb: 'list';
  /**
   * `''` is not sent, and requests the most recent state. `0` requests any state. Any other version
   * requests a state that is not older than that version.
   */
  readonly resourceVersion: string;
  readonly limit: number | undefined;
  /** The token of the next page. It contains the version, which is then not sent (U5). */
  readonly continue?: string;
}

/** A WATCH. With `sendInitialEvents` it begins with all existing objects (a streaming list). */
export interface WatchQuery {
  readonly verb: 'watch';
  readonly resourceVersion: string;
  /** The time after which the server ends the watch. */
  readonly timeoutSeconds: number;
  readonly sendInitialEvents: boolean;
}

/** The query of one request for a list or a watch. */
export type RequestQuery = ListQuery | WatchQuery;

/** What every step knows besides the state and the input. */
export interface Context {
  readonly config: ReflectorConfig;
  /** The time in milliseconds of the scheduler. */
  readonly at: number;
  /** A random number in [0, 1). */
  readonly random: number;
}

export type Input<T> =
  | { readonly type: 'started' }
  /** The time that `alarmOf` returned has come. */
  | { readonly type: 'alarm' }
  | Reading<T>
  | Turn
  | Probed
  | Recheck;

/** The inputs of a request in flight. The last input is `page-end`, `closed` or `failed`. */
export type Reading<T> =
  /** The head of a successful response; `isCompressed` is only set for streaming lists. */
  | { readonly type: 'head'; readonly isCompressed?: boolean }
  /**
   * List items of one network read. `failures` has an error for each item that could not be
   * transformed.
   */
  | {
      readonly type: 'items';
      readonly items: readonly T[];
      readonly failures: readonly RxInformersError<'RXI_TRANSFORM'>[];
    }
  | { readonly type: 'page-end'; readonly metadata: ListEnvelopeMetadata }
  /**
   * Watch events of one network read. No event follows an `error`, and only `untransformed` events
   * follow a `lost` event. `bytes` is the length of the read, 0 if it has only empty lines; it is
   * set only for streaming lists. `hasHeartbeat` is set for the read with the first empty line.
   */
  | {
      readonly type: 'events';
      readonly events: readonly DecodedEvent<T>[];
      readonly bytes?: number;
      readonly hasHeartbeat?: boolean;
    }
  /** The watch ended. `cut` is set if it ended in the middle of a line. */
  | { readonly type: 'closed'; readonly cut?: RxInformersError<'RXI_DECODE'> }
  | { readonly type: 'failed'; readonly error: SourceError };

/** The client has queued a request (`KubeRequest.onQueued`), or sent it from the queue. */
export type Turn = { readonly type: 'queued' } | { readonly type: 'sent' };

/** One line of a watch. */
export type DecodedEvent<T> =
  | {
      readonly type: 'change';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: T;
      readonly resourceVersion: string;
    }
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly endsInitialList: boolean }
  /** An `ERROR` event of the server. */
  | { readonly type: 'error'; readonly error: StatusError }
  /** An event that could not be decoded. */
  | { readonly type: 'lost'; readonly error: RxInformersError<'RXI_DECODE'> | RxInformersError<'RXI_RESPONSE'> }
  /** An event whose object could not be transformed; the error contains the key of the object. */
  | {
      readonly type: 'untransformed';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly error: RxInformersError<'RXI_TRANSFORM'>;
    };

/** The version of the server: `''` if it has none, `undefined` if it could not be read. */
interface Probed {
  readonly type: 'probed';
  readonly resourceVersion: string | undefined;
}

/** The subscriber asks for a new connection now, or for a list at this version or a later one. */
export interface Recheck {
  readonly type: 'recheck';
  readonly version?: string | undefined;
}

/** The effects of a step. `run-reflector.ts` carries them out in the order given. */
export type Effect<T> =
  /** Ends the request in flight, if any. It precedes every `request`, so there are never two. */
  | { readonly type: 'abort' }
  | { readonly type: 'emit'; readonly batch: WatchEventBatch<T> }
  /** Sends a request, which does not count towards the limit if `isFree` is true (see `pace`). */
  | { readonly type: 'request'; readonly query: RequestQuery; readonly isFree?: boolean }
  /** Requests the version of the server; a version that was requested after `since` is enough. */
  | { readonly type: 'probe'; readonly since: number }
  /** Records for all sources of the client that streaming lists do not work for this API group. */
  | { readonly type: 'streams-refused' };

export type Step<T> = ProtocolStep<State<T>, Effect<T>>;

/** Returns a step that leads to `state` and emits a batch, if it has events. */
export function stay<T>(state: State<T>, batch: WatchEventBatch<T> = []): Step<T> {
  return { state, effects: batch.length > 0 ? [{ type: 'emit', batch }] : [] };
}

/**
 * The options of one list-watch, in milliseconds unless they say otherwise. Their defaults are in
 * `listWatchDefaults`.
 */
export interface ReflectorConfig {
  readonly initialList: 'stream' | 'pages' | 'auto';
  readonly listConsistency: 'any' | 'most-recent';
  readonly pageSize: number;
  /** False: lists that the server would not read from its cache with a limit have none (R2). */
  readonly isPageSizeSet: boolean;
  /** The shortest and the longest duration of a watch, in seconds (R7). */
  readonly watchTimeout: readonly [number, number];
  readonly grace: number;
  readonly listSilence: number;
  /** The longest silence within a watch. It is used only if there is a heartbeat. */
  readonly watchSilence: number;
  /** The upper limit for `Retry-After`. */
  readonly maxRetryAfter: number;
  readonly backoff: Backoff;
  /** Returns the request of a query, for the messages of errors. */
  readonly requestLine: (query: RequestQuery) => RequestLine;
}
