import { NEVER, of, throwError, type Observable } from 'rxjs';
import { type KubeClient, type ResponsePart, ResponseError } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { failureOf } from './exchanges.js';

const request = { method: 'GET', path: '/api/v1' } as const;
const head: ResponsePart = { type: 'head', status: 200, headers: {} };
const bytes = (text: string): ResponsePart => ({ type: 'bytes', bytes: new TextEncoder().encode(text) });
const clientWith = (parts: Observable<ResponsePart>): KubeClient => ({ exchange: () => parts });

describe('requestJson', () => {
  it('emits the document once it is complete, to each subscriber its own', () => {
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

  it('G8: aborts the exchange when its subscriber leaves', () => {
    informerTest(({ cold, expectObservable, expectSubscriptions }) => {
      const parts = cold('-h-b-c-|', { h: head, b: bytes('{'), c: bytes('}') });

      expectObservable(requestJson(clientWith(parts), request), '^---!').toBe('-----');
      expectSubscriptions(parts.subscriptions).toBe('^---!');
    });
  });

  it('waits as long as its subscriber does', () => {
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
  ])('fails with a ResponseError for %s', async (_, parts, message) => {
    expect((await failureOf(requestJson(clientWith(parts), request), ResponseError)).message).toBe(message);
  });
});
