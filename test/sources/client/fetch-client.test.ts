import { createServer, type AddressInfo } from 'node:net';
import { fetchClient, listWatch, mergeSources, pods, type KubeClient } from 'rx-informers';
import { type ResponsePart, limitedClient } from 'rx-informers/client';
import { overlay } from 'rx-informers/controller';
import { kubeClient } from 'rx-informers/node';
import type { WatchEvent } from 'rx-informers/store';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { NEVER } from 'rxjs';
import { logWarnings } from '../../../src/requests/resource-client/server-warnings.js';
import { errorWith } from '../../support/error-with.js';
import { promisesSettled } from '../../support/promises-settled.js';
import { clients } from './conformance.js';
import { answerOf, failureOf, listPods } from './exchanges.js';
import { kubeConfigOf } from './kube-config.js';
import { json, type Answer, type TestServer } from './test-server.js';

interface Call {
  readonly url: string;
  readonly init: RequestInit;
}

/** A `fetch` that records its calls. */
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
  it("uses the page's own origin by default, or a path on it", async () => {
    const { fetch, calls } = recordingFetch();

    await answerOf(fetchClient({ fetch }).exchange(listPods));
    await answerOf(fetchClient({ fetch, baseUrl: '/k8s/' }).exchange(listPods));

    expect(calls.map(({ url }) => url)).toEqual(['/api/v1/pods?limit=500', '/k8s/api/v1/pods?limit=500']);
  });

  describe('in a browser that decodes only the first part of a compressed streaming list', () => {
    const stream = { method: 'GET', path: '/api/v1/pods', query: { watch: true, sendInitialEvents: true } } as const;
    const watch = { ...stream, query: { watch: true, resourceVersion: '5' } };
    const gzipped = { headers: { 'content-encoding': 'gzip' } };
    const answers = (init: ResponseInit, type?: ResponseType): KubeClient => {
      const response = new Response('{}', init);
      if (type !== undefined) Object.defineProperty(response, 'type', { value: type });
      return fetchClient({ fetch: recordingFetch(() => response).fetch });
    };
    let node: PropertyDescriptor;
    beforeEach(() => {
      node = Object.getOwnPropertyDescriptor(process, 'versions')!;
      Object.defineProperty(process, 'versions', { ...node, value: {} });
    });
    afterEach(() => Object.defineProperty(process, 'versions', node));

    it('G6: refuses a compressed streaming list, like a server that does not support them', async () => {
      const error = await failureOf(answers(gzipped).exchange(stream), 'RXI_STATUS');
      expect(error).toMatchObject({ statusCode: 422, reason: 'Invalid' });
    });

    it('G6: refuses a streaming list from another origin, where compression cannot be detected', async () => {
      expect((await failureOf(answers({}, 'cors').exchange(stream), 'RXI_STATUS')).statusCode).toBe(422);
    });

    it('reads an uncompressed streaming list, and any other compressed response', async () => {
      expect((await answerOf(answers({}, 'basic').exchange(stream))).body).toBe('{}');
      expect((await answerOf(answers(gzipped).exchange(listPods))).body).toBe('{}');
      expect((await answerOf(answers(gzipped, 'cors').exchange(watch))).body).toBe('{}');
    });

    it('reads compressed streaming lists in Node, which decodes all of them', async () => {
      Object.defineProperty(process, 'versions', node);
      expect((await answerOf(answers(gzipped).exchange(stream))).body).toBe('{}');
    });
  });

  it('looks up the global fetch for each request', async () => {
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

  it('adds its headers to those of the request, and credentials take precedence', async () => {
    const { fetch, calls } = recordingFetch();
    const client = fetchClient({ fetch, headers: { Authorization: 'Bearer secret' } });

    await answerOf(client.exchange({ ...listPods, headers: { accept: 'text/plain', authorization: 'none' } }));

    expect(headersOf(calls[0]!)).toEqual({ accept: 'text/plain', authorization: 'Bearer secret' });
  });

  it('calls a function for the headers of each request', async () => {
    const { fetch, calls } = recordingFetch();
    let count = 0;
    const client = fetchClient({ fetch, headers: () => ({ 'x-count': String(++count) }) });

    await answerOf(client.exchange(listPods));
    await answerOf(client.exchange(listPods));

    expect(calls.map((call) => headersOf(call)['x-count'])).toEqual(['1', '2']);
  });

  it('fails with an RXI_CREDENTIALS if that function throws', async () => {
    const { fetch, calls } = recordingFetch();
    const headers = (): never => {
      throw new Error('logged out');
    };

    const error = await failureOf(fetchClient({ fetch, headers }).exchange(listPods), 'RXI_CREDENTIALS');

    expect(error.message).toContain('logged out');
    expect(calls).toEqual([]);
  });

  it('fails with an RXI_CREDENTIALS, and sends nothing, if a token contains a line break', async () => {
    const { fetch, calls } = recordingFetch();
    const client = fetchClient({ fetch, headers: { authorization: 'Bearer a\nb' } });

    await failureOf(client.exchange(listPods), 'RXI_CREDENTIALS');

    expect(calls).toEqual([]);
  });

  it('fails with an RXI_CONNECTION that contains the reason behind "fetch failed"', async () => {
    const reason = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere'), { code: 'ENOTFOUND' });
    const { fetch } = recordingFetch(() => Promise.reject(new TypeError('fetch failed', { cause: reason })));

    const error = await failureOf(fetchClient({ fetch }).exchange(listPods), 'RXI_CONNECTION');

    expect(error.causeCode).toBe('ENOTFOUND');
    expect(error.cause).toBe(reason);
  });

  it('G8: sends nothing if its subscriber unsubscribes while the headers are read', async () => {
    const { fetch, calls } = recordingFetch();
    const client = fetchClient({ fetch, headers: () => Promise.resolve({}) });

    client.exchange(listPods).subscribe().unsubscribe();
    // The headers of this request are read after those of the first one.
    await answerOf(client.exchange({ ...listPods, path: '/later' }));

    expect(calls.map(({ url }) => url)).toEqual([expect.stringContaining('/later')]);
  });

  it('G8: aborts the request if its subscriber unsubscribes, without a notification', async () => {
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
    await promisesSettled();

    expect(init.signal?.aborted).toBe(true);
    expect(notifications).toEqual([]);
  });

  it('reads no more than its subscriber takes', async () => {
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
    await promisesSettled();

    expect(received).toEqual([1, 2, 3]);
    expect(pulled).toBe(3);
  });
});

const forbidden = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'pods is forbidden',
  reason: 'Forbidden',
  code: 403,
};

describe.each(clients)('$name, a KubeClient', ({ connect, withToken, serve }) => {
  let server: TestServer;
  let answer: Answer;

  beforeEach(async () => {
    answer = json({});
    server = await serve((request, response) => {
      answer(request, response);
    });
  });
  afterEach(() => server.close());

  describe('an error', () => {
    it.each([400, 401, 403, 404, 405, 406, 409, 410, 429, 500, 503, 504])(
      'with HTTP %i is a StatusError with the Status object',
      async (code) => {
        answer = json({ ...forbidden, code }, code);

        const error = await failureOf(connect(server.url).exchange(listPods), 'RXI_STATUS');

        expect(error.statusCode).toBe(code);
        expect(error.status).toEqual({ ...forbidden, code });
        expect(error.reason).toBe('Forbidden');
        expect(error.retryAfter).toBeUndefined();
        expect(error.request).toEqual({ method: 'GET', url: '/api/v1/pods?limit=500' });
      },
    );

    it('is made from status code and text if the body is not a Status', async () => {
      answer = (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>\n');

      const error = await failureOf(connect(server.url).exchange(listPods), 'RXI_STATUS');

      expect(error.statusCode).toBe(502);
      expect(error.status.message).toBe('<h1>Bad Gateway</h1>');
      expect(error.message).toBe('GET /api/v1/pods: 502: <h1>Bad Gateway</h1>');
    });

    it('has the Retry-After time in seconds', async () => {
      answer = json(forbidden, 429, { 'retry-after': '7' });

      expect((await failureOf(connect(server.url).exchange(listPods), 'RXI_STATUS')).retryAfter).toBe(7000);
    });

    it("has the Retry-After time of a date, by the server's clock", async () => {
      answer = json(forbidden, 503, {
        date: 'Wed, 21 Oct 2015 07:28:00 GMT',
        'retry-after': 'Wed, 21 Oct 2015 07:29:30 GMT',
      });

      expect((await failureOf(connect(server.url).exchange(listPods), 'RXI_STATUS')).retryAfter).toBe(90_000);
    });

    it('has the retry time from the details of the status', async () => {
      answer = json({ ...forbidden, details: { retryAfterSeconds: 2 } }, 429);

      expect((await failureOf(connect(server.url).exchange(listPods), 'RXI_STATUS')).retryAfter).toBe(2000);
    });

    it('for an error body that breaks off is an RXI_CONNECTION, after the bytes that arrived', async () => {
      answer = (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"kind":', () => response.destroy());
      };
      const parts: ResponsePart[] = [];
      const exchange = connect(server.url).exchange(listPods);
      const error = await new Promise<unknown>((resolve) => {
        exchange.subscribe({ next: (part) => parts.push(part), error: resolve, complete: () => resolve('complete') });
      });

      expect(error).toEqual(errorWith('RXI_CONNECTION'));
      expect(parts[0]?.type).toBe('head');
    });

    it('of a chunked body without its end is an RXI_CONNECTION', async () => {
      answer = (_, response) => {
        response.write('{"type":"ADDED"}\n', () => response.socket?.destroy());
      };

      expect(await failureOf(connect(server.url).exchange(listPods), 'RXI_CONNECTION')).toEqual(
        errorWith('RXI_CONNECTION'),
      );
    });

    it('without any response is an RXI_CONNECTION', async () => {
      answer = ({ socket }) => socket.destroy();

      expect(await failureOf(connect(server.url).exchange(listPods), 'RXI_CONNECTION')).toEqual(
        errorWith('RXI_CONNECTION'),
      );
    });

    it('while connecting is an RXI_CONNECTION with the reason', async () => {
      const { url } = server;
      await server.close();

      const error = await failureOf(connect(url).exchange(listPods), 'RXI_CONNECTION');

      expect(error.causeCode).toBe('ECONNREFUSED');
      expect(error.message).toMatch(/^GET \/api\/v1\/pods: .*connect ECONNREFUSED 127\.0\.0\.1:\d+$/);
    });

    it('for a server that does not speak HTTP is an RXI_CONNECTION', async () => {
      const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const url = new URL(server.url);
      url.port = String((other.address() as AddressInfo).port);

      expect(await failureOf(connect(url.href).exchange(listPods), 'RXI_CONNECTION')).toEqual(
        errorWith('RXI_CONNECTION'),
      );
      other.close();
    });

    it('while reading the credentials is an RXI_CREDENTIALS, and nothing is sent', async () => {
      const client = withToken(server.url, () => Promise.reject(new Error('token file is gone')));

      const error = await failureOf(client.exchange(listPods), 'RXI_CREDENTIALS');

      expect(error.message).toBe('GET /api/v1/pods: cannot read the credentials: token file is gone');
      expect(server.accepted).toBe(0);
    });
  });
});

const ignore = (): void => undefined;

const scheduler = virtualClock();

const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const random = (): number => 0.5;

describe('the clock of a client', () => {
  it('is the default of listWatch: an in-memory API server with a virtual clock needs no second scheduler', () => {
    const clock = virtualClock();
    const { client } = createInMemoryApiServer({ scheduler: clock });
    const mute: KubeClient = { ...client, exchange: () => NEVER };
    const states: string[] = [];
    const subscription = listWatch(mute, pods).subscribe((batch: readonly WatchEvent<unknown>[]) => {
      for (const event of batch) if (event.type === 'STATUS') states.push(`${clock.now()} ${event.status.state}`);
    });
    clock.advance(61_000);
    subscription.unsubscribe();
    expect(states).toEqual(['0 listing', '60000 listing']);
  });

  it.each<[string, (client: KubeClient) => KubeClient]>([
    ['limitedClient', (client) => limitedClient(client, { qps: 5 })],
    ['logWarnings', (client) => logWarnings(client, silent)],
  ])('is passed on by %s', (_, wrap) => {
    expect(wrap({ exchange: () => NEVER, scheduler, random })).toMatchObject({ scheduler, random });
  });

  it('is the scheduler that the client was created with', () => {
    const config = kubeConfigOf({ server: 'http://127.0.0.1:1' });
    const unclocked = { exchange: () => NEVER };
    for (const client of [
      fetchClient({ scheduler }),
      kubeClient(config, { scheduler }),
      limitedClient(unclocked, { scheduler }),
      createInMemoryApiServer({ scheduler }).client,
      createInMemoryApiServer({ scheduler }).clientFor('token'),
    ]) {
      expect(client.scheduler).toBe(scheduler);
    }
  });

  it('is passed on by sources, including merged and overlaid ones, unless an option names another clock', () => {
    const client: KubeClient = { exchange: () => NEVER, scheduler, random };
    const source = listWatch(client, pods);
    const other = virtualClock();
    expect(source).toMatchObject({ scheduler, random });
    expect(listWatch(client, pods, { scheduler: other })).toMatchObject({ scheduler: other, random });
    expect(mergeSources({ a: source, b: listWatch(client, pods) })).toMatchObject({ scheduler, random });
    expect(overlay(source)).toMatchObject({ scheduler, random });
  });
});
