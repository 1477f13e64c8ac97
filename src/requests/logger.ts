/** The fields of one log line, by name, for searching logs. An error is in the field `error`. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Receives log lines: fields first, then the message, as in pino. `console` is a valid logger.
 *
 * pino prints the stack of an error only under its `errorKey`: create it with
 * `pino({ errorKey: 'error' })`. A logger that takes the message first, as winston does, needs an
 * adapter of four short functions.
 *
 * @example
 * import type { Logger } from 'rx-informers/controller';
 *
 * const logger: Logger = console;
 */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

/** The level of a logger that writes nothing. */
export const ignoreLine = (): void => undefined;

/** A logger that writes nothing. It is the default where a logger is optional. */
export const silentLogger: Logger = {
  debug: ignoreLine,
  info: ignoreLine,
  warn: ignoreLine,
  error: ignoreLine,
};

/** Returns true if the level writes nothing, so that its lines need not be made. */
export function isSilent(logger: Logger, level: keyof Logger): boolean {
  return logger[level] === ignoreLine;
}
