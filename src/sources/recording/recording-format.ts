import { from, isObservable, type ObservableInput, type Observer } from 'rxjs';
import { messageOf } from '../../kubernetes/errors.js';
import {
  StatusError,
  type SourceError,
  connectionError,
  credentialsError,
  silentConnectionError,
  earlyCloseError,
  responseError,
  decodingError,
  transformError,
  bookmarkDeadlineError,
  serverRestoredError,
  invalidEventError,
  sharedWorkerError,
  hubError,
  unexpectedSourceError,
} from '../model/errors.js';
import { asExpected } from '../model/failure-kind.js';
import type { WatchEvent } from '../model/watch-event.js';

/** Reads the lines of a recording one at a time. */
export interface LineReader {
  /** Reads the next line. Call it again only after the observer has the line or the end. */
  read(): void;
  /** Stops reading before the end: closes the iterator, or unsubscribes from the input. */
  close(): void;
}

/**
 * Opens the lines of a recording. Text and iterables, also async ones, are read one line for each
 * `read`. Any other input emits at its own pace; its lines are kept until `read`.
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
      // The subscriber has left, so a failure to close the input is dropped.
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
    next: (line) => keep(() => observer.next(line)),
    error: (error: unknown) => keep(() => observer.error(error)),
    complete: () => keep(() => observer.complete()),
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
  /** The version of the format. */
  readonly version: 1;
  /** The recorder's clock when it began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The name of the resource, for example `pods` or `deployments.apps`. */
  readonly resource?: string;
  /** A description of the changes to the objects before they were recorded. */
  readonly transform?: string;
  readonly redacted: boolean;
}

/** An event as written: errors, and causes of a `STATUS`, are objects with their fields. */
export type RecordedEvent<T> =
  | Exclude<WatchEvent<T>, { readonly type: 'ERROR' | 'STATUS' }>
  | { readonly type: 'ERROR'; readonly error: RecordedError; readonly partition?: string }
  | { readonly type: 'STATUS'; readonly status: RecordedStatus; readonly partition?: string };

export interface RecordedStatus {
  readonly state: string;
  readonly cause?: RecordedError;
  /** `since` and `until` are milliseconds since the epoch, on the recorder's clock. */
  readonly since?: number;
  readonly until?: number;
  /** The status of each member of a merged source, by partition. */
  readonly members?: Readonly<Record<string, RecordedStatus>>;
}

/** A line after the header: a batch, or the end. `at` is in milliseconds since the beginning. */
export type RecordingLine<T> =
  | { readonly at: number; readonly batch: readonly RecordedEvent<T>[] }
  | { readonly at: number; readonly end: 'completed' | 'unsubscribed' }
  | { readonly at: number; readonly end: 'failed'; readonly error: RecordedError };

/**
 * The `toJSON()` of an error, without the fields that its constructor computes, and without the
 * event that it is about. Only the message of a cause is kept.
 */
export type RecordedError = RecordedAs<SourceError>;

type RecordedAs<E> = E extends SourceError
  ? Omit<E, 'name' | 'message' | 'stack' | 'toJSON' | 'cause' | 'event'> & { readonly cause?: string }
  : never;

/** Returns a value that `JSON.stringify` writes without loss. */
export function recordedError(error: SourceError): RecordedError {
  const { message, event, ...fields } = error.toJSON();
  return { ...fields, ...(error.cause !== undefined && { cause: messageOf(error.cause) }) } as unknown as RecordedError;
}

export function readRecordedError(recorded: RecordedError): SourceError {
  const error = errorOf(recorded);
  return recorded.expected ? asExpected(error) : error;
}

function errorOf(recorded: RecordedError): SourceError {
  switch (recorded.code) {
    case 'RXI_STATUS':
      return new StatusError(recorded.request, recorded.status, { ...recorded, code: recorded.statusCode });
    case 'RXI_CONNECTION':
      return connectionError(recorded.request, new Error(recorded.cause), recorded.causeCode);
    case 'RXI_CREDENTIALS':
      return credentialsError(recorded.request, new Error(recorded.cause));
    case 'RXI_SILENT_CONNECTION':
      return silentConnectionError(recorded.request, recorded.waitedFor, recorded.silence);
    case 'RXI_EARLY_CLOSE':
      return earlyCloseError(recorded.request, recorded.times);
    case 'RXI_RESPONSE':
      return responseError(recorded.request, recorded.problem, recorded.body);
    case 'RXI_DECODE':
      return decodingError(recorded.request, recorded.problem, recorded.line, recorded.byteLength);
    case 'RXI_TRANSFORM':
      return transformError(recorded.key, recorded.problem);
    case 'RXI_BOOKMARK_DEADLINE':
      return bookmarkDeadlineError(recorded.request, recorded.deadline);
    case 'RXI_SERVER_RESTORED':
      return serverRestoredError(recorded.request, recorded.knownVersion, recorded.serverVersion);
    case 'RXI_INVALID_EVENT':
      return invalidEventError(undefined, recorded.problem);
    case 'RXI_SHARED_WORKER':
      return sharedWorkerError(recorded.problem, recorded.detail);
    case 'RXI_HUB':
      return hubError(recorded.problem, recorded.detail, recorded.upstreamCode);
    case 'RXI_UNEXPECTED_SOURCE':
      return unexpectedSourceError(new Error(recorded.cause), recorded.problem);
  }
  return recorded satisfies never;
}
