import type { LogFields, Logger } from '../logger.js';

/** Returns a logger whose lines carry `fields` too. A line's own field of the same name wins. */
export function loggerWith(logger: Logger, fields: LogFields): Logger {
  return {
    debug: (own, message) => {
      logger.debug({ ...fields, ...own }, message);
    },
    info: (own, message) => {
      logger.info({ ...fields, ...own }, message);
    },
    warn: (own, message) => {
      logger.warn({ ...fields, ...own }, message);
    },
    error: (own, message) => {
      logger.error({ ...fields, ...own }, message);
    },
  };
}
