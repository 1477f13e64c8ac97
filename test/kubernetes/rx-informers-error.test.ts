import { readFileSync } from 'node:fs';
import * as core from 'rx-informers';
import * as controller from 'rx-informers/controller';
import * as node from 'rx-informers/node';
import * as prometheus from 'rx-informers/prometheus';
import * as react from 'rx-informers/react';
import * as store from 'rx-informers/store';
import * as testing from 'rx-informers/testing';
import * as views from 'rx-informers/views';

const { isRxInformersError, RxInformersError, StatusError, ConnectionError, UnknownIndexError } = core;
const request = { method: 'GET', url: '/api/v1/pods' };

type ErrorClass = typeof RxInformersError;

/** Every error class of every entry, by its name; the base class left out. */
const classes = new Map(
  [core, controller, node, prometheus, react, store, testing, views]
    .flatMap((entry) => Object.entries(entry as Readonly<Record<string, unknown>>))
    .filter((named): named is [string, ErrorClass] => isErrorClass(named[1])),
);

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error && value !== RxInformersError;
}

describe('the errors of this package', () => {
  it('all extend RxInformersError, so one check recognises them', () => {
    const others = [...classes].filter(([, { prototype }]) => !(prototype instanceof RxInformersError));
    expect(classes.size).toBeGreaterThan(60);
    expect(others.map(([name]) => name)).toEqual([]);
  });

  it('each have a code that starts with RXI_ and belongs to one class only', () => {
    const codes = [...classes.values()].map(({ code }) => code);
    expect(codes.filter((code) => !/^RXI(_[A-Z0-9]+)+$/.test(code) || code === RxInformersError.code)).toEqual([]);
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    expect([...classes.values()].filter((each) => !Object.hasOwn(each, 'code'))).toEqual([]);
  });

  it('each have a section in docs/reference/errors.md that describes what to do', () => {
    const page = readFileSync('docs/reference/errors.md', 'utf8');
    const sections = new Map(page.split(/^## /m).map((section) => [/^\w+/.exec(section)?.[0], section]));
    const silent = [...classes].filter(([, { code }]) => !/\*\*What to do\*\*: \S/.test(sections.get(code) ?? ''));
    expect(silent.map(([name]) => name)).toEqual([]);
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
    expect(new UnknownIndexError('zone', ['node']).toJSON()).not.toHaveProperty('stack');
  });

  it('converts a cause of this package with its own toJSON, and any other cause to its message', () => {
    const cause = new UnknownIndexError('zone', ['node']);
    expect(new ConnectionError(request, cause).toJSON()).toMatchObject({ cause: cause.toJSON() });
    expect(new ConnectionError(request, new Error('socket hang up')).toJSON()).toMatchObject({
      cause: 'socket hang up',
    });
  });
});

describe('isRxInformersError', () => {
  it('recognises an error of this package, and of one code if a code is given', () => {
    const error: unknown = new UnknownIndexError('zone', ['node']);
    expect(isRxInformersError(error)).toBe(true);
    expect(isRxInformersError(error, 'RXI_UNKNOWN_INDEX')).toBe(true);
    expect(isRxInformersError(error, 'RXI_STATUS')).toBe(false);
  });

  it('returns false for every value that is not an error of this package', () => {
    const others = [undefined, null, 'RXI_STATUS', {}, { code: 'RXI_STATUS' }, new Error('RXI_STATUS')];
    expect(others.filter((value) => isRxInformersError(value))).toEqual([]);
  });
});
