import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { informer, listWatch, pods } from 'rx-informers';
import { filter, firstValueFrom, VirtualTimeScheduler } from 'rxjs';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { json, startServer, type Answer, type TestServer } from '../../../../test/sources/client/test-server.js';
import { until } from '../../../../test/support/until.js';
import type { DashboardServer, DashboardServerOptions } from '../../server/dashboard-server.js';
import { clientOf, cookieOf, exchange, open, startDashboard, statusIn } from './exchange.js';
import { codesIn, lines, rawExchange } from './raw-exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));
const token = 'the-bearer-token';

describe('the proxy of the dashboard', () => {
  let upstream: TestServer;
  let dashboard: DashboardServer;
  let errors: Error[];

  async function start(answer: Answer, options: Partial<DashboardServerOptions> = {}, path = ''): Promise<void> {
    upstream = await startServer(answer);
    errors = [];
    dashboard = await startDashboard({
      kubeConfig: kubeConfigOf({ server: `${upstream.url}${path}` }, { token }),
      page,
      onError: (error) => errors.push(error),
      ...options,
    });
  }

  /** An upstream that begins an answer and leaves it open. */
  function streaming(responses: ServerResponse[]): Answer {
    return (_, response) => {
      responses.push(response);
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    };
  }

  afterEach(async () => {
    await dashboard.close();
    await upstream.close();
  });

  describe('for a request to the API server', () => {
    it('sends the credentials of the kubeconfig and none of the browser', async () => {
      await start(json({}));
      await exchange(dashboard.url, '/api/v1/pods', {
        headers: {
          authorization: 'Bearer of-the-browser',
          cookie: `session=1; ${cookieOf(dashboard)}; other=2`,
          'impersonate-user': 'system:admin',
          'impersonate-group': 'system:masters',
          'x-remote-user': 'admin',
          'x-forwarded-for': '10.0.0.1',
          'proxy-authorization': 'Basic abc',
          connection: 'keep-alive, x-custom',
          'x-custom': '1',
          te: 'trailers',
          accept: 'application/json;as=Table',
          'if-none-match': '"1"',
        },
      });

      expect(upstream.requests[0]?.headers).toEqual({
        accept: 'application/json;as=Table',
        'accept-encoding': 'identity',
        authorization: `Bearer ${token}`,
        connection: 'keep-alive',
        host: new URL(upstream.url).host,
        'if-none-match': '"1"',
        'user-agent': 'rx-informers-dashboard',
      });
    });

    it('keeps path and query, below the base path of the server', async () => {
      await start(json({}), {}, '/k8s/clusters/c-1/');
      await exchange(dashboard.url, '/apis/apps/v1/deployments?labelSelector=app%3Dweb&limit=500');

      expect(upstream.requests[0]?.url).toBe(
        '/k8s/clusters/c-1/apis/apps/v1/deployments?labelSelector=app%3Dweb&limit=500',
      );
    });

    it('forwards the body of a write, and none of a read', async () => {
      await start(json({}), { allowWrites: true });
      const headers = { 'content-type': 'application/merge-patch+json' };
      await exchange(dashboard.url, '/api/v1/namespaces/a/pods/b', { method: 'PATCH', headers, body: '{"a":1}' });
      await exchange(dashboard.url, '/api/v1/pods', { headers: { 'content-length': 2 }, body: '{}' });

      expect(upstream.requests.map(({ method, body }) => ({ method, body }))).toEqual([
        { method: 'PATCH', body: '{"a":1}' },
        { method: 'GET', body: '' },
      ]);
      expect(upstream.requests[0]?.headers).toMatchObject({ ...headers, 'content-length': '7' });
    });

    it('reuses connections, and repeats a read whose connection the server has closed meanwhile', async () => {
      await start((request, response) => {
        if (upstream.requests.length === 2) request.socket.resetAndDestroy();
        else json({})(request, response);
      });

      const first = await exchange(dashboard.url, '/version');
      const second = await exchange(dashboard.url, '/version');

      expect([first.status, second.status]).toEqual([200, 200]);
      expect({ accepted: upstream.accepted, requests: upstream.requests.length }).toEqual({ accepted: 2, requests: 3 });
    });
  });

  describe('for a response of the API server', () => {
    it('forwards the headers that a client needs, and none that are meant for the proxy or for another page', async () => {
      const answer = json({}, 200, {
        etag: '"1"',
        'audit-id': 'a',
        'set-cookie': 'session=1',
        'www-authenticate': 'Basic',
        'access-control-allow-origin': '*',
        'strict-transport-security': 'max-age=1',
        'content-security-policy': "default-src 'unsafe-inline' *",
        authorization: `Bearer ${token}`,
        'keep-alive': 'timeout=1',
        date: 'Sat, 21 Nov 2026 00:00:00 GMT',
      });
      await start(answer);
      const { headers } = await exchange(dashboard.url, '/api');

      expect(headers).toEqual({
        'audit-id': 'a',
        'cache-control': 'no-store',
        connection: 'close',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        'content-type': 'application/json',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        date: 'Sat, 21 Nov 2026 00:00:00 GMT',
        etag: '"1"',
        'referrer-policy': 'no-referrer',
        'transfer-encoding': 'chunked',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
    });

    it('keeps the compression of lists, and requests watches and logs uncompressed', async () => {
      const zipped = gzipSync('{"kind":"PodList"}');
      await start((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': zipped.length }).end(zipped);
      });
      const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' };

      const list = await exchange(dashboard.url, '/api/v1/pods', { headers });
      await exchange(dashboard.url, '/api/v1/pods?watch=1', { headers });
      await exchange(dashboard.url, '/api/v1/namespaces/a/pods/b/log?follow=true', { headers });
      await exchange(dashboard.url, '/api/v1/pods', { headers: { 'accept-encoding': 'br, gzip;q=0' } });

      expect(list.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(zipped.length) });
      expect(list.body).toEqual(zipped);
      expect(upstream.requests.map((request) => request.headers['accept-encoding'])).toEqual([
        'gzip',
        'identity',
        'identity',
        'identity',
      ]);
    });

    it.each([200, 304, 404, 409, 410, 422, 429, 500, 503])('forwards a %s unchanged', async (code) => {
      await start(json({ kind: 'Status', code }, code, { 'retry-after': '1' }));
      const { status, headers } = await exchange(dashboard.url, '/api');

      expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: code, retryAfter: '1' });
    });

    it('responds to HEAD with the headers', async () => {
      await start((_, response) => {
        response.writeHead(200, { 'content-length': 5 }).end();
      });
      const { status, headers, body } = await exchange(dashboard.url, '/api', { method: 'HEAD' });

      expect({ status, length: headers['content-length'], body: body.length }).toEqual({
        status: 200,
        length: '5',
        body: 0,
      });
    });
  });

  describe('while a response streams', () => {
    it('forwards each piece as it arrives', async () => {
      const responses: ServerResponse[] = [];
      await start(streaming(responses));
      const answer = await open(dashboard.url, '/api/v1/pods?watch=true');
      let received = '';
      answer.on('data', (chunk: Buffer) => (received += chunk.toString()));

      for (const piece of ['{"type":', '"ADDED"}', '\n', '{"type":"DELETED"}\n']) {
        const expected = received + piece;
        responses[0]?.write(piece);
        await until(() => received === expected);
      }
      responses[0]?.end();
      await until(() => answer.complete);

      expect(received).toBe('{"type":"ADDED"}\n{"type":"DELETED"}\n');
    });

    it('reads no faster than the browser', async () => {
      const total = 64 * 1024 * 1024;
      const chunk = Buffer.alloc(256 * 1024, 'x');
      let written = 0;
      await start((request, response) => {
        if (request.url === '/version') return json({})(request, response);
        const write = (): void => {
          while (written < total) {
            written += chunk.length;
            if (!response.write(chunk)) {
              response.once('drain', write);
              return;
            }
          }
          response.end();
        };
        write();
      });
      const answer = await open(dashboard.url, '/api/v1/pods?watch=true');
      answer.pause();
      // While these are answered, the stream could be read too early.
      for (let index = 0; index < 100; index++) await exchange(dashboard.url, '/version');
      expect(written).toBeLessThan(total / 2);

      let received = 0;
      for await (const piece of answer) received += (piece as Buffer).length;
      expect(received).toBe(total);
    });

    it('ends the request to the API server when the browser disconnects, and leaves no connection', async () => {
      const responses: ServerResponse[] = [];
      await start(streaming(responses));
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => open(dashboard.url, '/api/v1/pods?watch=true')),
      );
      expect(upstream.open).toBe(25);

      for (const answer of answers) answer.destroy();
      await until(() => upstream.open === 0);

      expect(responses.every(({ destroyed }) => destroyed)).toBe(true);
      expect(errors).toEqual([]);
    });

    it('ends the request if the browser disconnects before there is a response', async () => {
      await start(() => undefined);
      const abortion = new AbortController();
      const answer = open(dashboard.url, '/api', { signal: abortion.signal }).catch((error: unknown) => error);
      await until(() => upstream.requests.length === 1);

      abortion.abort();

      expect(await answer).toMatchObject({ name: 'AbortError' });
      await until(() => upstream.open === 0);
      expect(errors).toEqual([]);
    });

    it.each([
      ['chunked', {}],
      ['of a known length', { 'content-length': 100 }],
    ])('aborts the response if the API server aborts it, %s', async (_, head) => {
      const responses: ServerResponse[] = [];
      await start((__, response) => {
        responses.push(response);
        response.writeHead(200, head).write('{"items":[');
      });
      const answer = await open(dashboard.url, '/api/v1/pods');
      const broken = new Promise<Error>((resolve) => answer.on('error', resolve).resume());

      responses[0]?.destroy();

      expect(await broken).toMatchObject({ code: 'ECONNRESET' });
    });

    it('leaves no connection behind when it is closed', async () => {
      await start(streaming([]));
      const answer = await open(dashboard.url, '/api/v1/pods?watch=true');
      const broken = new Promise((resolve) => answer.on('error', resolve).resume());

      await dashboard.close();

      expect(await broken).toMatchObject({ code: 'ECONNRESET' });
      await until(() => upstream.open === 0);
    });
  });

  describe('without a response of the API server', () => {
    it('answers 502 if the upstream refuses the connection', async () => {
      await start(json({}));
      await upstream.close();
      const refusal = await exchange(dashboard.url, '/api');

      expect(statusIn(refusal)).toMatchObject({
        kind: 'Status',
        code: 502,
        message: expect.stringContaining('ECONNREFUSED'),
      });
      expect(errors).toHaveLength(1);
    });

    it('causes an error that the library retries', async () => {
      await start(json({}));
      await upstream.close();
      const podInformer = informer(listWatch(clientOf(dashboard), pods));
      const running = podInformer.changes$.subscribe();
      const status = await firstValueFrom(podInformer.status$.pipe(filter(({ state }) => state === 'backing-off')));
      running.unsubscribe();

      expect(status).toMatchObject({ state: 'backing-off', cause: { statusCode: 502 } });
    });

    it('responds with a 502 if the API server closes the connection', async () => {
      await start((request) => request.socket.destroy());

      expect(statusIn(await exchange(dashboard.url, '/api'))).toMatchObject({ kind: 'Status', code: 502 });
    });

    it('does not repeat a write, no matter what happened to it', async () => {
      await start(
        (request, response) => {
          if (request.method === 'GET') json({})(request, response);
          else request.socket.resetAndDestroy();
        },
        { allowWrites: true },
      );
      await exchange(dashboard.url, '/api');
      const { status } = await exchange(dashboard.url, '/api/v1/nodes/a', { method: 'PATCH', body: '{}' });

      expect(status).toBe(502);
      expect(upstream.requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
    });

    it('responds with a 504 if the API server is slow, and aborts the request', async () => {
      const scheduler = new VirtualTimeScheduler();
      await start(() => undefined, { scheduler, answerTimeout: 30_000 });
      const answer = exchange(dashboard.url, '/api');
      await until(() => upstream.requests.length === 1);

      scheduler.flush();

      expect(statusIn(await answer)).toMatchObject({ code: 504, message: expect.stringContaining('30 s') });
      await until(() => upstream.open === 0);
    });

    it('responds with a 504 if the rest of a request body does not arrive, and keeps no connection for it', async () => {
      const scheduler = new VirtualTimeScheduler();
      await start(json({}), { scheduler, allowWrites: true });
      const head = lines(
        'PATCH /api/v1/nodes/a HTTP/1.1',
        'Host: localhost',
        `Cookie: ${cookieOf(dashboard)}`,
        'Connection: close',
        'Content-Length: 100',
        '',
      );
      const answer = rawExchange(dashboard.url, `${head}{`);
      await until(() => upstream.open === 1);

      scheduler.flush();

      expect(codesIn(await answer)).toEqual([504]);
      await until(() => upstream.open === 0);
      expect(upstream.requests).toEqual([]);
    });

    it('sets no timeout for a response that has begun', async () => {
      const scheduler = new VirtualTimeScheduler();
      const responses: ServerResponse[] = [];
      await start(streaming(responses), { scheduler });
      const answer = await open(dashboard.url, '/api/v1/namespaces/a/pods/b/log?follow=true');
      expect(scheduler.actions).toEqual([]);
      scheduler.flush();
      responses[0]?.end('late');

      expect(String(await answer.toArray())).toBe('late');
    });

    it('responds with a 502 that names the target of a redirect, and does not follow it', async () => {
      await start((_, response) => {
        response.writeHead(302, { location: 'https://login.example/' }).end();
      });
      const refusal = await exchange(dashboard.url, '/api');

      expect(statusIn(refusal)).toMatchObject({
        code: 502,
        message: expect.stringContaining('https://login.example/'),
      });
      expect(refusal.headers.location).toBeUndefined();
    });

    it('shows the problem with the credentials in the terminal, and in the browser only that there is one', async () => {
      const kubeConfig = {
        getCurrentCluster: () => ({ server: 'https://127.0.0.1:1' }),
        applyToHTTPSOptions: () => Promise.reject(new Error(`the plugin printed ${token}`)),
      };
      await start(json({}), { kubeConfig });
      const refusal = await exchange(dashboard.url, '/api');

      expect(statusIn(refusal)).toMatchObject({ kind: 'Status', code: 502 });
      expect(refusal.body.toString()).not.toContain(token);
      expect(errors[0]?.cause).toMatchObject({ message: `the plugin printed ${token}` });
    });

    it('survives credentials from which no request can be made', async () => {
      await start(json({}), { kubeConfig: kubeConfigOf({ server: 'http://127.0.0.1:1' }, { token: 'a\nb' }) });

      expect(statusIn(await exchange(dashboard.url, '/api'))).toMatchObject({ kind: 'Status', code: 502 });
    });
  });
});
