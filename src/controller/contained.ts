import { guardedRandom } from '../sources/model/backoff.js';
import type { Logger, LogFields, LogLine } from './logger.js';

/** Writes lines to a logger. Its errors are ignored: there is nowhere to report them. */
export function writeLines(logger: Logger, lines: readonly LogLine[]): void {
  try {
    for (const { level, fields, message } of lines) logger[level](fields, message);
  } catch {
    // An error of the logger must not stop the code that logs.
  }
}

/** Calls a hook of the user and catches its errors. */
export type CallHook = (hook: string, call: () => void) => void;

/** Returns a function that calls a hook, and reports only the first error of each hook. */
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

/** Returns a `report` function for `containedHooks` that writes warnings to a logger. */
export function warnOfHooks(logger: Logger, fields: LogFields): (hook: string, error: unknown) => void {
  return (hook, error) => {
    writeLines(logger, [hookFailedLine({ ...fields, hook, error })]);
  };
}

export function hookFailedLine(fields: LogFields): LogLine {
  const message = 'a hook threw, and its error was ignored; later errors of this hook are not reported';
  return { level: 'warn', fields, message };
}

/** Returns a source of numbers in [0, 1). An error or an invalid number becomes 0.5. */
export function containedRandom(random: () => number, call: CallHook): () => number {
  return guardedRandom(random, ({ cause }) => {
    call('random', () => {
      throw cause;
    });
  });
}

/** Catches errors of the user's hooks, and reports them under a name such as `metrics.started`. */
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

/** Returns a logger that calls `logger` and catches its errors. */
export function containedLogger(logger: Logger, call: CallHook): Logger {
  return containedMethods('logger', logger, ['debug', 'info', 'warn', 'error'], call);
}

/** A function in an option threw: of a logger, of metrics hooks, or of a rate limiter. */
export interface HookFailed {
  readonly type: 'hook-failed';
  /** For example `logger.info`, `metrics.started`, `queueMetrics.added`, `rateLimiter.forget`. */
  readonly hook: string;
  /** The thrown value. Later errors of the same hook are not reported. */
  readonly error: unknown;
}

/**
 * Collects the errors of hooks until they can be emitted as events. They cannot be emitted at once,
 * because hooks are called during a state change, when subscribers must not run.
 */
export class HookFailures {
  #pending: readonly HookFailed[] = none;
  readonly call: CallHook = containedHooks((hook, error) => {
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
