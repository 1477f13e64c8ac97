import { isSilent, silentLogger, type Logger, type LogFields } from '../requests/logger.js';
import { safelyOnce, safeMethods, type Safely } from '../scheduling/safely.js';
import type { LogLine } from './logger.js';

/** Writes lines to a logger. Its errors are ignored: there is nowhere to report them. */
export function writeLines(logger: Logger, lines: readonly LogLine[]): void {
  try {
    for (const { level, fields, message } of lines) logger[level](fields, message);
  } catch {
    // An error of the logger must not stop the code that logs.
  }
}

/** Calls hooks, and writes a warning about the first error of each hook. */
export function safelyWithWarnings(logger: Logger, fields: LogFields): Safely {
  return safelyOnce((hook, error) => writeLines(logger, [hookFailedLine({ ...fields, hook, error })]));
}

export function hookFailedLine(fields: LogFields): LogLine {
  const message = 'a hook threw, and its error was ignored; later errors of this hook are not reported';
  return { level: 'warn', fields, message };
}

/** Returns a logger that calls `logger` and catches its errors. Silent levels stay silent. */
export function safeLogger(logger: Logger, call: Safely): Logger {
  const levels = (['debug', 'info', 'warn', 'error'] as const).filter((level) => !isSilent(logger, level));
  return { ...silentLogger, ...safeMethods<Logger>('logger', logger, levels, call) };
}

/** The event of a queue or a controller. */
interface HookFailed {
  readonly type: 'hook-failed';
  readonly hook: string;
  readonly error: unknown;
}

/**
 * Collects the errors of hooks until they can be emitted as events. They cannot be emitted at once,
 * because hooks are called during a state change, when subscribers must not run.
 */
export class HookFailures {
  #pending: readonly HookFailed[] = none;
  readonly call: Safely = safelyOnce((hook, error) => {
    this.#pending = [...this.#pending, { type: 'hook-failed', hook, error }];
  });

  /** Returns the errors that were collected since the last call. */
  take(): readonly HookFailed[] {
    const pending = this.#pending;
    this.#pending = none;
    return pending;
  }
}

const none: readonly HookFailed[] = [];
