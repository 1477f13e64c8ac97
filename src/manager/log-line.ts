import { inspect, stripVTControlCharacters, types } from 'node:util';
import { messageOf } from '../kubernetes/message-of.js';
import type { LogFields, Logger } from '../controller/logger.js';

/** One line of a log, before it is text. */
export interface LogLine {
  /** The time of day in milliseconds. */
  readonly time: number;
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields;
}

/** Returns a line as one line of JSON. Errors become objects with their stack and their causes. Never throws. */
export function jsonLine({ time, level, message, fields }: LogLine): string {
  const head = { time: new Date(time).toISOString(), level, message };
  try {
    // First and last: first in the text, and a field of the same name does not replace it.
    return JSON.stringify({ ...head, ...fields, ...head }, toJson);
  } catch {
    return JSON.stringify({ ...head, fields: inspect(fields, { breakLength: Infinity }) });
  }
}

/** Reads the holder of the value: JSON.stringify has replaced an error by its `toJSON()` already. */
function toJson(this: unknown, name: string, value: unknown): unknown {
  const raw = (this as Readonly<Record<string, unknown>>)[name];
  if (isError(raw)) return errorJson(raw);
  return typeof value === 'bigint' ? String(value) : value;
}

/** Returns an error in the shape that pino writes. Only its plain properties are included: others may be whole responses. */
function errorJson(error: Error): object {
  const { name, code, message, stack, cause, errors } = error as Error & {
    readonly code?: unknown;
    readonly errors?: unknown;
  };
  const plain = Object.entries(error).filter(([key, value]) => key !== 'name' && !isObject(value));
  return { type: name, ...(!isObject(code) && { code }), message, ...Object.fromEntries(plain), stack, cause, errors };
}

/**
 * Returns a line for a terminal: the local time, the level, the message and the fields. The stacks of errors and of their
 * causes follow, indented. Never throws.
 */
export function textLine({ time, level, message, fields }: LogLine): string {
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

/** The stack begins with name and message. Causes that lead back to themselves are printed once. */
function stackText(error: Error, seen: readonly unknown[] = []): string {
  const { stack, cause, errors } = error as Error & { readonly errors?: unknown };
  const causes = [cause, ...(Array.isArray(errors) ? (errors as readonly unknown[]) : [])]
    .filter((each) => each !== undefined && !seen.includes(each) && each !== error)
    .map((each) => `caused by: ${isError(each) ? stackText(each, [...seen, error]) : messageOf(each)}`);
  return [stack ?? messageOf(error), ...causes].join('\n');
}

/** An error of another realm, such as a worker's, is no `instanceof Error`. */
function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' ? value !== null : typeof value === 'function';
}
