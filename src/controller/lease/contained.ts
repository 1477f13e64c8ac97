import type { Logger, LogLine } from '../logger.js';

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
 * Returns a function that calls a hook and contains what it throws. The first error of each hook is
 * logged as a warning.
 */
export function containedHooks(logger: Logger, fields: LogLine['fields']): CallHook {
  const reported = new Set<string>();
  return (hook, call) => {
    try {
      call();
    } catch (error) {
      if (reported.has(hook)) return;
      reported.add(hook);
      const message = 'a hook threw, and its error was ignored; later errors of this hook are not logged';
      writeLines(logger, [{ level: 'warn', fields: { ...fields, hook, error }, message }]);
    }
  };
}
