import type { SchedulerLike } from 'rxjs';
import { placeOf } from '../kubernetes/errors.js';
import { ignoreLine, isSilent, silentLogger, type LogFields, type Logger } from '../requests/logger.js';

/** One log line, returned by the pure functions that decide what to log. */
export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields;
}

/** Fields that help to search logs, but not to read one line. */
const leftOut = ['controller', 'reconcileID', 'took', 'retryAt'];

/** The lines that `consoleWarnings` writes in a minute. */
const maxLines = 10;

/**
 * Returns a logger that writes warnings and errors on the console, each as one line, and at most
 * ten in a minute. It is the default of a controller.
 */
export function consoleWarnings(name: string, scheduler: SchedulerLike): Logger {
  let since = -Infinity;
  let lines = 0;
  const write = (print: (text: string) => void) => (fields: LogFields, message: string) => {
    const passed = scheduler.now() - since;
    // The clock may be set back.
    if (passed < 0 || passed >= 60_000) [since, lines] = [scheduler.now(), 0];
    if (++lines > maxLines) return;
    const texts = Object.entries(fields).flatMap(([field, value]) =>
      value === undefined || leftOut.includes(field) ? [] : [`${field}=${textOf(value)}`],
    );
    const end = lines === maxLines ? '. Further lines of this minute are left out; pass a logger to see all' : '';
    print(`${name}: ${[message, ...texts].join(' ')}${end}`);
  };
  return { ...silentLogger, warn: write((text) => console.warn(text)), error: write((text) => console.error(text)) };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Error ? `${String(value)}${placeOf(value)}` : JSON.stringify(value);
}

/**
 * Returns a logger that adds `fields` to each line. Fields of the line take precedence. A level
 * that writes nothing stays silent.
 */
export function loggerWith(logger: Logger, fields: LogFields): Logger {
  const at = (level: keyof Logger): Logger['debug'] =>
    isSilent(logger, level) ? ignoreLine : (own, message) => logger[level]({ ...fields, ...own }, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
