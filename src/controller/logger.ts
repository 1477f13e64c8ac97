/** What a log line says besides its message: names and values that a machine can search for. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Where log lines go; `console` is one, and one for pino or winston is four short functions.
 *
 * @example
 * import type { Logger } from 'rx-informers/controller';
 *
 * const logger: Logger = console;
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const ignore = (): void => undefined;

/** Says nothing: what is used where no logger is given. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
