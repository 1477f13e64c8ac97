import { guardedRandom } from '../sources/model/backoff.js';
import type { Logger, LogFields, LogLine } from './logger.js';

/** Writes lines to a logger. A logger that throws is ignored: there is nowhere left to say so. */
export function writeLines(logger: Logger, lines: readonly LogLine[]): void {
  try {
    for (const { level, fields, message } of lines) logger[level](fields, message);
  } catch {
    // Logging must not end what it describes.
  }
}

/** Calls hooks of the user, which may throw. */
export type CallHook = (hook: string, call: () => void) => void;

/**
 * Returns a function that calls a hook and contains what it throws. Only the first error of each
 * hook is reported: a hook that fails once fails most of the time.
 */
export function containedHooks(report: (hook: string, error: unknown) => void): CallHook {
  const reported = new Set<string>();
  return (hook, call) => {
    try {
      call();
    } catch (error) {
      if (reported.has(hook)) return;
      reported.add(hook);
      report(hook, error);
    }
  };
}

/** Returns a report for `containedHooks` that writes warnings to a logger. */
export function warnOfHooks(logger: Logger, fields: LogFields): (hook: string, error: unknown) => void {
  return (hook, error) => {
    writeLines(logger, [hookFailedLine({ ...fields, hook, error })]);
  };
}

/** Returns the line about a hook that threw. */
export function hookFailedLine(fields: LogFields): LogLine {
  const message = 'a hook threw, and its error was ignored; later errors of this hook are not reported';
  return { level: 'warn', fields, message };
}

/** Returns a source of numbers in [0, 1). If `random` throws, or returns anything else, the number is 0.5. */
export function containedRandom(random: () => number, call: CallHook): () => number {
  return guardedRandom(random, ({ cause }) => {
    call('random', () => {
      throw cause;
    });
  });
}

/** Returns hooks that call those of the user. What one throws is contained, under a name such as `metrics.started`. */
export function containedMethods<Hooks extends object>(
  option: string,
  hooks: Hooks,
  names: readonly (keyof Hooks & string)[],
  call: CallHook,
): Hooks {
  const contained = names.map((name) => {
    const hook = `${option}.${name}`;
    const method = (...args: readonly unknown[]): void => {
      call(hook, () => {
        (hooks as Readonly<Record<string, (...args: readonly unknown[]) => void>>)[name]?.(...args);
      });
    };
    return [name, method];
  });
  return Object.fromEntries(contained) as Hooks;
}

/** Returns a logger that calls another one. What that throws is contained. */
export function containedLogger(logger: Logger, call: CallHook): Logger {
  return containedMethods('logger', logger, ['debug', 'info', 'warn', 'error'], call);
}

/** A function that was given as an option threw: a method of a logger, of metrics, or of a rate limiter. */
export interface HookFailed {
  readonly type: 'hook-failed';
  /** Which one: `logger.info`, `metrics.started`, `queueMetrics.added`, `rateLimiter.forget`. */
  readonly hook: string;
  /** What it threw. Later errors of the same hook are not reported. */
  readonly error: unknown;
}

/**
 * Keeps the errors of hooks until they can be emitted as events. A hook is called in the middle of
 * a state change, where no subscriber may run.
 */
export class HookFailures {
  #pending: readonly HookFailed[] = none;
  readonly call: CallHook = containedHooks((hook, error) => {
    this.#pending = [...this.#pending, { type: 'hook-failed', hook, error }];
  });

  /** Returns those that were not returned before. */
  take(): readonly HookFailed[] {
    const pending = this.#pending;
    this.#pending = none;
    return pending;
  }
}

const none: readonly HookFailed[] = [];
