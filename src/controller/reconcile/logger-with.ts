import type { LogFields, Logger } from '../logger.js';

/** The same logger, whose lines say `fields` as well; what a line says itself goes first. */
export function loggerWith(logger: Logger, fields: LogFields): Logger {
  const all = (own: LogFields | undefined): LogFields => ({ ...fields, ...own });
  return {
    debug: (message, own) => {
      logger.debug(message, all(own));
    },
    info: (message, own) => {
      logger.info(message, all(own));
    },
    warn: (message, own) => {
      logger.warn(message, all(own));
    },
    error: (message, own) => {
      logger.error(message, all(own));
    },
  };
}
