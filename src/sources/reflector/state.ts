import type { SourceError } from '../source-error.js';
import type { Collected } from './collected.js';
import { streamSilence, type ReflectorConfig } from './config.js';
import type { FoldableChange } from './fold-changes.js';
import { fullPace, type Pace } from './pace.js';
import type { PageProgress } from './page-progress.js';
import type { ListQuery, Query, WatchQuery } from './query.js';

/**
 * Where the protocol stands.
 *
 * ```
 * idle ──▶ streaming ──────────▶ watching ◀─▶ waiting ──▶ (streaming or listing)
 *              └────▶ listing ──────▲
 * ```
 *
 * `streaming`, `listing` and `watching` have one request in flight, `waiting` has none. `paced` stands before any of the three, if
 * requests follow each other too fast. Every state except `idle` has one
 * moment at which something happens even if the world stays silent (`alarmOf`): that is why it never stops by itself (G5).
 * While a limited client keeps the request waiting for its turn, that moment is the client's to set.
 */
export type State<T> = Idle | InFlightState<T> | Paced<T> | Waiting;

/** A state with a request in flight. */
export type InFlightState<T> = Listing<T> | Streaming<T> | Watching;

/** What is remembered from state to state, for as long as somebody is subscribed. */
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
  pace: fullPace,
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
  /** When the last part of what existed at the beginning came. */
  readonly initialAt: number;
  /** Whether something other than ADDED came: then what existed at the beginning is complete. */
  readonly isChanging: boolean;
  /** The key of the last object, as long as nothing but objects came, in the order of their keys: then each came once. `''` before the first. */
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

/** The moment at which something is to happen in `state` though nothing has happened: the one alarm that is set. */
export function alarmOf<T>(config: ReflectorConfig, state: State<T>): number {
  switch (state.name) {
    case 'idle':
      return Infinity;
    case 'waiting':
    case 'paced':
      return state.until;
    case 'listing':
      return state.headAt === undefined ? state.openedAt + config.openTimeout : state.lastAt + config.listSilence;
    case 'streaming':
      return state.headAt === undefined
        ? state.openedAt + config.openTimeout
        : Math.min(
            state.lastAt + streamSilence,
            state.initialAt + config.bookmarkDeadline,
            overdueAt(config, state.query, state.headAt),
          );
    case 'watching':
      return Math.min(
        state.headAt === undefined ? state.openedAt + config.openTimeout : overdueAt(config, state.query, state.headAt),
        state.memory.relistAt ?? Infinity,
      );
  }
}

/** When the server should have ended the watch, and had time to let it be known (G6). */
export function overdueAt(config: ReflectorConfig, query: WatchQuery, headAt: number): number {
  return headAt + query.timeoutSeconds * 1_000 + config.grace;
}
