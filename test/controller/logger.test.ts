import type { Logger } from '../../src/controller/logger.js';

/** The shape of pino's methods: fields first. */
interface PinoLike {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The shape of winston's methods: anything behind the message, and the logger back. */
interface WinstonLike {
  debug(message: string, ...meta: unknown[]): WinstonLike;
  info(message: string, ...meta: unknown[]): WinstonLike;
  warn(message: string, ...meta: unknown[]): WinstonLike;
  error(message: string, ...meta: unknown[]): WinstonLike;
}

function pinoLogger(pino: PinoLike): Logger {
  return {
    debug: (message, fields = {}) => pino.debug(fields, message),
    info: (message, fields = {}) => pino.info(fields, message),
    warn: (message, fields = {}) => pino.warn(fields, message),
    error: (message, fields = {}) => pino.error(fields, message),
  };
}

const levels = ['debug', 'info', 'warn', 'error'] as const;

describe('Logger', () => {
  it('is what console is', () => {
    const logger: Logger = console;
    for (const level of levels) expect(logger[level]).toBe(console[level]);
  });

  it('is what a winston logger is, without anything in between', () => {
    const lines: unknown[][] = [];
    const write = (...line: unknown[]): WinstonLike => {
      lines.push(line);
      return winston;
    };
    const winston: WinstonLike = { debug: write, info: write, warn: write, error: write };
    const logger: Logger = winston;
    logger.info('reconciled', { key: 'web/a' });
    expect(lines).toEqual([['reconciled', { key: 'web/a' }]]);
  });

  it('is four short functions over pino, which wants the fields first', () => {
    const lines: unknown[][] = [];
    const write = (...line: unknown[]): void => void lines.push(line);
    const logger = pinoLogger({ debug: write, info: write, warn: write, error: write });
    for (const level of levels) logger[level](level, { key: 'web/a' });
    logger.info('started');
    expect(lines).toEqual([...levels.map((level) => [{ key: 'web/a' }, level]), [{}, 'started']]);
  });
});
