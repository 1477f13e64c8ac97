import {
  asyncScheduler,
  concat,
  concatMap,
  defer,
  from,
  map,
  of,
  throwError,
  timer,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from 'rxjs';
import { InvalidOptionError } from '../list-watch-options.js';
import { UnexpectedSourceError } from '../source-error.js';
import type { SourceStatus } from '../source-status.js';
import type { WatchEvent, WatchEventBatch } from '../watch-event.js';
import { decodeError } from './recorded-error.js';
import { RecordingFormatError, TruncatedRecordingError } from './recording-errors.js';
import type { RecordedEvent, RecordedStatus, RecordingHeader, RecordingLine } from './recording-line.js';

export interface ReplayOptions {
  /** How many times faster than it was recorded; default 1. `Infinity`: everything at once, within the call that subscribes. */
  readonly speed?: number;
  /** Default `asyncScheduler`; a `TestScheduler` replays in virtual time. */
  readonly scheduler?: SchedulerLike;
}

/**
 * A source that says again what was recorded (`record` of `rx-informers/testing`), batch for batch and at its times.
 *
 * The times in `STATUS` events are moved to the time of the replay. It completes where the recording ended or its recorder left, and fails
 * where the recorded source failed. A recording that breaks off is replayed up to there; then comes an `ERROR` with an
 * `UnexpectedSourceError`, whose `cause` is a `TruncatedRecordingError`, and completion, so that an informer keeps what it got.
 *
 * **Guarantees**: cold, as far as `recording` is; never reads further ahead than it has replayed, except by one line.
 * **Errors**: `RecordingFormatError` where the first line is not the header of a known format; throws `InvalidOptionError` for
 * a speed that is not positive.
 *
 * @param recording the whole text, or its lines (an array, an async iterable such as Node's `readline`, an Observable)
 * @example
 * import { informer, replay } from 'rx-informers';
 *
 * const recorded = await (await fetch('/recordings/pods.ndjson')).text();
 * const pods = informer(replay(recorded, { speed: 10 }));
 */
export function replay<T>(
  recording: string | ObservableInput<string>,
  { speed = 1, scheduler = asyncScheduler }: ReplayOptions = {},
): Observable<WatchEventBatch<T>> {
  if (!(speed > 0)) throw new InvalidOptionError('speed', speed, 'a positive number');
  return defer(() => {
    const reader = new RecordingReader<T>(scheduler.now(), speed);
    const lines = typeof recording === 'string' ? recording.split('\n') : recording;
    const steps = concat(
      from(lines).pipe(map((line) => reader.read(line))),
      defer(() => of(reader.end())),
    );
    return steps.pipe(
      concatMap((step) => {
        const batch = step.failure === undefined ? from(step.batches) : throwError(() => step.failure);
        const wait = reader.start + step.at / speed - scheduler.now();
        return wait > 0 ? timer(wait, scheduler).pipe(concatMap(() => batch)) : batch;
      }),
    );
  });
}

interface ReplayStep<T> {
  readonly at: number;
  readonly batches: readonly WatchEventBatch<T>[];
  readonly failure?: Error;
}

const nothing = { at: 0, batches: [] } as const;

class RecordingReader<T> {
  #header: RecordingHeader | undefined;
  #line = 0;
  #hasEnded = false;

  constructor(
    readonly start: number,
    private readonly speed: number,
  ) {}

  read(text: string): ReplayStep<T> {
    this.#line += 1;
    if (text.trim() === '' || this.#hasEnded) return nothing;
    const value = parse(text);
    if (this.#header === undefined) {
      this.#header = headerOf(value);
      return nothing;
    }
    if (!isLine<T>(value)) return this.#truncated();
    if ('batch' in value) return { at: value.at, batches: [value.batch.map((event) => this.#eventOf(event))] };
    this.#hasEnded = true;
    return { at: value.at, batches: [], ...(value.end === 'failed' ? { failure: decodeError(value.error) } : {}) };
  }

  end(): ReplayStep<T> {
    if (this.#hasEnded) return nothing;
    if (this.#header === undefined) throw new RecordingFormatError('it is empty');
    this.#line += 1;
    return this.#truncated();
  }

  #truncated(): ReplayStep<T> {
    this.#hasEnded = true;
    const error = new UnexpectedSourceError(new TruncatedRecordingError(this.#line));
    return { at: 0, batches: [[{ type: 'ERROR', error }]] };
  }

  #eventOf(event: RecordedEvent<T>): WatchEvent<T> {
    switch (event.type) {
      case 'ERROR':
        return { ...event, error: decodeError(event.error) };
      case 'STATUS':
        return { ...event, status: this.#statusOf(event.status) };
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
      case 'LISTED':
      case 'BOOKMARK':
        return event;
    }
    return event satisfies never;
  }

  #statusOf(status: RecordedStatus): SourceStatus {
    const moved = (time: number): number => this.start + (time - (this.#header?.startedAt ?? 0)) / this.speed;
    return {
      ...status,
      ...(status.cause === undefined ? {} : { cause: decodeError(status.cause) }),
      ...(status.since === undefined ? {} : { since: moved(status.since) }),
      ...(status.until === undefined ? {} : { until: moved(status.until) }),
    } as SourceStatus;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function headerOf(value: unknown): RecordingHeader {
  const header = value as Partial<Record<keyof RecordingHeader, unknown>> | null | undefined;
  if (header?.recording !== 'rx-informers')
    throw new RecordingFormatError('the first line is not the header of a recording');
  if (header.version !== 1)
    throw new RecordingFormatError(`it has version ${String(header.version)} of the format; only 1 is known`);
  return value as RecordingHeader;
}

function isLine<T>(value: unknown): value is RecordingLine<T> {
  if (typeof value !== 'object' || value === null) return false;
  const { at, batch, end } = value as { readonly at?: unknown; readonly batch?: unknown; readonly end?: unknown };
  return typeof at === 'number' && (Array.isArray(batch) || typeof end === 'string');
}
