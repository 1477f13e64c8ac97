import { consoleLogger, type ConsoleLoggerOptions } from 'rx-informers/node';
import { VirtualTimeScheduler } from 'rxjs';

const midnight = Date.UTC(2026, 1, 1);

function logged(options: ConsoleLoggerOptions = {}) {
  const lines: string[] = [];
  const scheduler = new VirtualTimeScheduler();
  scheduler.frame = midnight;
  return { lines, logger: consoleLogger({ json: true, scheduler, write: (line) => lines.push(line), ...options }) };
}

describe('consoleLogger', () => {
  it('writes a line of JSON with time, level and message first, then the fields', () => {
    const { lines, logger } = logged();
    logger.info({ key: 'web/a', took: 3 }, 'reconciled');
    expect(lines).toEqual([
      '{"time":"2026-02-01T00:00:00.000Z","level":"info","message":"reconciled","key":"web/a","took":3}',
    ]);
  });

  it('does not let a field replace the time, the level or the message', () => {
    const { lines, logger } = logged();
    logger.warn({ time: 'never', level: 'debug', message: 'hidden' }, 'shown');
    expect(lines).toEqual(['{"time":"2026-02-01T00:00:00.000Z","level":"warn","message":"shown"}']);
  });

  it('writes an error in JSON with its type, stack, plain properties and causes', () => {
    const { lines, logger } = logged();
    const error = new Error('cannot write', { cause: new TypeError('no such field') });
    logger.error({ error: Object.assign(error, { code: 'EIO', response: { body: 'long' } }) }, 'failed');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      error: {
        type: 'Error',
        message: 'cannot write',
        code: 'EIO',
        stack: expect.stringContaining('console-logger.test'),
        cause: { type: 'TypeError', message: 'no such field' },
      },
    });
    expect(lines[0]).not.toContain('long');
  });

  it('writes a line for people: time, level, message, fields, and the stacks of an error and its causes below', () => {
    const { lines, logger } = logged({ json: false });
    const error = new Error('cannot write', { cause: new TypeError('no such field', { cause: 'a typo' }) });
    logger.error({ key: 'web/a', note: 'two words', skipped: undefined, reasons: [1], error }, 'failed');
    const [head, ...rest] = lines[0]!.split('\n');
    expect(head).toMatch(/^\d\d:\d\d:00\.000 ERROR failed key=web\/a note="two words" reasons=\[1\]$/);
    expect(rest[0]).toBe('    error: Error: cannot write');
    expect(rest).toContain('    caused by: TypeError: no such field');
    expect(rest.at(-1)).toBe('    caused by: a typo');
    expect(rest.every((line) => line.startsWith('    '))).toBe(true);
  });

  it('removes terminal escape sequences from a line for people', () => {
    const { lines, logger } = logged({ json: false });
    logger.warn({ note: '\u001b[2Jcleared', error: new Error('\u001b[31mred') }, 'failed');
    expect(lines[0]).not.toContain('\u001b');
  });

  it.each(['debug', 'info', 'warn', 'error'] as const)('writes nothing below the level %s', (level) => {
    const { lines, logger } = logged({ level });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) logger[each]({}, each);
    const written = lines.map((line) => (JSON.parse(line) as { readonly level: string }).level);
    expect(written).toEqual(
      ['debug', 'info', 'warn', 'error'].slice(['debug', 'info', 'warn', 'error'].indexOf(level)),
    );
  });

  it('writes at info and above by default', () => {
    const { lines, logger } = logged();
    logger.debug({}, 'hidden');
    logger.info({}, 'shown');
    expect(lines).toHaveLength(1);
  });

  it.each([true, false])('writes what is not JSON, and never throws (json: %s)', (json) => {
    const { lines, logger } = logged({ json });
    const circular: Record<string, unknown> = { name: 'loop' };
    circular['self'] = circular;
    const error: Error = new Error('loop');
    error.cause = error;
    const throwing = {
      toJSON: () => {
        throw new Error('no JSON');
      },
    };
    for (const value of [circular, 12n, throwing, Symbol('s'), () => 1, Object.create(null), error, undefined, null]) {
      logger.info({ value }, 'odd');
    }
    expect(lines).toHaveLength(9);
    expect(lines.every((line) => line.includes('odd'))).toBe(true);
  });
});
