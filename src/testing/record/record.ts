import { closeSync, openSync, writeSync, readFileSync } from 'node:fs';
import { Observable, type SchedulerLike, defer } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import { steady, wallTime } from '../../scheduling/clock.js';
import { type SourceError, unexpectedSourceError } from '../../sources/model/errors.js';
import type { Source } from '../../sources/model/source.js';
import { type SourceStatus, toBatch, type WatchEvent, type WatchEventBatch } from '../../sources/model/watch-event.js';
import {
  recordedError,
  type RecordedError,
  type RecordedEvent,
  type RecordedStatus,
  type RecordingHeader,
  type RecordingLine,
} from '../../sources/recording/recording-format.js';
import { replay, type ReplayOptions } from '../../sources/recording/replay.js';
import { redactCredentials, redactObject, redacted } from './redact.js';

/** Options of {@link recordSource}. */
export interface RecordOptions {
  /** For the header. For `secrets`, all objects are redacted, even those without a kind. */
  readonly resource?: Resource<unknown> | undefined;
  /** For the header: the transform that the objects have passed. Default: none. */
  readonly transform?: string | undefined;
  /**
   * Redacts secrets. Default true. The following is redacted: the values of Secrets and of their
   * last applied configuration, annotations with names such as token or password, `Authorization`
   * and bearer tokens anywhere, and the raw text in errors.
   */
  readonly redact?: boolean | undefined;
  /** The clock of the recorded times. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Mirrors a source, and writes its emissions as lines of JSON for `replay`: a header, one line for
 * each batch with its time since the beginning, and a line for the end.
 *
 * **Guarantees**: emits the batches of the source unchanged and not redacted; writes a line before
 * it emits the batch. **Does not guarantee**: that errors are recorded completely (only their types
 * and fields are recorded, and causes become messages); that a secret in a ConfigMap or an
 * environment variable is recognised. **Errors**: the errors of the sink. Each subscription is a
 * separate recording, so with a path as sink, subscribe only once (as an informer does).
 *
 * @param source the source to record
 * @param sink the path of a file to overwrite, a function, or an object with `write`
 * @param options the resource, redaction and the clock; see {@link RecordOptions}
 * @returns a source that emits the same events
 * @example
 * import { informer, listWatch, pods } from 'rx-informers';
 * import { recordSource } from 'rx-informers/testing';
 *
 * informer(recordSource(listWatch(client, pods), 'pods.ndjson', { resource: pods })).connect();
 */
export function recordSource<T>(
  source: Source<T>,
  sink: LineSink,
  options: RecordOptions = {},
): Observable<WatchEventBatch<T>> {
  const { resource, transform, redact = true } = options;
  const scheduler = steady(options.scheduler);
  const encode = (event: WatchEvent<T>): RecordedEvent<T> => encodeEvent(event, redact, resource?.plural === 'secrets');
  return new Observable((subscriber) => {
    const open = openSink(sink);
    const startedAt = wallTime(scheduler);
    const beganAt = scheduler.now();
    const at = (): number => scheduler.now() - beganAt;
    let hasEnded = false;
    const write = (line: RecordingHeader | RecordingLine<T>): void => {
      const text = JSON.stringify(line, redact ? redactCredentials : undefined);
      try {
        open.write(`${text}\n`);
      } catch (error) {
        // Nothing more is written after a failure of the sink, not even the line for the end.
        hasEnded = true;
        throw error;
      }
    };
    const end = (line: RecordingLine<T>): void => {
      if (hasEnded) return;
      hasEnded = true;
      write(line);
    };
    // This teardown is added before the source is subscribed to, because a subscriber may
    // unsubscribe while the source emits synchronously in `subscribe`.
    subscriber.add(() => {
      try {
        end({ at: at(), end: 'unsubscribed' });
      } finally {
        open.close();
      }
    });
    write({
      recording: 'rx-informers',
      version: 1,
      startedAt,
      ...(resource ? { resource: [resource.plural, resource.group].filter(Boolean).join('.') } : {}),
      ...(transform === undefined ? {} : { transform }),
      redacted: redact,
    });
    const events: Observable<WatchEvent<T> | readonly WatchEvent<T>[]> = source;
    subscriber.add(
      events.subscribe({
        next: (emitted) => {
          if (hasEnded) return;
          const batch = toBatch(emitted);
          try {
            write({ at: at(), batch: batch.map(encode) });
          } catch (error) {
            subscriber.error(error);
            return;
          }
          subscriber.next(batch);
        },
        error: (error: unknown) => {
          try {
            end({ at: at(), end: 'failed', error: encodeRedacted(unexpectedSourceError(error), redact) });
          } catch {
            // The sink failed as well. The subscriber receives the error of the source.
          }
          subscriber.error(error);
        },
        complete: () => {
          try {
            end({ at: at(), end: 'completed' });
          } catch (error) {
            subscriber.error(error);
            return;
          }
          subscriber.complete();
        },
      }),
    );
  });
}

function encodeEvent<T>(event: WatchEvent<T>, redact: boolean, isSecret: boolean): RecordedEvent<T> {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return redact ? { ...event, object: redactObject(event.object, isSecret) } : event;
    case 'LISTED':
      return redact ? { ...event, items: event.items.map((object) => redactObject(object, isSecret)) } : event;
    case 'BOOKMARK':
      return event;
    case 'ERROR':
      return { ...event, error: encodeRedacted(event.error, redact) };
    case 'STATUS':
      return { ...event, status: encodeStatus(event.status, redact) };
  }
  return event satisfies never;
}

function encodeStatus(status: SourceStatus, redact: boolean): RecordedStatus {
  const { cause, members, ...rest } = { cause: undefined, ...status };
  return {
    ...rest,
    ...(cause !== undefined && { cause: encodeRedacted(cause, redact) }),
    ...(members !== undefined && {
      members: Object.fromEntries(
        Object.entries(members).map(([partition, member]) => [partition, encodeStatus(member, redact)]),
      ),
    }),
  };
}

/**
 * Encodes an error. If `redact` is true, the raw text of a response that could not be parsed is
 * left out, because it may contain a Secret. The message of a `SyntaxError` quotes this text.
 */
function encodeRedacted(error: SourceError, redact: boolean): RecordedError {
  const encoded = recordedError(error);
  if (!redact) return encoded;
  const recorded = error.cause instanceof SyntaxError ? { ...encoded, cause: redacted } : encoded;
  if (recorded.code === 'RXI_DECODE') return { ...recorded, line: redacted };
  return recorded.code === 'RXI_RESPONSE' ? { ...recorded, body: redacted } : recorded;
}

/** The destination of lines: a path, a function or an object. Each line ends with a line break. */
export type LineSink = string | ((line: string) => void) | { write(line: string): unknown };

interface OpenSink {
  write(line: string): void;
  close(): void;
}

/**
 * Opens a sink. If it is a path, overwrites the file at this path. Each line is written to the file
 * before the next batch is emitted, so a crash leaves a recording that is complete up to its last
 * line.
 */
function openSink(sink: LineSink): OpenSink {
  if (typeof sink === 'string') {
    const file = openSync(sink, 'w');
    return {
      write: (line) => {
        writeSync(file, line);
      },
      close: () => closeSync(file),
    };
  }
  const close = (): void => {
    // The caller owns this sink, so it is not closed here.
  };
  if (typeof sink === 'function') return { write: sink, close };
  return {
    write: (line) => {
      sink.write(line);
    },
    close,
  };
}

/**
 * Returns `replay` of a file that `recordSource` wrote. Each subscription reads the file.
 *
 * **Errors**: the errors of `replay`, and errors from reading the file.
 *
 * @param file the path of the recording
 * @param options as for `replay`
 * @returns a source for `informer`
 * @example
 * const pods = informer(replayFile('pods.ndjson', { speed: Infinity }));
 */
export function replayFile<T>(file: string, options: ReplayOptions = {}): Observable<WatchEventBatch<T>> {
  return defer(() => replay<T>(readFileSync(file, 'utf8'), options));
}
