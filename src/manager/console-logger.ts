import { inspect, stripVTControlCharacters, types } from 'node:util';
import type { SchedulerLike } from 'rxjs';
import { messageOf } from '../kubernetes/errors.js';
import type { LogFields, Logger } from '../requests/logger.js';
import { steady, wallTime } from '../scheduling/clock.js';

/** Options of `consoleLogger`. */
export interface ConsoleLoggerOptions {
  /** Default `info`. `debug` writes a line for each run of a controller. */
  readonly level?: keyof Logger | undefined;
  /** True for JSON, false for people (default if the standard output is a terminal). */
  readonly json?: boolean | undefined;
  /** Receives each line; default `console.log`. */
  readonly write?: ((line: string) => void) | undefined;
  /** The clock for the times of the lines; default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

const levels: readonly (keyof Logger)[] = ['debug', 'info', 'warn', 'error'];

/**
 * Returns a logger that writes to the console, with pino's interface. If you need redaction, child
 * loggers or several destinations, pass pino instead: it has the same interface.
 *
 * | standard output | a line |
 * | --- | --- |
 * | a terminal | `14:05:07.123 INFO  all caches have synced controller=website took=212`, then the stacks of errors |
 * | not a terminal | `{"time":"2026-02-01T14:05:07.123Z","level":"info","message":"all caches have synced","controller":"website","took":212}` |
 *
 * In JSON an error is an object with `type`, `message`, `stack`, and its `cause` in the same form.
 *
 * **Guarantees**: Each call writes once. A value that cannot be written as JSON does not make the
 * logger throw.
 *
 * @param options the lowest level, the form and the clock; see {@link ConsoleLoggerOptions}
 * @returns a logger for {@link manager}, `controller` and `leader$`
 * @example
 * import { consoleLogger } from 'rx-informers/node';
 *
 * const logger = consoleLogger({ level: 'debug' });
 * logger.info({ key: 'web/shop' }, 'reconciled');
 */
export function consoleLogger(options: ConsoleLoggerOptions = {}): Logger {
  const { level = 'info', write = console.log, json = !process.stdout.isTTY } = options;
  const scheduler = steady(options.scheduler);
  const format = json ? jsonLine : textLine;
  const least = levels.indexOf(level);
  const log = (own: keyof Logger) => (fields: LogFields, message: string) => {
    if (levels.indexOf(own) >= least) write(format({ time: wallTime(scheduler), level: own, message, fields }));
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

/** One line of a log, before it is formatted. */
interface LogLine {
  /** The time of day in milliseconds. */
  readonly time: number;
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields;
}

/** Formats one line of JSON; errors become objects with stack and causes. Never throws. */
function jsonLine({ time, level, message, fields }: LogLine): string {
  const head = { time: new Date(time).toISOString(), level, message };
  try {
    // `head` first puts its fields first; `head` last keeps other fields from overwriting them.
    return JSON.stringify({ ...head, ...fields, ...head }, toJson);
  } catch {
    return JSON.stringify({ ...head, fields: inspect(fields, { breakLength: Infinity }) });
  }
}

/** Reads `this`, because `JSON.stringify` has already replaced an error by its `toJSON()`. */
function toJson(this: unknown, name: string, value: unknown): unknown {
  const raw = (this as Readonly<Record<string, unknown>>)[name];
  if (isError(raw)) return errorJson(raw);
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Returns an error in the shape that pino writes, with its stack and its causes. Of the properties
 * that a subclass adds, only those with plain values are included, because objects may be whole
 * responses.
 */
function errorJson(error: Error): object {
  const { name, code, message, stack, cause, errors } = error as Error & {
    readonly code?: unknown;
    readonly errors?: unknown;
  };
  const plain = Object.entries(error).filter(([key, value]) => key !== 'name' && !isObject(value));
  return { type: name, ...(!isObject(code) && { code }), message, ...Object.fromEntries(plain), stack, cause, errors };
}

/**
 * Formats a log line for a terminal: the local time, the level, the message and the fields. The
 * indented stacks of errors and of their causes follow. Never throws.
 */
function textLine({ time, level, message, fields }: LogLine): string {
  const date = new Date(time);
  const clock = `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const plain = entries.filter(([, value]) => !isError(value)).map(([name, value]) => `${name}=${text(value)}`);
  const stacks = entries.flatMap(([name, value]) => (isError(value) ? [`${name}: ${stackText(value)}`] : []));
  const head = [clock, level.toUpperCase().padEnd(5), message, ...plain].join(' ');
  return [head, ...stacks.map((stack) => stripVTControlCharacters(stack).replace(/^/gm, '    '))].join('\n');
}

function text(value: unknown): string {
  if (typeof value === 'string') return /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);
  try {
    const json: unknown = JSON.stringify(value, toJson);
    return typeof json === 'string' ? json : String(value);
  } catch {
    return inspect(value, { breakLength: Infinity });
  }
}

/** The stack begins with name and message. In a cycle of causes, each error is printed once. */
function stackText(error: Error, seen: readonly unknown[] = []): string {
  const { stack, cause, errors } = error as Error & { readonly errors?: unknown };
  const causes = [cause, ...(Array.isArray(errors) ? (errors as readonly unknown[]) : [])]
    .filter((each) => each !== undefined && !seen.includes(each) && each !== error)
    .map((each) => `caused by: ${isError(each) ? stackText(each, [...seen, error]) : messageOf(each)}`);
  return [stack ?? messageOf(error), ...causes].join('\n');
}

/** An error from another realm, such as a worker, is not an `instanceof Error`. */
function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' ? value !== null : typeof value === 'function';
}
