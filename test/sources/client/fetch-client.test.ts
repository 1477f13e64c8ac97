import { fetchClient, ConnectionError, CredentialsError } from 'rx-informers';
import { answerOf, failureOf, listPods } from './exchanges.js';

interface Call {
  readonly url: string;
  readonly init: RequestInit;
}

/** A `fetch` that remembers how it was called. */
function recordingFetch(answer: (call: Call) => Response | Promise<Response> = () => new Response('{}')): {
  readonly fetch: typeof fetch;
  readonly calls: readonly Call[];
} {
  const calls: Call[] = [];
  return {
    calls,
    fetch: async (input, init = {}) => {
      const call = { url: input as string, init };
      calls.push(call);
      return answer(call);
    },
  };
}

const headersOf = ({ init }: Call): Record<string, string> => Object.fromEntries(init.headers as Headers);

describe('fetchClient', () => {
  it("asks the page's own origin by default, or a path on it", async () => {
    const { fetch, calls } = recordingFetch();

    await answerOf(fetchClient({ fetch }).exchange(listPods));
    await answerOf(fetchClient({ fetch, baseUrl: '/k8s/' }).exchange(listPods));

    expect(calls.map(({ url }) => url)).toEqual(['/api/v1/pods?limit=500', '/k8s/api/v1/pods?limit=500']);
  });

  it('looks the global fetch up for each request', async () => {
    const { fetch, calls } = recordingFetch();
    const client = fetchClient();
    const original = globalThis.fetch;
    globalThis.fetch = fetch;
    try {
      await answerOf(client.exchange(listPods));
    } finally {
      globalThis.fetch = original;
    }

    expect(calls.length).toBe(1);
  });

  it('adds its headers to those of the request, and credentials win', async () => {
    const { fetch, calls } = recordingFetch();
    const client = fetchClient({ fetch, headers: { Authorization: 'Bearer secret' } });

    await answerOf(client.exchange({ ...listPods, headers: { accept: 'text/plain', authorization: 'none' } }));

    expect(headersOf(calls[0]!)).toEqual({ accept: 'text/plain', authorization: 'Bearer secret' });
  });

  it('reads headers from a function for each request', async () => {
    const { fetch, calls } = recordingFetch();
    let count = 0;
    const client = fetchClient({ fetch, headers: () => ({ 'x-count': String(++count) }) });

    await answerOf(client.exchange(listPods));
    await answerOf(client.exchange(listPods));

    expect(calls.map((call) => headersOf(call)['x-count'])).toEqual(['1', '2']);
  });

  it('fails with a CredentialsError where the function throws', async () => {
    const { fetch, calls } = recordingFetch();
    const headers = (): never => {
      throw new Error('logged out');
    };

    const error = await failureOf(fetchClient({ fetch, headers }).exchange(listPods), CredentialsError);

    expect(error.message).toContain('logged out');
    expect(calls).toEqual([]);
  });

  it('fails with a ConnectionError that has the reason under "fetch failed"', async () => {
    const reason = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere'), { code: 'ENOTFOUND' });
    const { fetch } = recordingFetch(() => Promise.reject(new TypeError('fetch failed', { cause: reason })));

    const error = await failureOf(fetchClient({ fetch }).exchange(listPods), ConnectionError);

    expect(error.causeCode).toBe('ENOTFOUND');
    expect(error.cause).toBe(reason);
  });

  it('G8: sends nothing when its subscriber leaves while the headers are read', async () => {
    const { fetch, calls } = recordingFetch();
    const client = fetchClient({ fetch, headers: () => Promise.resolve({}) });

    client.exchange(listPods).subscribe().unsubscribe();
    await new Promise((resolve) => setImmediate(resolve));

    expect(calls).toEqual([]);
  });

  it('G8: aborts the request when its subscriber leaves, without a notification', async () => {
    let called: (call: Call) => void = () => undefined;
    const call = new Promise<Call>((resolve) => (called = resolve));
    const { fetch } = recordingFetch((received) => {
      called(received);
      return new Promise((_, reject) => {
        received.init.signal?.addEventListener('abort', () => {
          reject(new DOMException('aborted', 'AbortError'));
        });
      });
    });
    const notifications: unknown[] = [];
    const subscription = fetchClient({ fetch })
      .exchange(listPods)
      .subscribe({ next: (part) => notifications.push(part), error: (error: unknown) => notifications.push(error) });
    const { init } = await call;

    subscription.unsubscribe();
    await new Promise((resolve) => setImmediate(resolve));

    expect(init.signal?.aborted).toBe(true);
    expect(notifications).toEqual([]);
  });

  it('reads no further than its subscriber takes', async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.enqueue(Uint8Array.of(++pulled));
        },
      },
      { highWaterMark: 0 },
    );
    const { fetch } = recordingFetch(() => new Response(body));
    const received: number[] = [];
    await new Promise<void>((resolve) => {
      const subscription = fetchClient({ fetch })
        .exchange(listPods)
        .subscribe((part) => {
          if (part.type === 'bytes') received.push(...part.bytes);
          if (received.length < 3) return;
          subscription.unsubscribe();
          resolve();
        });
    });
    await new Promise((resolve) => setImmediate(resolve));

    expect(received).toEqual([1, 2, 3]);
    expect(pulled).toBe(3);
  });
});
