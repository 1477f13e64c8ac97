import type { Subscription } from 'rxjs';
import { fetchClient } from '../../../src/sources/client/fetch-client.js';
import type { KubeClient, ResponsePart } from '../../../src/sources/client/kube-client.js';
import { kubeClient } from '../../../src/sources/client/node/kube-client.js';
import { requestJson } from '../../../src/sources/client/request-json.js';
import { ConnectionError, CredentialsError, ResponseError, StatusError } from '../../../src/sources/source-error.js';
import { answerOf, failureOf, listPods } from './exchanges.js';
import { kubeConfigOf } from './kube-config.js';
import { json, startServer, until, type Answer, type TestServer } from './test-server.js';

const clients = [
  {
    name: 'kubeClient',
    connect: (url: string): KubeClient => kubeClient(kubeConfigOf({ server: url })),
    withToken: (url: string, token: () => Promise<string>): KubeClient =>
      kubeClient({
        getCurrentCluster: () => ({ server: url }),
        applyToHTTPSOptions: async (options) => {
          options.headers = { ...options.headers, Authorization: `Bearer ${await token()}` };
        },
      }),
  },
  {
    name: 'fetchClient',
    connect: (url: string): KubeClient => fetchClient({ baseUrl: url }),
    withToken: (url: string, token: () => Promise<string>): KubeClient =>
      fetchClient({ baseUrl: url, headers: async () => ({ authorization: `Bearer ${await token()}` }) }),
  },
];

const forbidden = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'pods is forbidden',
  reason: 'Forbidden',
  code: 403,
};

/** A promise, and the way to keep it. */
function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((keep) => (resolve = keep));
  return { promise, resolve };
}

describe.each(clients)('$name, a KubeClient', ({ connect, withToken }) => {
  let server: TestServer;
  let answer: Answer;

  beforeEach(async () => {
    answer = json({});
    server = await startServer((request, response) => {
      answer(request, response);
    });
  });
  afterEach(() => server.close());

  /** Whether the connection of the last request is closed; undici opens a spare one for it, and closes that in its own time. */
  const isClosed = (): boolean => server.requests.at(-1)?.socket.destroyed ?? false;

  describe('a request', () => {
    it('is sent as it was asked for, once per subscription', async () => {
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

    it('keeps the path of the server in front of its own', async () => {
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

    it('has a JSON body unless it says otherwise', async () => {
      await answerOf(connect(server.url).exchange({ method: 'POST', path: '/api/v1/pods', body: '{}' }));

      expect(server.requests[0]?.headers['content-type']).toBe('application/json');
    });
  });

  describe('an answer', () => {
    it('is one head, then bytes, then completion', async () => {
      answer = json({ kind: 'PodList' }, 201, { 'X-Kubernetes-Pf-Flowschema-Uid': 'abc' });

      const answered = await answerOf(connect(server.url).exchange(listPods));

      expect(answered.status).toBe(201);
      expect(answered.headers['x-kubernetes-pf-flowschema-uid']).toBe('abc');
      expect(answered.types).toEqual(['head', 'bytes']);
      expect(answered.body).toBe('{"kind":"PodList"}');
    });

    it('is only a head where there is no body', async () => {
      answer = (_, response) => response.writeHead(204).end();

      expect((await answerOf(connect(server.url).exchange(listPods))).types).toEqual(['head']);
    });

    it('is handed over while it still arrives, head first', async () => {
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

  describe('a failure', () => {
    it.each([400, 401, 403, 404, 405, 406, 409, 410, 429, 500, 503, 504])(
      'with HTTP %i is a StatusError with the Status object',
      async (code) => {
        answer = json({ ...forbidden, code }, code);

        const error = await failureOf(connect(server.url).exchange(listPods), StatusError);

        expect(error.code).toBe(code);
        expect(error.status).toEqual({ ...forbidden, code });
        expect(error.reason).toBe('Forbidden');
        expect(error.retryAfter).toBeUndefined();
        expect(error.request).toEqual({ method: 'GET', url: '/api/v1/pods?limit=500' });
      },
    );

    it("is made up from code and text where the body is somebody else's", async () => {
      answer = (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>\n');

      const error = await failureOf(connect(server.url).exchange(listPods), StatusError);

      expect(error.code).toBe(502);
      expect(error.status.message).toBe('<h1>Bad Gateway</h1>');
      expect(error.message).toBe('GET /api/v1/pods?limit=500: 502: <h1>Bad Gateway</h1>');
    });

    it('says when to come back: in seconds', async () => {
      answer = json(forbidden, 429, { 'retry-after': '7' });

      expect((await failureOf(connect(server.url).exchange(listPods), StatusError)).retryAfter).toBe(7000);
    });

    it("says when to come back: as a date, on the server's clock", async () => {
      answer = json(forbidden, 503, {
        date: 'Wed, 21 Oct 2015 07:28:00 GMT',
        'retry-after': 'Wed, 21 Oct 2015 07:29:30 GMT',
      });

      expect((await failureOf(connect(server.url).exchange(listPods), StatusError)).retryAfter).toBe(90_000);
    });

    it('says when to come back: in the details of the status', async () => {
      answer = json({ ...forbidden, details: { retryAfterSeconds: 2 } }, 429);

      expect((await failureOf(connect(server.url).exchange(listPods), StatusError)).retryAfter).toBe(2000);
    });

    it('of a body that breaks off is a ConnectionError, after the bytes that came', async () => {
      answer = (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"kind":', () => response.destroy());
      };
      const parts: ResponsePart[] = [];
      const exchange = connect(server.url).exchange(listPods);
      const error = await new Promise<unknown>((resolve) => {
        exchange.subscribe({ next: (part) => parts.push(part), error: resolve, complete: () => resolve('complete') });
      });

      expect(error).toBeInstanceOf(ConnectionError);
      expect(parts[0]?.type).toBe('head');
    });

    it('of a chunked body without its end is a ConnectionError', async () => {
      answer = (_, response) => {
        response.write('{"type":"ADDED"}\n', () => response.socket?.destroy());
      };

      await failureOf(connect(server.url).exchange(listPods), ConnectionError);
    });

    it('without any answer is a ConnectionError', async () => {
      answer = ({ socket }) => socket.destroy();

      await failureOf(connect(server.url).exchange(listPods), ConnectionError);
    });

    it('to connect is a ConnectionError that says why', async () => {
      const { url } = server;
      await server.close();

      const error = await failureOf(connect(url).exchange(listPods), ConnectionError);

      expect(error.code).toBe('ECONNREFUSED');
      expect(error.message).toMatch(
        /^GET \/api\/v1\/pods\?limit=500: ECONNREFUSED: .*connect ECONNREFUSED 127\.0\.0\.1:\d+$/,
      );
    });

    it('of something that speaks no HTTP is a ConnectionError', async () => {
      answer = ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n');

      await failureOf(connect(server.url).exchange(listPods), ConnectionError);
    });

    it('to read the credentials is a CredentialsError, and nothing is sent', async () => {
      const client = withToken(server.url, () => Promise.reject(new Error('token file is gone')));

      const error = await failureOf(client.exchange(listPods), CredentialsError);

      expect(error.message).toBe('GET /api/v1/pods?limit=500: cannot read the credentials: token file is gone');
      expect(server.accepted).toBe(0);
    });
  });

  it('reads the credentials for each exchange', async () => {
    const tokens = ['one', 'two'];
    const client = withToken(server.url, () => Promise.resolve(tokens.shift() ?? ''));

    await answerOf(client.exchange(listPods));
    await answerOf(client.exchange(listPods));

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
  });

  it('sees a token that has expired as a StatusError 401', async () => {
    answer = ({ headers }, response) => {
      const code = headers.authorization === 'Bearer fresh' ? 200 : 401;
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ kind: 'Status', code }));
    };

    expect((await failureOf(withToken(server.url, async () => 'stale').exchange(listPods), StatusError)).code).toBe(
      401,
    );
    expect((await answerOf(withToken(server.url, async () => 'fresh').exchange(listPods))).status).toBe(200);
  });

  describe('G8: unsubscribing', () => {
    let notifications: unknown[];
    let subscription: Subscription;

    function subscribe(client: KubeClient): void {
      notifications = [];
      subscription = client.exchange(listPods).subscribe({
        next: (part) => notifications.push(part),
        error: (error) => notifications.push(error),
        complete: () => notifications.push('complete'),
      });
    }

    it('while the credentials are read sends nothing', async () => {
      const token = deferred<string>();
      const asked = deferred<void>();
      subscribe(
        withToken(server.url, () => {
          asked.resolve();
          return token.promise;
        }),
      );
      await asked.promise;

      subscription.unsubscribe();
      token.resolve('late');
      await answerOf(connect(server.url).exchange(listPods));

      expect(server.requests.length).toBe(1);
      expect(notifications).toEqual([]);
    });

    it('while the credentials are read hides that they cannot be', async () => {
      let reject: (error: Error) => void = () => undefined;
      const asked = deferred<void>();
      subscribe(
        withToken(server.url, () => {
          asked.resolve();
          return new Promise((_, fail) => (reject = fail));
        }),
      );
      await asked.promise;

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

    it('while the headers are awaited closes the connection', async () => {
      answer = () => undefined;
      subscribe(connect(server.url));
      await until(() => server.requests.length === 1);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications).toEqual([]);
    });

    it('in the middle of the body closes the connection', async () => {
      answer = (_, response) => void response.write('{"type":"ADDED"}\n');
      subscribe(connect(server.url));
      await until(() => notifications.length === 2);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications.length).toBe(2);
    });

    it('from within the callback of the head gives no bytes any more', async () => {
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

    it('while the body of a failure is read closes the connection', async () => {
      answer = (_, response) => void response.writeHead(500).write('and so on');
      subscribe(connect(server.url));
      await until(() => server.requests.length === 1);

      subscription.unsubscribe();

      await until(isClosed);
      expect(notifications).toEqual([]);
    });
  });

  it('closes the connection on which a failure does not end', async () => {
    answer = (_, response) => {
      response.writeHead(500);
      const pour = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65536)));
      };
      response.on('drain', pour);
      pour();
    };

    const error = await failureOf(connect(server.url).exchange(listPods), StatusError);

    expect(error.status.message).toBe('x'.repeat(1000));
    await until(isClosed);
  });

  describe('with requestJson', () => {
    it('gives the document', async () => {
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

    it('fails with a ResponseError where a login page comes instead', async () => {
      answer = (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please log in</html>');

      const error = await failureOf(
        requestJson(connect(server.url), { method: 'GET', path: '/api/v1' }),
        ResponseError,
      );

      expect(error.message).toBe('GET /api/v1: not valid JSON: "<html>Please log in</html>"');
    });
  });
});
