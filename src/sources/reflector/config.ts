import type { Backoff } from '../backoff.js';
import type { RequestLine } from '../source-error.js';
import type { Query } from './query.js';

/** What `step` is told once and for all; durations are milliseconds unless they say otherwise. */
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
  /** What a query looks like on the wire, for the messages of errors. */
  readonly requestLine: (query: Query) => RequestLine;
}

/** A connection that ends sooner, without having said anything new, is a failure and not an end (R14). */
export const shortLife = 1_000;

/** So long without a failure, and the next failure counts as the first (R18 ▲: anchored to health, not to the last reset). */
export const healthyAfter = 120_000;

/** So many watches in a row that ended early without a single event: the version may be gone without a 410 (R14 ▲). */
export const fruitlessWatches = 5;

/** So many streaming lists in a row that ended before their end: list in pages instead (R25 ▲). */
export const fruitlessStreams = 3;

/** A streaming list that says nothing for so long is given up, and the list is read in pages (R27 ▲). */
export const streamSilence = 3_000;

/** Between two reports of how far a list has come. */
export const reportInterval = 1_000;

/** The limit of a paged list where none was chosen (R2). */
export const defaultPageSize = 500;
