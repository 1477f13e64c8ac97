import type { WatchEvent } from '../watch-event.js';
import type { RecordedError } from './recorded-error.js';

/** The first line of a recording. */
export interface RecordingHeader {
  readonly recording: 'rx-informers';
  /** Of the format. */
  readonly version: 1;
  /** The recorder's clock when it began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** `pods`, `deployments.apps`. */
  readonly resource?: string;
  /** What was done to the objects before they were recorded, in words. */
  readonly transform?: string;
  readonly redacted: boolean;
}

/** An event as it is written: the error of an `ERROR`, and the cause of a `STATUS`, by their fields. */
export type RecordedEvent<T> =
  | Exclude<WatchEvent<T>, { readonly type: 'ERROR' | 'STATUS' }>
  | { readonly type: 'ERROR'; readonly error: RecordedError; readonly partition?: string }
  | { readonly type: 'STATUS'; readonly status: RecordedStatus; readonly partition?: string };

export interface RecordedStatus {
  readonly state: string;
  readonly cause?: RecordedError;
  /** Milliseconds since the epoch, on the recorder's clock. */
  readonly since?: number;
  readonly until?: number;
  /** Of a merged source, by partition. */
  readonly members?: Readonly<Record<string, RecordedStatus>>;
}

/** Every other line: a batch, or how it ended; `at` is in milliseconds since the beginning. */
export type RecordingLine<T> =
  | { readonly at: number; readonly batch: readonly RecordedEvent<T>[] }
  | { readonly at: number; readonly end: 'completed' | 'unsubscribed' }
  | { readonly at: number; readonly end: 'failed'; readonly error: RecordedError };
