import { defer, EMPTY, of, VirtualTimeScheduler } from 'rxjs';
import { type ResponsePart, ResponseError, StatusError } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { statusErrorResponse } from '../../../src/sources/client/status-error-response.js';
import { failureOf } from './exchanges.js';

const line = { method: 'GET', url: '/api/v1/pods' };

const head = (status: number, headers: Readonly<Record<string, string>> = {}): ResponsePart => ({
  type: 'head',
  status,
  headers,
});
const bytes = (text: string): ResponsePart => ({ type: 'bytes', bytes: new TextEncoder().encode(text) });

describe('statusErrorResponse', () => {
  const success = { h: head(200), b: bytes('{"a":'), c: bytes('1}') };
  const refusal = { h: head(403), b: bytes('{"kind":"Status",'), c: bytes('"reason":"Forbidden"}') };
  const forbidden = new StatusError(line, { kind: 'Status', reason: 'Forbidden' }, { code: 403 });

  it('passes a success on as it comes', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', success);

      expectObservable(parts.pipe(statusErrorResponse(line))).toBe('-h-b-c-|', success);
      expectSubscriptions(parts.subscriptions).toBe('^------!');
    });
  });

  it('passes emptiness on', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(EMPTY.pipe(statusErrorResponse(line))).toBe('|');
    });
  });

  it('passes an error on, before and after the head of a success', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<ResponsePart>('--#').pipe(statusErrorResponse(line))).toBe('--#');
      expectObservable(cold('-h-#', success).pipe(statusErrorResponse(line))).toBe('-h-#', success);
    });
  });

  it('fails once the body of a refusal is complete, and emits none of it', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', refusal);

      expectObservable(parts.pipe(statusErrorResponse(line))).toBe('-------#', undefined, forbidden);
      expectSubscriptions(parts.subscriptions).toBe('^------!');
    });
  });

  it('fails with what it has read where the connection breaks in the body of a refusal', () => {
    informerTest(({ cold, expectObservable }) => {
      const parts = cold('-h-b-c-#', refusal, new Error('reset'));

      expectObservable(parts.pipe(statusErrorResponse(line))).toBe('-------#', undefined, forbidden);
    });
  });

  it('unsubscribes from its source when its subscriber leaves', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', refusal);

      expectObservable(parts.pipe(statusErrorResponse(line)), '^---!').toBe('-----');
      expectSubscriptions(parts.subscriptions).toBe('^---!');
    });
  });

  it('reads no more than a megabyte of a body without end', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const large = { h: head(500), b: bytes('x'.repeat(600_000)) };
      const parts = cold('-h-b-b-b-b-b', large);
      const error = new StatusError(line, madeUp(500, 'x'.repeat(1000)), { code: 500 });

      expectObservable(parts.pipe(statusErrorResponse(line))).toBe('-----#', undefined, error);
      expectSubscriptions(parts.subscriptions).toBe('^----!');
    });
  });

  it('remembers nothing from one subscription to the next', async () => {
    const bodies = ['first', 'second'];
    const parts = defer(() => of(head(500), bytes(bodies.shift() ?? ''))).pipe(statusErrorResponse(line));

    expect((await failureOf(parts, StatusError)).status.message).toBe('first');
    expect((await failureOf(parts, StatusError)).status.message).toBe('second');
  });

  it.each([
    ['text', 'upstream is down\n', 'upstream is down'],
    ['nothing', '', 'HTTP status 503 without a body'],
    ['JSON that is no Status', '{"error":"down"}', '{"error":"down"}'],
    ['null', 'null', 'null'],
    ['bytes that are no text', '\u0000', '\u0000'],
  ])('makes a status up from %s', async (_, body, message) => {
    const parts = of(head(503), bytes(body)).pipe(statusErrorResponse(line));

    expect((await failureOf(parts, StatusError)).status).toEqual(madeUp(503, message));
  });

  it('G9: compares a Retry-After date with the clock of its scheduler where the answer has no date', async () => {
    const scheduler = Object.assign(new VirtualTimeScheduler(), { frame: 2000 });
    const refused = of(head(429, { 'retry-after': new Date(5000).toUTCString() }));

    expect((await failureOf(refused.pipe(statusErrorResponse(line, scheduler)), StatusError)).retryAfter).toBe(3000);
  });

  it.each([
    ['past', -3_600_000, 0],
    ['in a hundred years', 100 * 365 * 86_400_000, 100 * 365 * 86_400_000],
  ])(
    'compares a Retry-After date %s with the Date of the answer, whatever the clock says',
    async (_, after, expected) => {
      const date = Date.UTC(1999, 0, 1);
      const headers = { date: new Date(date).toUTCString(), 'retry-after': new Date(date + after).toUTCString() };
      const refused = of(head(503, headers)).pipe(statusErrorResponse(line));

      expect((await failureOf(refused, StatusError)).retryAfter).toBe(expected);
    },
  );

  it.each([-5, NaN, '3', null])('ignores details.retryAfterSeconds of %p', (retryAfterSeconds) => {
    const details = { retryAfterSeconds } as { readonly retryAfterSeconds: number };

    expect(new StatusError({ method: 'GET', url: '/' }, { code: 429, details }).retryAfter).toBeUndefined();
  });

  it('reports a redirect that was not followed', async () => {
    const parts = of(head(301, { location: '/login' }), bytes('Moved')).pipe(statusErrorResponse(line));

    const error = await failureOf(parts, ResponseError);

    expect(error.message).toBe('GET /api/v1/pods: 301: the server redirects to /login: "Moved"');
  });
});

function madeUp(code: number, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
}
