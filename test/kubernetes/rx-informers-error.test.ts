import { readFileSync } from 'node:fs';
import { isRxInformersError, RxInformersError, StatusError } from 'rx-informers';
import { TerminalError } from 'rx-informers/controller';

const request = { method: 'GET', url: '/api/v1/pods' };

const unknownIndex = (): RxInformersError<'RXI_UNKNOWN_INDEX'> =>
  new RxInformersError('RXI_UNKNOWN_INDEX', 'there is no index "zone"', { index: 'zone', known: ['node'] });

describe('an error of this package', () => {
  it('has a code, a message, the fields of its code, and a cause that is not enumerable', () => {
    const cause = new Error('broken');
    const error = new RxInformersError('RXI_CREDENTIALS', 'no token', { request, expected: false, cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ code: 'RXI_CREDENTIALS', message: 'no token', request, expected: false });
    expect(error.cause).toBe(cause);
    expect(Object.keys(error)).not.toContain('cause');
  });

  it('has its code as its name, so every log shows it; StatusError and TerminalError have the names of their classes', () => {
    expect(String(unknownIndex())).toBe('RXI_UNKNOWN_INDEX: there is no index "zone"');
    expect(String(new StatusError(request, { code: 404 }))).toMatch(/^StatusError: GET/);
    expect(String(new TerminalError('no image'))).toBe('TerminalError: no image');
  });

  it('has a code that docs/reference/errors.md describes, with what to do', () => {
    const page = readFileSync('docs/reference/errors.md', 'utf8');
    const sections = page.split(/^## /m).slice(1);
    const silent = sections.filter(
      (section) => !/^RXI(_[A-Z0-9]+)+\n/.test(section) || !/\*\*What to do\*\*: \S/.test(section),
    );
    expect(sections.length).toBeGreaterThan(60);
    expect(silent).toEqual([]);
  });
});

describe('toJSON of an error', () => {
  it('keeps name, code, message and every field, and leaves the stack out', () => {
    const status = { reason: 'TooManyRequests', message: 'slow down' };
    const error = new StatusError(request, status, { code: 429, retryAfter: 2_000 });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'StatusError',
      code: 'RXI_STATUS',
      message: 'GET /api/v1/pods: 429 TooManyRequests: slow down',
      request,
      status,
      statusCode: 429,
      reason: 'TooManyRequests',
      retryAfter: 2_000,
      expected: false,
    });
    expect(unknownIndex().toJSON()).not.toHaveProperty('stack');
  });

  it('converts a cause of this package with its own toJSON, and any other cause to its message', () => {
    const failed = (cause: unknown): RxInformersError =>
      new RxInformersError('RXI_CREDENTIALS', 'no token', { request, expected: false, cause });
    expect(failed(unknownIndex()).toJSON()).toMatchObject({ cause: unknownIndex().toJSON() });
    expect(failed(new Error('socket hang up')).toJSON()).toMatchObject({ cause: 'socket hang up' });
  });
});

describe('isRxInformersError', () => {
  it('recognises an error of this package, and of one code if a code is given', () => {
    const error: unknown = unknownIndex();
    expect(isRxInformersError(error)).toBe(true);
    expect(isRxInformersError(error, 'RXI_UNKNOWN_INDEX')).toBe(true);
    expect(isRxInformersError(error, 'RXI_STATUS')).toBe(false);
  });

  it('recognises a subclass by its code, and the subclass an error with its code', () => {
    const terminal: unknown = new RxInformersError('RXI_TERMINAL', 'no image', {});
    expect(isRxInformersError(new TerminalError('no image'), 'RXI_TERMINAL')).toBe(true);
    expect([terminal instanceof TerminalError, terminal instanceof StatusError]).toEqual([true, false]);
  });

  it('returns false for every value that is not an error of this package', () => {
    const others = [undefined, null, 'RXI_STATUS', {}, { code: 'RXI_STATUS' }, new Error('RXI_STATUS')];
    expect(others.filter((value) => isRxInformersError(value))).toEqual([]);
  });
});
