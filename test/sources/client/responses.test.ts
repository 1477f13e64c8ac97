import { type KubeClient, StatusError } from 'rx-informers';
import type { ResponsePart } from 'rx-informers/client';
import { informerTest } from 'rx-informers/testing';
import { NEVER, of, throwError, type Observable, defer, EMPTY, VirtualTimeScheduler } from 'rxjs';
import { requestLine, requestUrl, requestJson } from '../../../src/sources/client/kube-client.js';
import {
  statusErrorResponse,
  retryAfterMilliseconds,
  rootCause,
} from '../../../src/sources/client/status-error-response.js';
import { failureOf } from './exchanges.js';

const bytes = (text: string): ResponsePart => ({ type: 'bytes', bytes: new TextEncoder().encode(text) });

describe('requestLine', () => {
  it('is only the path without query parameters', () => {
    expect(requestLine({ method: 'GET', path: '/api/v1/pods' })).toEqual({ method: 'GET', url: '/api/v1/pods' });
    expect(requestLine({ method: 'GET', path: '/api/v1/pods', query: { limit: undefined } }).url).toBe('/api/v1/pods');
  });

  it('encodes query parameters in their order, and leaves out undefined ones', () => {
    const query = { labelSelector: 'a in (b, c)&d=e', watch: true, limit: undefined, timeoutSeconds: 0 };

    expect(requestLine({ method: 'GET', path: '/api/v1/pods', query }).url).toBe(
      '/api/v1/pods?labelSelector=a+in+%28b%2C+c%29%26d%3De&watch=true&timeoutSeconds=0',
    );
  });
});

describe('requestUrl', () => {
  const at = (baseUrl: string, url: string): string => requestUrl(baseUrl, { method: 'GET', url });

  it('contains the base path of the server', () => {
    expect(at('https://host:6443', '/api?x=1')).toBe('https://host:6443/api?x=1');
    expect(at('https://host/k8s/', '/api')).toBe('https://host/k8s/api');
  });

  it('is relative to the origin without a server', () => {
    expect(at('', '/api')).toBe('/api');
    expect(at('/', '/api')).toBe('/api');
  });

  it('never contains another host', () => {
    expect(new URL(at('https://host', '.evil.example')).host).toBe('host');
    expect(new URL(at('https://host', '@evil.example')).host).toBe('host');
    expect(at('', '//evil.example/api')).toBe('/evil.example/api');
  });
});

const request = { method: 'GET', path: '/api/v1' } as const;

const clientWith = (parts: Observable<ResponsePart>): KubeClient => ({ exchange: () => parts });

describe('requestJson', () => {
  const head: ResponsePart = { type: 'head', status: 200, headers: {} };

  it('emits the document once it is complete, separately for each subscriber', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', { h: head, b: bytes('{"kind":"API'), c: bytes('ResourceList"}') });
      const document = requestJson(clientWith(parts), request);

      expectObservable(document).toBe('-------(d|)', { d: { kind: 'APIResourceList' } });
      expectObservable(document, '--^').toBe('---------(d|)', { d: { kind: 'APIResourceList' } });
      expectSubscriptions(parts.subscriptions).toBe(['^------!', '--^------!']);
    });
  });

  it('passes an error of the client on', () => {
    const refused = new Error('refused');
    informerTest(({ expectObservable }) => {
      expectObservable(requestJson(clientWith(throwError(() => refused)), request)).toBe('#', undefined, refused);
    });
  });

  it('G8: aborts the exchange when its subscriber unsubscribes', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', { h: head, b: bytes('{'), c: bytes('}') });

      expectObservable(requestJson(clientWith(parts), request), '^---!').toBe('-----');
      expectSubscriptions(parts.subscriptions).toBe('^---!');
    });
  });

  it('has no timeout of its own', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(requestJson(clientWith(NEVER), request), '^---!').toBe('-----');
    });
  });

  it.each([
    ['HTML', of(head, bytes('<html>')), 'GET /api/v1: not valid JSON: "<html>"'],
    ['nothing', of(head), 'GET /api/v1: not valid JSON'],
    [
      'invalid UTF-8',
      of(head, { type: 'bytes', bytes: Uint8Array.of(0x22, 0xff, 0x22) } as const),
      'GET /api/v1: not valid UTF-8: "\\"\ufffd\\""',
    ],
  ])('fails with an RXI_RESPONSE for %s', async (_, parts, message) => {
    expect((await failureOf(requestJson(clientWith(parts), request), 'RXI_RESPONSE')).message).toBe(message);
  });
});

const line = { method: 'GET', url: '/api/v1/pods' };

describe('statusErrorResponse', () => {
  const head = (status: number, headers: Readonly<Record<string, string>> = {}): ResponsePart => ({
    type: 'head',
    status,
    headers,
  });

  const success = { h: head(200), b: bytes('{"a":'), c: bytes('1}') };
  const refusal = { h: head(403), b: bytes('{"kind":"Status",'), c: bytes('"reason":"Forbidden"}') };
  const forbidden = new StatusError(line, { kind: 'Status', reason: 'Forbidden' }, { code: 403 });

  it('passes a success response on as it arrives', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', success);

      expectObservable(parts.pipe(statusErrorResponse(line))).toBe('-h-b-c-|', success);
      expectSubscriptions(parts.subscriptions).toBe('^------!');
    });
  });

  it('passes an empty response on', () => {
    informerTest(({ expectObservable }) => {
      expectObservable(EMPTY.pipe(statusErrorResponse(line))).toBe('|');
    });
  });

  it('passes an error on, before and after the head of a success response', () => {
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold<ResponsePart>('--#').pipe(statusErrorResponse(line))).toBe('--#');
      expectObservable(cold('-h-#', success).pipe(statusErrorResponse(line))).toBe('-h-#', success);
    });
  });

  it('fails once the body of an error response is complete, and emits none of it', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', refusal);

      expectObservable(parts.pipe(statusErrorResponse(line))).toBe('-------#', undefined, forbidden);
      expectSubscriptions(parts.subscriptions).toBe('^------!');
    });
  });

  it('fails with the part it has read if the connection breaks in the body of an error response', () => {
    informerTest(({ cold, expectObservable }) => {
      const parts = cold('-h-b-c-#', refusal, new Error('reset'));

      expectObservable(parts.pipe(statusErrorResponse(line))).toBe('-------#', undefined, forbidden);
    });
  });

  it('unsubscribes from its source when its subscriber unsubscribes', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', refusal);

      expectObservable(parts.pipe(statusErrorResponse(line)), '^---!').toBe('-----');
      expectSubscriptions(parts.subscriptions).toBe('^---!');
    });
  });

  it('reads at most a megabyte of an endless error body', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const large = { h: head(500), b: bytes('x'.repeat(600_000)) };
      const parts = cold('-h-b-b-b-b-b', large);
      const error = new StatusError(line, madeUp(500, 'x'.repeat(1000)), { code: 500 });

      expectObservable(parts.pipe(statusErrorResponse(line))).toBe('-----#', undefined, error);
      expectSubscriptions(parts.subscriptions).toBe('^----!');
    });
  });

  it('keeps no state between subscriptions', async () => {
    const bodies = ['first', 'second'];
    const parts = defer(() => of(head(500), bytes(bodies.shift() ?? ''))).pipe(statusErrorResponse(line));

    expect((await failureOf(parts, 'RXI_STATUS')).status.message).toBe('first');
    expect((await failureOf(parts, 'RXI_STATUS')).status.message).toBe('second');
  });

  it.each([
    ['text', 'upstream is down\n', 'upstream is down'],
    ['nothing', '', 'HTTP status 503 without a body'],
    ['JSON that is not a Status', '{"error":"down"}', '{"error":"down"}'],
    ['null', 'null', 'null'],
    ['bytes that are not text', '\u0000', '\u0000'],
  ])('makes a Status from %s', async (_, body, message) => {
    const parts = of(head(503), bytes(body)).pipe(statusErrorResponse(line));

    expect((await failureOf(parts, 'RXI_STATUS')).status).toEqual(madeUp(503, message));
  });

  it('G9: compares a Retry-After date with the clock of its scheduler if the response has no date', async () => {
    const scheduler = Object.assign(new VirtualTimeScheduler(), { frame: 2000 });
    const refused = of(head(429, { 'retry-after': new Date(5000).toUTCString() }));

    expect((await failureOf(refused.pipe(statusErrorResponse(line, scheduler)), 'RXI_STATUS')).retryAfter).toBe(3000);
  });

  it.each([
    ['past', -3_600_000, 0],
    ['a hundred years ahead', 100 * 365 * 86_400_000, 100 * 365 * 86_400_000],
  ])(
    'compares a Retry-After date %s with the Date of the response, regardless of the clock',
    async (_, after, expected) => {
      const date = Date.UTC(1999, 0, 1);
      const headers = { date: new Date(date).toUTCString(), 'retry-after': new Date(date + after).toUTCString() };
      const refused = of(head(503, headers)).pipe(statusErrorResponse(line));

      expect((await failureOf(refused, 'RXI_STATUS')).retryAfter).toBe(expected);
    },
  );

  it.each([-5, NaN, '3', null])('ignores details.retryAfterSeconds of %p', (retryAfterSeconds) => {
    const details = { retryAfterSeconds } as { readonly retryAfterSeconds: number };

    expect(new StatusError({ method: 'GET', url: '/' }, { code: 429, details }).retryAfter).toBeUndefined();
  });

  it('reports a redirect that was not followed', async () => {
    const parts = of(head(301, { location: '/login' }), bytes('Moved')).pipe(statusErrorResponse(line));

    const error = await failureOf(parts, 'RXI_RESPONSE');

    expect(error.message).toBe(
      'GET /api/v1/pods: 301: the API server redirects to /login, which is not followed; check its address: "Moved"',
    );
  });
});

function madeUp(code: number, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
}

const noon = Date.UTC(2026, 0, 1, 12);

describe('retryAfterMilliseconds', () => {
  it.each([
    ['seconds', '120', 120_000],
    ['zero seconds', '0', 0],
    ['seconds with surrounding spaces', ' 5 ', 5000],
    ['a future date', 'Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['a past date', 'Thu, 01 Jan 2026 11:59:00 GMT', 0],
    ['a date in a hundred years', 'Fri, 01 Jan 2126 12:00:00 GMT', Date.UTC(2126, 0, 1, 12) - noon],
    ['a date in the format of RFC 850', 'Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
    ['more seconds than a number can represent', '9'.repeat(400), Infinity],
    ['a negative number', '-5', undefined],
    ['a fraction', '1.5', undefined],
    ['NaN', 'NaN', undefined],
    ['Infinity', 'Infinity', undefined],
    ['a date that does not exist', 'Thu, 99 Foo 2026 12:00:30 GMT', undefined],
    ['nonsense', 'soon', undefined],
    ['nothing', '', undefined],
    ['a missing header', undefined, undefined],
  ])('parses the Retry-After header %s', (_, header, expected) => {
    expect(retryAfterMilliseconds(header, () => noon)).toBe(expected);
  });
});

describe('rootCause', () => {
  const refused = new Error('connect ECONNREFUSED');

  it.each([
    ['an error without a cause', refused, refused],
    ['an error with a cause', new TypeError('fetch failed', { cause: refused }), refused],
    ['one error for each address', new AggregateError([refused, new Error('other')]), refused],
    ['both', new TypeError('fetch failed', { cause: new AggregateError([refused]) }), refused],
    ['a value that is not an error', 'a string', 'a string'],
    ['nothing', undefined, undefined],
  ])('finds the root cause in %s', (_, error, expected) => {
    expect(rootCause(error)).toBe(expected);
  });

  it('returns the error itself if its cause is only a string', () => {
    const error = new Error('failed', { cause: 'why' });

    expect(rootCause(error)).toBe(error);
  });
});
