import type { SchedulerLike } from 'rxjs';
import type { LogFields, Logger } from '../controller/logger.js';
import { steady, wallTime } from '../time/steady.js';
import { jsonLine, textLine } from './log-line.js';

/** Options of `consoleLogger`. */
export interface ConsoleLoggerOptions {
  /** The least level that is written; default `info`. `debug` writes a line for each run of a controller. */
  readonly level?: keyof Logger | undefined;
  /** True writes lines of JSON, false lines for people; default: people if the standard output is a terminal. */
  readonly json?: boolean | undefined;
  /** Receives each line; default `console.log`. */
  readonly write?: ((line: string) => void) | undefined;
  /** The clock that dates the lines; default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

const levels: readonly (keyof Logger)[] = ['debug', 'info', 'warn', 'error'];

/**
 * Returns a logger that writes to the console, with pino's interface. Use pino itself if you need redaction, child loggers or
 * several destinations: it fits wherever this one does.
 *
 * | standard output | a line |
 * | --- | --- |
 * | a terminal | `14:05:07.123 INFO  all caches have synced controller=website took=212`, then the stacks of errors |
 * | anything else | `{"time":"2026-02-01T14:05:07.123Z","level":"info","message":"all caches have synced","controller":"website","took":212}` |
 *
 * In JSON an error is an object with `type`, `message`, `stack`, and its `cause` in the same form.
 *
 * **Guarantees**: one call is one write; a value that cannot be written as JSON does not throw.
 *
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
