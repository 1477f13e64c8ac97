import { from, isObservable, type ObservableInput, type Observer } from 'rxjs';
import { messageOf } from '../../kubernetes/errors.js';
import {
  BookmarkDeadlineError,
  ConnectionError,
  CredentialsError,
  DecodeError,
  EarlyCloseError,
  InvalidEventError,
  ResponseError,
  SilentConnectionError,
  StatusError,
  TransformError,
  UnexpectedSourceError,
  type SourceError,
} from '../model/errors.js';
import type { WatchEvent } from '../model/watch-event.js';
import { asExpected } from '../reflector/failure.js';

/** Reads the lines of a recording one at a time. */
export interface LineReader {
  /** Notifies the observer of the next line or of the end, within the call or later. Call it again only after that. */
  read(): void;
  /** Releases the input, wherever it stands. */
  close(): void;
}

/**
 * Opens the lines of a recording.
 *
 * Text and iterables, async ones too, are read a line at a time, when `read` asks for it. Any other input (an Observable, a promise) decides
 * itself when it emits; its lines are kept until `read` asks for them.
 */
export function openLines(recording: string | ObservableInput<string>, observer: Observer<string>): LineReader {
  if (typeof recording === 'string') return pullLines(linesOf(recording), observer);
  if (!isObservable(recording)) {
    if (Symbol.iterator in recording) return pullLines(recording[Symbol.iterator](), observer);
    if (Symbol.asyncIterator in recording) return pullLinesLater(recording[Symbol.asyncIterator](), observer);
  }
  return keepLines(recording, observer);
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function pullLines(lines: Iterator<string>, observer: Observer<string>): LineReader {
  let isOpen = true;
  return {
    read() {
      let result: IteratorResult<string>;
      try {
        result = lines.next();
      } catch (error) {
        isOpen = false;
        observer.error(error);
        return;
      }
      isOpen = result.done !== true;
      if (result.done === true) observer.complete();
      else observer.next(result.value);
    },
    close() {
      if (isOpen) lines.return?.();
    },
  };
}

function pullLinesLater(lines: AsyncIterator<string>, observer: Observer<string>): LineReader {
  let isOpen = true;
  return {
    read() {
      lines.next().then(
        (result) => {
          isOpen = result.done !== true;
          if (result.done === true) observer.complete();
          else observer.next(result.value);
        },
        (error: unknown) => {
          isOpen = false;
          observer.error(error);
        },
      );
    },
    close() {
      // The subscriber has left: a failure to close the input has no one to go to.
      if (isOpen) lines.return?.().catch(() => undefined);
    },
  };
}

function keepLines(lines: ObservableInput<string>, observer: Observer<string>): LineReader {
  const kept = new Set<() => void>();
  let isAwaited = false;

  function deliver(): void {
    const [first] = kept;
    isAwaited = first === undefined;
    if (first === undefined) return;
    kept.delete(first);
    first();
  }

  function keep(notify: () => void): void {
    kept.add(notify);
    if (isAwaited) deliver();
  }

  const subscription = from(lines).subscribe({
    next: (line) => {
      keep(() => {
        observer.next(line);
      });
    },
    error: (error: unknown) => {
      keep(() => {
        observer.error(error);
      });
    },
    complete: () => {
      keep(() => {
        observer.complete();
      });
    },
  });
  return {
    read: deliver,
    close() {
      subscription.unsubscribe();
      kept.clear();
    },
  };
}

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

/**
 * An error as its `toJSON()` returns it, without what its constructor makes again, and without the event that it is about.
 * Of a cause only the message is kept.
 */
export type RecordedError = RecordedAs<SourceError>;

type RecordedAs<E> = E extends SourceError
  ? Omit<E, 'code' | 'message' | 'stack' | 'toJSON' | 'cause' | 'event'> & {
      readonly code: string;
      readonly cause?: string;
    }
  : never;

/** @returns what `JSON.stringify` keeps everything of */
export function encodeError(error: SourceError): RecordedError {
  const { message, event, ...fields } = error.toJSON();
  return { ...fields, ...(error.cause !== undefined && { cause: messageOf(error.cause) }) } as unknown as RecordedError;
}

export function decodeError(recorded: RecordedError): SourceError {
  const error = errorOf(recorded);
  return recorded.expected ? asExpected(error) : error;
}

function errorOf(recorded: RecordedError): SourceError {
  switch (recorded.name) {
    case 'StatusError':
      return new StatusError(recorded.request, recorded.status, { ...recorded, code: recorded.statusCode });
    case 'ConnectionError':
      return new ConnectionError(recorded.request, new Error(recorded.cause), recorded.causeCode);
    case 'CredentialsError':
      return new CredentialsError(recorded.request, new Error(recorded.cause));
    case 'SilentConnectionError':
      return new SilentConnectionError(recorded.request, recorded.waitedFor, recorded.silence);
    case 'EarlyCloseError':
      return new EarlyCloseError(recorded.request, recorded.times);
    case 'ResponseError':
      return new ResponseError(recorded.request, recorded.problem, recorded.body);
    case 'DecodeError':
      return new DecodeError(recorded.request, recorded.problem, recorded.line, recorded.byteLength);
    case 'TransformError':
      return new TransformError(recorded.key, recorded.problem);
    case 'BookmarkDeadlineError':
      return new BookmarkDeadlineError(recorded.request, recorded.deadline);
    case 'InvalidEventError':
      return new InvalidEventError(undefined, recorded.problem);
    case 'UnexpectedSourceError':
      return new UnexpectedSourceError(new Error(recorded.cause), recorded.problem);
  }
  return recorded satisfies never;
}
