import { Observable, timer, type ObservableInput, type SchedulerLike, type Subscription } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { steady, wallTime } from '../../scheduling/clock.js';
import { recordingFormatError, unexpectedSourceError, truncatedRecordingError } from '../model/errors.js';
import type { SourceStatus, WatchEvent, WatchEventBatch } from '../model/watch-event.js';
import {
  readRecordedError,
  openLines,
  type RecordedEvent,
  type RecordedStatus,
  type RecordingHeader,
  type RecordingLine,
} from './recording-format.js';

/** Options of {@link replay}. */
export interface ReplayOptions {
  /**
   * The speed, as a multiple of the recorded speed; default 1. With `Infinity`, each batch is
   * emitted as soon as it is read: from a text or an array, synchronously in `subscribe`.
   */
  readonly speed?: number | undefined;
  /** Default `asyncScheduler`. With a `TestScheduler`, the replay is in virtual time. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Emits the batches of a recording (made by `recordSource` of `rx-informers/testing`) at their
 * recorded times.
 *
 * The times in `STATUS` events are moved to the time of the replay. The replay completes where the
 * recorded source completed or was unsubscribed, and errors where the recorded source errored.
 * Later lines are not read. An incomplete recording is replayed as far as possible. Then the replay
 * emits an `ERROR` with an `RXI_UNEXPECTED_SOURCE`, whose `cause` is an `RXI_TRUNCATED_RECORDING`,
 * and completes, so an informer keeps its content.
 *
 * **Guarantees**: the replay is cold if `recording` is cold. Text and iterables, including async
 * ones, are read only one line ahead. Iterators are closed when the replay ends or is unsubscribed.
 * Any number of batches may be due at the same time, because they are read in a loop and not
 * recursively.
 * **Does not guarantee**: bounded memory for an Observable that emits lines before they are due,
 * because its lines are kept.
 * **Errors**: `RXI_RECORDING_FORMAT` if the first line is not the header of a known format. Errors
 * of `recording` are passed on.
 *
 * @param recording the whole text, or its lines (an array, an async iterable such as Node's
 *   `readline`, an Observable)
 * @param options the speed and the clock
 * @returns a source for `informer`
 * @throws `RXI_INVALID_OPTION` for a speed that is not positive
 * @example
 * import { informer, replay } from 'rx-informers';
 *
 * const recorded = await (await fetch('/recordings/pods.ndjson')).text();
 * const pods = informer(replay(recorded, { speed: 10 }));
 */
export function replay<T>(
  recording: string | ObservableInput<string>,
  { speed = 1, scheduler: chosen }: ReplayOptions = {},
): Observable<WatchEventBatch<T>> {
  if (!(speed > 0)) throw invalidOptionError('speed', speed, 'a number above 0');
  return new Observable((subscriber) => {
    const scheduler = steady(chosen);
    const startedAt = scheduler.now();
    const reader = new RecordingReader<T>(wallTime(scheduler), speed);
    let pause: Subscription | undefined;
    let isReading = false;
    let isReady = false;

    /** Reads in a loop: a line may arrive within the call, and thousands may be due at once. */
    function readOn(): void {
      isReady = true;
      if (isReading) return;
      isReading = true;
      while (isReady && !subscriber.closed) {
        isReady = false;
        lines.read();
      }
      isReading = false;
    }

    function take(read: () => ReplayStep<T>): void {
      // An async iterator may return its line after the subscriber has left.
      if (subscriber.closed) return;
      let step: ReplayStep<T>;
      try {
        step = read();
      } catch (error) {
        subscriber.error(error);
        return;
      }
      playAfter(startedAt + step.at / speed - scheduler.now(), step);
    }

    function playAfter(wait: number, step: ReplayStep<T>): void {
      if (!(wait > 0)) {
        play(step);
        return;
      }
      pause = timer(wait, scheduler).subscribe(() => play(step));
    }

    function play({ batch, failure, isLast = false }: ReplayStep<T>): void {
      if (batch !== undefined) subscriber.next(batch);
      if (failure !== undefined) subscriber.error(failure);
      else if (isLast) subscriber.complete();
      else readOn();
    }

    const lines = openLines(recording, {
      next: (line) => take(() => reader.read(line)),
      error: (error: unknown) => subscriber.error(error),
      complete: () => take(() => reader.end()),
    });
    subscriber.add(() => {
      pause?.unsubscribe();
      lines.close();
    });
    readOn();
  });
}

interface ReplayStep<T> {
  readonly at: number;
  readonly batch?: WatchEventBatch<T>;
  readonly isLast?: boolean;
  readonly failure?: Error;
}

const nothing = { at: 0 } as const;

class RecordingReader<T> {
  #header: RecordingHeader | undefined;
  #line = 0;

  constructor(
    /** The time of day at which the replay began. */
    private readonly start: number,
    private readonly speed: number,
  ) {}

  read(text: string): ReplayStep<T> {
    this.#line += 1;
    if (text.trim() === '') return nothing;
    const value = parse(text);
    if (this.#header === undefined) {
      this.#header = headerOf(value);
      return nothing;
    }
    if (!isLine<T>(value)) return this.#truncated();
    if ('batch' in value) return { at: value.at, batch: value.batch.map((event) => this.#eventOf(event)) };
    return {
      at: value.at,
      isLast: true,
      ...(value.end === 'failed' ? { failure: readRecordedError(value.error) } : {}),
    };
  }

  end(): ReplayStep<T> {
    if (this.#header === undefined) throw recordingFormatError('it is empty');
    this.#line += 1;
    return this.#truncated();
  }

  #truncated(): ReplayStep<T> {
    const error = unexpectedSourceError(truncatedRecordingError(this.#line));
    return { at: 0, isLast: true, batch: [{ type: 'ERROR', error }] };
  }

  #eventOf(event: RecordedEvent<T>): WatchEvent<T> {
    switch (event.type) {
      case 'ERROR':
        return { ...event, error: readRecordedError(event.error) };
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
      ...(status.cause === undefined ? {} : { cause: readRecordedError(status.cause) }),
      ...(status.since === undefined ? {} : { since: moved(status.since) }),
      ...(status.until === undefined ? {} : { until: moved(status.until) }),
      ...(status.members === undefined
        ? {}
        : { members: mapValues(status.members, (member) => this.#statusOf(member)) }),
    } as SourceStatus;
  }
}

function mapValues<V, R>(record: Readonly<Record<string, V>>, project: (value: V) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, project(value)]));
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
    throw recordingFormatError('the first line is not the header of a recording');
  if (header.version !== 1)
    throw recordingFormatError(`its format has version ${String(header.version)}, but only version 1 can be read`);
  return value as RecordingHeader;
}

function isLine<T>(value: unknown): value is RecordingLine<T> {
  if (typeof value !== 'object' || value === null) return false;
  const { at, batch, end } = value as { readonly at?: unknown; readonly batch?: unknown; readonly end?: unknown };
  return typeof at === 'number' && (Array.isArray(batch) || typeof end === 'string');
}
