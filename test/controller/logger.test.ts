import type { Logger } from 'rx-informers/controller';

/** pino's methods: fields, then the message, then values for the message. */
type PinoLike = Record<(typeof levels)[number], (fields: object, message?: string, ...values: unknown[]) => void>;

/** winston's methods: the message first, and the logger back. */
type WinstonLike = Record<(typeof levels)[number], (message: string, ...meta: unknown[]) => unknown>;

const levels = ['debug', 'info', 'warn', 'error'] as const;

describe('Logger', () => {
  it('logger accepts console as it is', () => {
    const logger: Logger = console;
    for (const level of levels) expect(logger[level]).toBe(console[level]);
  });

  it('accepts a pino logger without an adapter', () => {
    const lines: unknown[][] = [];
    const write = (...line: unknown[]): void => void lines.push(line);
    const pino: PinoLike = { debug: write, info: write, warn: write, error: write };
    const logger: Logger = pino;
    logger.info({ key: 'web/a' }, 'reconciled');
    expect(lines).toEqual([[{ key: 'web/a' }, 'reconciled']]);
  });

  it('accepts a winston logger through four short functions', () => {
    const lines: unknown[][] = [];
    const write = (...line: unknown[]): void => void lines.push(line);
    const winston: WinstonLike = { debug: write, info: write, warn: write, error: write };
    const logger: Logger = {
      debug: (fields, message) => void winston.debug(message, fields),
      info: (fields, message) => void winston.info(message, fields),
      warn: (fields, message) => void winston.warn(message, fields),
      error: (fields, message) => void winston.error(message, fields),
    };
    for (const level of levels) logger[level]({ key: 'web/a' }, level);
    expect(lines).toEqual(levels.map((level) => [level, { key: 'web/a' }]));
  });
});
