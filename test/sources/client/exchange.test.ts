import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { type KubeClient } from 'rx-informers';
import type { ResponsePart } from 'rx-informers/client';
import type { Subscription } from 'rxjs';
import { requestJson } from '../../../src/sources/client/kube-client.js';
import { until } from '../../support/until.js';
import { clients } from './conformance.js';
import { answerOf, failureOf, listPods } from './exchanges.js';
import { json, type Answer, type TestServer } from './test-server.js';

describe.each(clients)('$name, a KubeClient: an exchange', ({ connect, withToken, serve }) => {
  let server: TestServer;
  let answer: Answer;

  beforeEach(async () => {
    answer = json({});
    server = await serve((request, response) => {
      answer(request, response);
    });
  });
  afterEach(() => server.close());

  describe('a request', () => {
    it('is sent as requested, once per subscription', async () => {
      const exchange = connect(server.url).exchange({
        method: 'GET',
        path: '/api/v1/pods',
        query: { labelSelector: 'app in (web, api),tier!=x', limit: 500, watch: true, fieldSelector: undefined },
        headers: { accept: 'application/json;as=PartialObjectMetadataList' },
      });
      expect(server.requests).toEqual([]);

      await answerOf(exchange);
      await answerOf(exchange);

      expect(server.requests.length).toBe(2);
      const { method, url, headers, body } = server.requests[0]!;
      expect({ method, body, accept: headers.accept }).toEqual({
        method: 'GET',
        body: '',
        accept: 'application/json;as=PartialObjectMetadataList',
      });
      expect(Object.fromEntries(new URL(url, server.url).searchParams)).toEqual({
        labelSelector: 'app in (web, api),tier!=x',
        limit: '500',
        watch: 'true',
      });
    });

    it('asks for JSON by default', async () => {
      await answerOf(connect(server.url).exchange(listPods));

      expect(server.requests[0]?.headers.accept).toBe('application/json');
    });

    it('has the base path of the server before its own path', async () => {
      await answerOf(connect(`${server.url}/k8s/clusters/c-1/`).exchange(listPods));

      expect(server.requests[0]?.url).toBe('/k8s/clusters/c-1/api/v1/pods?limit=500');
    });

    it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
      'carries the body and the content type of a %s',
      async (method) => {
        const body = '{"a":"ü"}';
        const headers = { 'content-type': 'application/merge-patch+json' };

        await answerOf(connect(server.url).exchange({ method, path: '/api/v1/pods', headers, body }));

        expect(server.requests[0]).toMatchObject({ method, body, headers });
      },
    );

    it('has a JSON body unless its content type is set', async () => {
      await answerOf(connect(server.url).exchange({ method: 'POST', path: '/api/v1/pods', body: '{}' }));

      expect(server.requests[0]?.headers['content-type']).toBe('application/json');
    });
  });

  describe('a compressed watch', () => {
    const events = ['first', 'second', 'third'].map((name) => `{"type":"ADDED","object":{"name":"${name}"}}\n`);

    /**
     * Lets the server send each event only when the client has the one before it, and returns what
     * was received.
     */
    async function eventByEvent(send: (event: string, response: ServerResponse) => void): Promise<string> {
      let open: ServerResponse | undefined;
      answer = (_, response) => {
        open = response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.flushHeaders();
      };
      let received = '';
      const subscription = connect(server.url)
        .exchange({ method: 'GET', path: '/api/v1/pods', query: { watch: true } })
        .subscribe((part) => {
          if (part.type === 'bytes') received += new TextDecoder().decode(part.bytes);
        });
      let expected = '';
      await until(() => open !== undefined);
      for (const event of events) {
        send(event, open!);
        expected += event;
        await until(() => received === expected);
      }
      subscription.unsubscribe();
      return received;
    }

    it('G6: emits each event as soon as the server has flushed it, before the next one arrives', async () => {
      const gzip = createGzip();
      let response: ServerResponse;
      gzip.on('data', (chunk: Uint8Array) => response.write(chunk));
      const received = await eventByEvent((event, open) => {
        response = open;
        gzip.write(event);
        gzip.flush();
      });
      expect(received).toBe(events.join(''));
    });

    it('G6: emits each event even if each is its own gzip member, as in Kubernetes 1.37', async () => {
      const received = await eventByEvent((event, response) => response.write(gzipSync(event)));
      expect(received).toBe(events.join(''));
    });

    it('reads gzip members that are split anywhere', async () => {
      answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        for (const byte of Buffer.concat(events.map((event) => gzipSync(event)))) response.write(Uint8Array.of(byte));
        response.end();
      };
      const { body } = await answerOf(connect(server.url).exchange(listPods));
      expect(body).toBe(events.join(''));
    });
  });

  describe('a response', () => {
    it('emits its head once, then bytes, then completes', async () => {
      answer = json({ kind: 'PodList' }, 201, { 'X-Kubernetes-Pf-Flowschema-Uid': 'abc' });

      const answered = await answerOf(connect(server.url).exchange(listPods));

      expect(answered.status).toBe(201);
      expect(answered.headers['x-kubernetes-pf-flowschema-uid']).toBe('abc');
      expect(answered.types).toEqual(['head', 'bytes']);
      expect(answered.body).toBe('{"kind":"PodList"}');
    });

    it('is only a head if there is no body', async () => {
      answer = (_, response) => response.writeHead(204).end();

      expect((await answerOf(connect(server.url).exchange(listPods))).types).toEqual(['head']);
    });

    it('is emitted while it is still arriving, head first', async () => {
      let more: (text: string) => void = () => undefined;
      answer = (_, response) => {
        response.writeHead(200).flushHeaders();
        more = (text) => void response.write(text);
      };
      const parts: ResponsePart[] = [];
      const subscription = connect(server.url)
        .exchange(listPods)
        .subscribe((part) => parts.push(part));

      await until(() => parts.length === 1);
      expect(parts[0]).toMatchObject({ type: 'head', status: 200 });
      more('{"type":"ADDED"}\n{"ty');
      await until(() => parts.length === 2);
      more('pe":"MODIFIED"}\n');
      await until(() => parts.length === 3);

      subscription.unsubscribe();
      expect(parts.slice(1).map((part) => part.type === 'bytes' && Buffer.from(part.bytes).toString())).toEqual([
        '{"type":"ADDED"}\n{"ty',
        'pe":"MODIFIED"}\n',
      ]);
    });

    it('may be large', async () => {
      const body = 'x'.repeat(5_000_000);
      answer = (_, response) => response.end(body);

      expect((await answerOf(connect(server.url).exchange(listPods))).body).toBe(body);
    });
  });

  it('reads the credentials for each exchange', async () => {
    const tokens = ['one', 'two'];
    const client = withToken(server.url, () => Promise.resolve(tokens.shift() ?? ''));

    await answerOf(client.exchange(listPods));
    await answerOf(client.exchange(listPods));

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
  });

  it('emits an RXI_STATUS 401 for an expired token', async () => {
    answer = ({ headers }, response) => {
      const code = headers.authorization === 'Bearer fresh' ? 200 : 401;
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ kind: 'Status', code }));
    };

    expect(
      (await failureOf(withToken(server.url, async () => 'stale').exchange(listPods), 'RXI_STATUS')).statusCode,
    ).toBe(401);
    expect((await answerOf(withToken(server.url, async () => 'fresh').exchange(listPods))).status).toBe(200);
  });

  describe('with requestJson', () => {
    it('emits the document', async () => {
      answer = json({ kind: 'APIResourceList', resources: [] });

      const documents: unknown[] = [];
      await new Promise<void>((resolve, reject) => {
        requestJson(connect(server.url), { method: 'GET', path: '/api/v1' }).subscribe({
          next: (document) => documents.push(document),
          error: reject,
          complete: resolve,
        });
      });

      expect(documents).toEqual([{ kind: 'APIResourceList', resources: [] }]);
    });

    it('fails with an RXI_RESPONSE for a login page', async () => {
      answer = (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please log in</html>');

      const error = await failureOf(
        requestJson(connect(server.url), { method: 'GET', path: '/api/v1' }),
        'RXI_RESPONSE',
      );

      expect(error.message).toBe('GET /api/v1: not valid JSON: "<html>Please log in</html>"');
    });
  });
});

/** A promise, and the way to keep it. */
function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((keep) => (resolve = keep));
  return { promise, resolve };
}

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

  /**
   * Whether the last request was given up; undici opens a spare connection for it, and closes that
   * in its own time.
   */
  const isClosed = (): boolean => server.requests.at(-1)?.hasGivenUp() ?? false;

  describe('G8: unsubscribing', () => {
    let notifications: unknown[];
    let subscription: Subscription;

    function subscribe(client: KubeClient): void {
      notifications = [];
      subscription = client.exchange(listPods).subscribe({
        next: (part) => notifications.push(part),
        error: (error: unknown) => notifications.push(error),
        complete: () => notifications.push('complete'),
      });
    }

    it('while the credentials are read sends nothing', async () => {
      const token = deferred<string>();
      const queries = deferred<'asked'>();
      subscribe(
        withToken(server.url, () => {
          queries.resolve('asked');
          return token.promise;
        }),
      );
      await queries.promise;

      subscription.unsubscribe();
      token.resolve('late');
      await answerOf(connect(server.url).exchange(listPods));

      expect(server.requests.length).toBe(1);
      expect(notifications).toEqual([]);
    });

    it('while the credentials are read suppresses their error', async () => {
      let reject: (error: Error) => void = () => undefined;
      const queries = deferred<'asked'>();
      subscribe(
        withToken(server.url, () => {
          queries.resolve('asked');
          return new Promise((_, fail) => (reject = fail));
        }),
      );
      await queries.promise;

      subscription.unsubscribe();
      reject(new Error('nobody wants to know'));
      await answerOf(connect(server.url).exchange(listPods));

      expect(notifications).toEqual([]);
    });

    it('at once leaves no request behind', async () => {
      subscribe(connect(server.url));
      subscription.unsubscribe();
      await answerOf(connect(server.url).exchange(listPods));

      expect(server.requests.length).toBe(1);
      expect(notifications).toEqual([]);
    });

    it('while waiting for the headers aborts the request', async () => {
      answer = () => undefined;
      subscribe(connect(server.url));
      await until(() => server.requests.length === 1);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications).toEqual([]);
    });

    it('in the middle of the body aborts the request', async () => {
      answer = (_, response) => void response.write('{"type":"ADDED"}\n');
      subscribe(connect(server.url));
      await until(() => notifications.length === 2);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications.length).toBe(2);
    });

    it('in the callback of the head emits no bytes', async () => {
      answer = (_, response) => void response.write('{"type":"ADDED"}\n');
      const parts: ResponsePart[] = [];
      const running = connect(server.url)
        .exchange(listPods)
        .subscribe((part) => {
          parts.push(part);
          running.unsubscribe();
        });

      await until(isClosed);
      expect(parts.map(({ type }) => type)).toEqual(['head']);
    });

    it('while the body of a failure is read aborts the request', async () => {
      answer = (_, response) => void response.writeHead(500).write('and so on');
      subscribe(connect(server.url));
      await until(() => server.requests.length === 1);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications).toEqual([]);
    });
  });

  it('aborts a request whose error body does not end', async () => {
    answer = (_, response) => {
      response.writeHead(500);
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65536)));
      };
      response.on('drain', pour);
      pour();
    };

    const error = await failureOf(connect(server.url).exchange(listPods), 'RXI_STATUS');

    expect(error.status.message).toBe('x'.repeat(1000));
    await until(isClosed);
  });
});
