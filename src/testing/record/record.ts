import { Observable, type SchedulerLike, defer } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import {
  encodeError,
  type RecordedError,
  type RecordedEvent,
  type RecordedStatus,
  type RecordingHeader,
  type RecordingLine,
} from '../../sources/recording/lines.js';
import { steady, wallTime } from '../../time/clock.js';
import { UnexpectedSourceError, type SourceError } from '../../sources/model/errors.js';
import { type SourceStatus, toBatch, type WatchEvent, type WatchEventBatch } from '../../sources/model/watch-event.js';
import type { Source } from '../../sources/model/source.js';
import { redactCredentials, redactObject, redacted } from './redact.js';
import { closeSync, openSync, writeSync, readFileSync } from 'node:fs';
import { replay, type ReplayOptions } from '../../sources/recording/replay.js';

export interface RecordOptions {
  /** The resource, noted in the recording. With `secrets`, all objects are redacted as Secrets, even without a kind. */
  readonly resource?: Resource<unknown> | undefined;
  /** What was done to the objects before, in words, to be noted; default: nothing is. */
  readonly transform?: string | undefined;
  /**
   * Whether secrets are left out; default true: the values of Secrets and of their last applied configuration, annotations
   * that are called token, password and the like, `Authorization` and bearer tokens anywhere, and the raw text in errors.
   */
  readonly redact?: boolean | undefined;
  /** The clock of the recorded times; default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Passes a source on, and writes what it emits as lines of JSON that `replay` understands: a header, one line a batch with its time since
 * the beginning, and how it ended.
 *
 * **Guarantees**: what passes is what the source emitted, never redacted; a line is written before its batch passes.
 * **Does not guarantee**: that more than the type and the fields of errors is kept (their causes become messages); that a secret in a
 * ConfigMap or an environment variable is recognised.
 * **Errors**: what the sink throws. Each subscription is a recording of its own: with a path as sink, subscribe once (an informer does).
 *
 * @param sink a file to be written anew, a function, or anything with `write`
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
    const write = (line: RecordingHeader | RecordingLine<T>): void => {
      open.write(`${JSON.stringify(line, redact ? redactCredentials : undefined)}\n`);
    };
    let hasEnded = false;
    const end = (line: RecordingLine<T>): void => {
      if (hasEnded) return;
      hasEnded = true;
      write(line);
    };
    // Last of all: whoever unsubscribes may do so while a batch passes.
    subscriber.add(() => {
      end({ at: at(), end: 'unsubscribed' });
      open.close();
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
          end({ at: at(), end: 'failed', error: encodeRedacted(new UnexpectedSourceError(error), redact) });
          subscriber.error(error);
        },
        complete: () => {
          end({ at: at(), end: 'completed' });
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

/** The raw text of what could not be read may be anything, and a Secret too. */
function encodeRedacted(error: SourceError, redact: boolean): RecordedError {
  const recorded = encodeError(error);
  if (!redact) return recorded;
  if (recorded.name === 'DecodeError') return { ...recorded, line: redacted };
  return recorded.name === 'ResponseError' ? { ...recorded, body: redacted } : recorded;
}

/** Where lines go; each comes with its line break. */
export type LineSink = string | ((line: string) => void) | { write(line: string): unknown };

export interface OpenSink {
  write(line: string): void;
  close(): void;
}

/** A path is a file that is written anew, each line before the next event passes: what a crash leaves is a truncated recording. */
export function openSink(sink: LineSink): OpenSink {
  if (typeof sink === 'string') {
    const file = openSync(sink, 'w');
    return {
      write: (line) => {
        writeSync(file, line);
      },
      close: () => {
        closeSync(file);
      },
    };
  }
  const close = (): void => {
    // What was given belongs to who gave it.
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
 * **Errors**: those of `replay`, and of reading the file.
 *
 * @example
 * const pods = informer(replayFile('pods.ndjson', { speed: Infinity }));
 */
export function replayFile<T>(file: string, options: ReplayOptions = {}): Observable<WatchEventBatch<T>> {
  return defer(() => replay<T>(readFileSync(file, 'utf8'), options));
}
