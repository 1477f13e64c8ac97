import type { Step as ProtocolStep } from '../../time/run-protocol.js';
import type { Backoff } from '../model/backoff.js';
import type {
  DecodeError,
  RequestLine,
  ResponseError,
  SourceError,
  StatusError,
  TransformError,
} from '../model/errors.js';
import type { WatchEventBatch } from '../model/watch-event.js';
import type { ListEnvelopeMetadata } from '../wire/split-list.js';
import type { Collected, FoldableChange, PageProgress } from './collected.js';

/**
 * The states of a list-watch. Each state holds exactly the data that is valid in it.
 *
 * ```
 * idle ──▶ streaming ──────────▶ watching ◀─▶ waiting ──▶ (streaming or listing)
 *              └────▶ listing ──────▲
 * ```
 *
 * `streaming`, `listing` and `watching` have one request in flight, `waiting` has none. `paced` stands before any of the three if
 * requests follow each other too fast. Every state except `idle` continues by itself at one moment, `alarmOf`, even if no input comes:
 * that is why the protocol never stops (G5). While a limited client keeps the request waiting for its turn, there is no such moment.
 */
export type State<T> = Idle | InFlightState<T> | Paced<T> | Waiting;

/** A state with a request in flight. */
export type InFlightState<T> = Listing<T> | Streaming<T> | Watching;

/** What is remembered from state to state, for one subscription. */
export interface Memory {
  /** The last version observed, `''` before the first (R1). */
  readonly resourceVersion: string;
  /** The newest version since the last list; a server that replays events goes back from it. */
  readonly newestVersion: string;
  /** The server does not have that version: ask for the most recent until a list succeeds (R4). */
  readonly isVersionUnavailable: boolean;
  /** The version from which a watch failed with 410 last, `''` before the first. */
  readonly expiredVersion: string;
  /** A list at version 0 came in pages, so the server has no watch cache to bypass (R3). */
  readonly isPaged: boolean;
  /** The server cannot do streaming lists, or something on the way swallows the end bookmark (R26 ▲, R27 ▲). */
  readonly isStreamRefused: boolean;
  /** The last streaming list fell silent; if a page then comes sooner, streaming lists do not work here. */
  readonly isStreamSilent: boolean;
  /** Failures in a row. */
  readonly attempt: number;
  /** Since when a watch was there without a failure. */
  readonly healthySince: number | undefined;
  /** Connections in a row that ended early and without any use. */
  readonly fruitless: number;
  /** When to list again for the sake of objects that were missing from the last list (R12 ▲). */
  readonly relistAt: number | undefined;
  readonly pace: Pace;
}

/** How much of the allowance for requests is used up. */
export interface Pace {
  /** When the whole allowance is there again. */
  readonly fullAt: number;
  /** How many requests in a row had to wait. */
  readonly waits: number;
}

export const nothingKnown: Memory = {
  resourceVersion: '',
  newestVersion: '',
  isVersionUnavailable: false,
  expiredVersion: '',
  isPaged: false,
  isStreamRefused: false,
  isStreamSilent: false,
  attempt: 0,
  healthySince: undefined,
  fruitless: 0,
  relistAt: undefined,
  pace: { fullAt: 0, waits: 0 },
};

export interface Idle {
  readonly name: 'idle';
  readonly memory: Memory;
}

/** The request in flight. */
interface InFlight {
  readonly memory: Memory;
  /** When it was sent: before the connection was there (R14). `Infinity` while the client keeps it waiting. */
  readonly openedAt: number;
  /** When the response's head arrived. */
  readonly headAt: number | undefined;
  /** When the last part of the response arrived. */
  readonly lastAt: number;
}

/** Reading a list, page by page. */
export interface Listing<T> extends InFlight {
  readonly name: 'listing';
  readonly query: ListQuery;
  /** The query of the first page: a list whose continuation expired is asked for again at its version (U5). */
  readonly first: ListQuery;
  /** The version of the list: that of its first page (U5). */
  readonly listVersion: string | undefined;
  readonly collected: Collected<T> | undefined;
  readonly received: number;
  readonly expected: number | undefined;
  /** Keys of objects that could not be delivered. */
  readonly missing: readonly string[];
  readonly progress: PageProgress;
  readonly reportedAt: number;
}

/** Reading a streaming list, up to its end bookmark; the same stream then goes on as the watch (R24). */
export interface Streaming<T> extends InFlight {
  readonly name: 'streaming';
  readonly query: WatchQuery;
  readonly collected: Collected<FoldableChange<T>> | undefined;
  /** How many changes are collected, and how many may be before they are folded again. */
  readonly held: number;
  readonly foldAt: number;
  /** When the last part of the initial objects came. */
  readonly initialAt: number;
  /** Whether something other than ADDED came: then the initial objects are complete. */
  readonly isChanging: boolean;
  /** The key of the last object, as long as all came in the order of their keys, so each once. `''` before the first. */
  readonly lastInOrder: string | undefined;
  readonly received: number;
  readonly reportedAt: number;
}

export interface Watching extends InFlight {
  readonly name: 'watching';
  readonly query: WatchQuery;
  /** Whether the watch brought a version newer than all before it. */
  readonly hasProgressed: boolean;
  /** False while the versions of events do not count: at first after opening at no version (R11). */
  readonly isOrdered: boolean;
}

/** A request waits, because many others were answered within seconds. */
export interface Paced<T> {
  readonly name: 'paced';
  readonly memory: Memory;
  readonly until: number;
  /** The state that it leads to. */
  readonly then: InFlightState<T>;
  readonly query: Query;
}

export interface Waiting {
  readonly name: 'waiting';
  readonly memory: Memory;
  readonly until: number;
  readonly next: 'list' | 'watch';
  readonly cause: SourceError;
}

/** One page of a LIST. What is not set is not sent. */
export interface ListQuery {
  readonly verb: 'list';
  /** `''` asks for the most recent state (nothing is sent), `0` for any, another for one not older than it. */
  readonly resourceVersion: string;
  readonly limit: number | undefined;
  /** Asks for the next page; the token holds the version, so `resourceVersion` is not sent with it (U5). */
  readonly continue?: string;
}

/** A WATCH; with `sendInitialEvents` it begins with everything that exists (a streaming list). */
export interface WatchQuery {
  readonly verb: 'watch';
  readonly resourceVersion: string;
  /** After how long the server ends the watch by itself. */
  readonly timeoutSeconds: number;
  readonly sendInitialEvents: boolean;
}

export type Query = ListQuery | WatchQuery;

/** What happened, when (milliseconds of the scheduler), and a random number in [0, 1) for this step. */
export type Input<T> = Happening<T> & { readonly at: number; readonly random: number };

export type Happening<T> =
  | { readonly type: 'started' }
  /** The moment that `alarmOf` returns has come. */
  | { readonly type: 'alarm' }
  | Reading<T>;

/** What a request in flight brings; after `page-end`, `closed` and `failed` it is over. */
export type Reading<T> =
  /** The head of a successful response. */
  | { readonly type: 'head' }
  /** List items of one network read; `failures` are those that could not be transformed, `elsewhere` counts those of other shards. */
  | {
      readonly type: 'items';
      readonly items: readonly T[];
      readonly failures: readonly TransformError[];
      readonly elsewhere?: number;
    }
  | { readonly type: 'page-end'; readonly metadata: ListEnvelopeMetadata }
  /** Watch events of one network read. Nothing follows an `error`, and at most `untransformed` follows `lost`. */
  | { readonly type: 'events'; readonly events: readonly DecodedEvent<T>[] }
  /** The watch ended; with `cut` in the middle of a line. */
  | { readonly type: 'closed'; readonly cut?: DecodeError }
  | { readonly type: 'failed'; readonly error: SourceError };

/** The client keeps a request waiting for its turn (`KubeRequest.onQueued`), or has sent it after that. */
export type Turn = { readonly type: 'queued' } | { readonly type: 'sent' };

/** One line of a watch. */
export type DecodedEvent<T> =
  | {
      readonly type: 'change';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: T;
      readonly resourceVersion: string;
    }
  /** A change of an object that is another shard's: nothing but its version matters. */
  | {
      readonly type: 'elsewhere';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly resourceVersion: string;
    }
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly endsInitialList: boolean }
  /** The server says what is wrong. */
  | { readonly type: 'error'; readonly error: StatusError }
  /** An event that could not be understood. */
  | { readonly type: 'lost'; readonly error: DecodeError | ResponseError }
  /** An event whose object could not be transformed; the error has its key. */
  | {
      readonly type: 'untransformed';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly error: TransformError;
    };

/** What the shell carries out, in the order given. */
export type Effect<T> =
  /** Ends the request in flight, if there is one. Comes before every `request`, so there are never two. */
  | { readonly type: 'abort' }
  | { readonly type: 'emit'; readonly batch: WatchEventBatch<T> }
  /** `isFree`: it does not count towards the bound on requests. */
  | { readonly type: 'request'; readonly query: Query; readonly isFree?: boolean }
  /** Tells the other sources of the client that streaming lists do not work here. */
  | { readonly type: 'streams-refused' };

export type Step<T> = ProtocolStep<State<T>, Effect<T>>;

/** Returns the step to `state` without effects. */
export function stay<T>(state: State<T>): Step<T> {
  return { state, effects: [] };
}

/** The options of one list-watch, in milliseconds unless they say otherwise. */
export interface ReflectorConfig {
  readonly initialList: 'stream' | 'pages';
  readonly listConsistency: 'any' | 'most-recent';
  /** `undefined`: chosen by R2. */
  readonly pageSize: number | undefined;
  /** Shortest and longest, in seconds (R7). */
  readonly watchTimeout: readonly [number, number];
  readonly grace: number;
  readonly openTimeout: number;
  readonly listSilence: number;
  readonly bookmarkDeadline: number;
  /** The longest wait that a server may ask for. */
  readonly maxRetryAfter: number;
  readonly backoff: Backoff;
  /** Returns the request of a query, for the messages of errors. */
  readonly requestLine: (query: Query) => RequestLine;
}

/** A streaming list that says nothing for so long is given up, and the list is read in pages (R27 ▲). */
export const streamSilence = 3_000;

/** A connection that ends sooner, without having said anything new, is a failure and not an end (R14). */
export const shortLife = 1_000;

/** Between two reports of how far a list has come. */
export const reportInterval = 1_000;

/** Returns when the end of a watch, or of its connection, is overdue (G6). */
export function overdueAt(config: ReflectorConfig, query: WatchQuery, headAt: number): number {
  return headAt + query.timeoutSeconds * 1_000 + config.grace;
}
