import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { Agent } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { type KubeClient, isRxInformersError } from 'rx-informers';
import type { ResponsePart } from 'rx-informers/client';
import { kubeClient, type NodeKubeClient } from 'rx-informers/node';
import { virtualClock, type VirtualClock } from 'rx-informers/testing';
import { Subscription } from 'rxjs';
import { httpExchange } from '../../../../src/sources/client/node/http-exchange.js';
import { http2Pool } from '../../../../src/sources/client/node/http2-pool.js';
import { bundledProgram } from '../../../support/bundled-program.js';
import { errorWith } from '../../../support/error-with.js';
import { promisesSettled } from '../../../support/promises-settled.js';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.js';
import { until } from '../../../support/until.js';
import { answerOf, failureOf, listPods, type Answered } from '../exchanges.js';
import { kubeConfigOf } from '../kube-config.js';
import { json, startServer } from '../test-server.js';
import { base64, certificateAuthority, signedBy } from './certificates.js';
import { ok, serverCertificate, startHttp2Server, watch, type AnswerStream, type Http2Server } from './http2-server.js';

const watchPods = { method: 'GET', path: '/api/v1/pods', query: { watch: true } } as const;

/** The emissions of an exchange so far. */
interface Running {
  readonly parts: ResponsePart['type'][];
  readonly subscription: Subscription;
  error?: unknown;
  isComplete?: true;
}

function run(client: KubeClient, request = watchPods as Parameters<KubeClient['exchange']>[0]): Running {
  const running: Running = { parts: [], subscription: new Subscription() };
  running.subscription.add(
    client.exchange(request).subscribe({
      next: ({ type }) => running.parts.push(type),
      error: (error: unknown) => (running.error = error),
      complete: () => (running.isComplete = true),
    }),
  );
  return running;
}

describe('kubeClient over HTTP/2', () => {
  let server: Http2Server;
  let answer: AnswerStream;
  let clock: VirtualClock;
  const open: (() => unknown)[] = [];

  beforeEach(async () => {
    answer = watch;
    clock = virtualClock();
    server = await startHttp2Server((...request) => answer(...request));
  });
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
    await server.close();
  });

  function clientOf(url = server.url, user = {}): NodeKubeClient {
    const client = kubeClient(kubeConfigOf({ server: url, skipTLSVerify: true }, user), {
      http2: true,
      scheduler: clock,
    });
    open.push(() => client.close());
    return client;
  }

  async function proxied(): Promise<{ readonly proxy: TcpProxy; readonly client: NodeKubeClient }> {
    const proxy = await startTcpProxy(server.port);
    const client = clientOf(`https://127.0.0.1:${proxy.port}`);
    open.push(() => proxy.close());
    return { proxy, client };
  }

  const list = (client: KubeClient): Promise<Answered> => answerOf(client.exchange(listPods));

  describe('a connection', () => {
    it('is shared by a hundred watches, including those that begin while it is being opened', async () => {
      const client = clientOf();
      const first = Array.from({ length: 60 }, () => run(client));
      await until(() => first.every(({ parts }) => parts.length === 2));
      const second = Array.from({ length: 40 }, () => run(client));
      await until(() => second.every(({ parts }) => parts.length === 2));

      expect(server.sessions.length).toBe(1);
    });

    it('stays open when one of its watches is unsubscribed from, which resets its stream', async () => {
      const codes: number[] = [];
      answer = (stream, headers) => {
        stream.on('close', () => codes.push(stream.rstCode));
        watch(stream, headers);
      };
      const client = clientOf();
      const [left, kept] = [run(client), run(client)];
      await until(() => left.parts.length === 2 && kept.parts.length === 2);

      left.subscription.unsubscribe();

      await until(() => codes.length === 1);
      answer = ok;
      expect((await list(client)).body).toBe('{}');
      expect(codes).toEqual([constants.NGHTTP2_CANCEL]);
      expect(left).toMatchObject({ parts: ['head', 'bytes'] });
      expect(kept.error).toBeUndefined();
      expect(server.sessions.length).toBe(1);
    });

    it('is joined by another one if the server allows few streams, instead of waiting', async () => {
      await server.close();
      server = await startHttp2Server((...request) => answer(...request), { maxConcurrentStreams: 10 });
      const client = clientOf();

      const watches = Array.from({ length: 25 }, () => run(client));
      await until(() => watches.every(({ parts }) => parts.length === 2));
      expect(server.sessions.length).toBe(3);

      watches[0]?.subscription.unsubscribe();
      answer = ok;
      await until(() => server.paths.length === 25);
      await list(client);
      expect(server.sessions.length).toBe(3);
    });

    it('does not let an endless response delay another one', async () => {
      let poured = 0;
      answer = (stream, { ':path': path }) => {
        stream.respond({ ':status': 200 });
        if (path !== '/flood') return void stream.end('{}');
        const pour = (): void => {
          poured++;
          if (!stream.destroyed) stream.write(Buffer.alloc(64 * 1024));
        };
        stream.on('drain', pour);
        pour();
      };
      const client = clientOf();
      const flood = run(client, { method: 'GET', path: '/flood' });
      await until(() => poured > 100);

      expect((await list(client)).body).toBe('{}');
      flood.subscription.unsubscribe();
    });

    it('G8: is not opened if all its exchanges are unsubscribed from meanwhile', async () => {
      const silent = createServer();
      const accepted = once(silent, 'connection');
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const client = clientOf(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`);
      const watches = [run(client), run(client)];
      const [socket] = (await accepted) as [AsyncIterable<unknown>];

      for (const { subscription } of watches) subscription.unsubscribe();

      for await (const _ of socket);
      expect(clock.timers).toBe(0);
      silent.close();
    });

    it('G8: has no timer when its last exchange has ended', async () => {
      const client = clientOf();
      const watching = run(client);
      await until(() => watching.parts.length === 2);
      watching.subscription.unsubscribe();
      answer = ok;
      await list(client);

      await until(() => clock.timers === 0);
      expect(server.open).toBe(1);
    });

    it('is closed after its idle time, and not before', async () => {
      answer = ok;
      const pool = http2Pool(new Agent(), 50, clock);
      open.push(() => pool.close());
      const exchange = async (): Promise<Answered> =>
        answerOf(
          httpExchange(
            { method: 'GET', url: '/' },
            pool.send(
              () => ({
                url: new URL(server.url),
                tls: { rejectUnauthorized: false },
                headers: { ':path': '/' },
                body: undefined,
              }),
              () => undefined,
            ),
            () => true,
          ),
        );
      await exchange();
      await exchange();
      expect(server.sessions.length).toBe(1);

      await until(() => server.open === 0);
      await exchange();
      expect(server.sessions.length).toBe(2);
    });

    it('does not keep a process alive while it is idle', async () => {
      answer = ok;
      const script = bundledProgram('test/sources/client/node/list-once.ts');
      const child = spawn(process.execPath, [script, server.url, 'http2'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });

      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);

      expect(output).toBe('200\n');
      expect(child.exitCode).toBe(0);
      expect(server.sessions.length).toBe(1);
    }, 30_000);

    it('is closed by close(), which fails exchanges in progress, and opened again on demand', async () => {
      const client = clientOf();
      const watching = run(client);
      await until(() => watching.parts.length === 2);

      client.close();

      await until(() => watching.error !== undefined);
      expect(String(watching.error)).toContain('the client was closed');
      await until(() => server.open === 0);
      answer = ok;
      expect((await list(client)).status).toBe(200);
    });

    it('is replaced when the client certificate is rotated, and closed when its last stream has ended', async () => {
      const ca = await certificateAuthority();
      const user = async (name: string): Promise<object> => {
        const { cert, key } = await signedBy(ca, name);
        return { name: 'tester', certData: base64(cert), keyData: base64(key) };
      };
      const kubeConfig = kubeConfigOf({ server: server.url, skipTLSVerify: true }, await user('ada'));
      const client = kubeClient(kubeConfig, { http2: true, scheduler: clock });
      const old = run(client);
      await until(() => old.parts.length === 2);

      kubeConfig.users = [(await user('grace')) as never];
      const renewed = [run(client), run(client)];
      await until(() => renewed.every(({ parts }) => parts.length === 2));
      expect(server.open).toBe(2);
      expect(old.error).toBeUndefined();

      old.subscription.unsubscribe();
      await until(() => server.open === 1);
      expect(server.sessions[0]?.destroyed).toBe(true);
      client.close();
    });
  });

  describe('a dead connection', () => {
    const step = 2_000;

    /**
     * Waits until the client has received everything that the server has sent, including the
     * response to a PING of the client: the server sends a PING of its own, and waits for the
     * response.
     */
    const everythingSentHasArrived = (): Promise<void> =>
      new Promise((resolve, reject) => {
        server.sessions[0]?.ping((error) => (error === null ? resolve() : reject(error)));
      });

    it('G6: is detected within 10 seconds: all its exchanges fail, and the next one opens another connection', async () => {
      const { proxy, client } = await proxied();
      const watches = Array.from({ length: 5 }, () => run(client));
      await until(() => watches.every(({ parts }) => parts.length === 2));

      proxy.stall();
      clock.advance(10_000);
      await until(() => watches.every(({ error }) => error !== undefined));

      for (const { error } of watches) {
        expect(error).toMatchObject({ code: 'RXI_CONNECTION', causeCode: 'ETIMEDOUT' });
        expect(String(error)).toContain('no answer to PING');
      }
      expect(clock.timers).toBe(0);
    });

    it('G6: is detected although each of its requests times out within 6 seconds, as those of leader election do', async () => {
      const { proxy, client } = await proxied();
      answer = ok;
      await list(client);

      proxy.stall();
      for (let request = 0; request < 2; request++) {
        const timingOut = run(client);
        await promisesSettled();
        clock.advance(5_000);
        timingOut.subscription.unsubscribe();
        await promisesSettled();
        clock.advance(1_000);
        await promisesSettled();
      }
      run(client);

      await until(() => proxy.accepted > 1);
      expect(proxy.accepted).toBe(2);
    });

    it('is one that does not respond to PING: a silent one that does is kept, and pinged every four seconds at most', async () => {
      const client = clientOf();
      const watching = run(client);
      await until(() => watching.parts.length === 2);
      await everythingSentHasArrived();

      for (let seconds = 0; seconds < 120; seconds += 4) {
        const { pings } = server;
        clock.advance(step);
        clock.advance(step);
        await until(() => server.pings > pings);
        await everythingSentHasArrived();
      }

      expect(watching.error).toBeUndefined();
      expect(server.pings).toBe(30);
    });

    it('is not pinged while data arrives, nor while it is idle', async () => {
      let more = (): void => undefined;
      answer = (stream, headers) => {
        watch(stream, headers);
        more = () => void stream.write('{"type":"MODIFIED"}\n');
      };
      const client = clientOf();
      const watching = run(client);
      await until(() => watching.parts.length === 2);
      for (let round = 0; round < 10; round++) {
        more();
        await until(() => watching.parts.length === 3 + round);
        clock.advance(step);
      }
      watching.subscription.unsubscribe();
      await until(() => clock.timers === 0);
      clock.advance(60_000);
      answer = ok;
      // On the same connection, so after any PING.
      await list(client);

      expect(server.sessions.length).toBe(1);
      expect(server.pings).toBe(0);
    });

    it('G6: is detected while it is being opened', async () => {
      const silent = createServer(() => undefined);
      const accepted = once(silent, 'connection');
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const client = clientOf(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`);
      const watching = run(client);
      await accepted;

      clock.advance(10_000);

      expect(watching.error).toMatchObject({ code: 'RXI_CONNECTION', causeCode: 'ETIMEDOUT' });
      silent.close();
    });
  });

  describe('a server that sends GOAWAY', () => {
    it('finishes the accepted streams, and new exchanges use another connection', async () => {
      const accepted: ServerHttp2Stream[] = [];
      answer = (stream, headers) => {
        accepted.push(stream);
        watch(stream, headers);
      };
      const client = clientOf();
      const watching = run(client);
      await until(() => watching.parts.length === 2);

      server.sessions[0]?.goaway(constants.NGHTTP2_NO_ERROR);
      await until(() => {
        if (server.sessions.length === 1) run(client);
        return server.sessions.length === 2;
      });
      expect(watching.error).toBeUndefined();
      accepted[0]?.end('{"type":"DELETED"}\n');

      await until(() => watching.isComplete === true);
      expect(watching.parts).toEqual(['head', 'bytes', 'bytes']);
    });

    const refuseFirst: AnswerStream = (stream, headers) => {
      if (server.paths.length === 1) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else ok(stream, headers);
    };

    it('and has refused a GET: the GET is sent again', async () => {
      answer = refuseFirst;

      expect((await list(clientOf())).body).toBe('{}');
      expect(server.paths.length).toBe(2);
    });

    it('and has refused a POST: the POST fails, and the caller decides', async () => {
      answer = refuseFirst;

      const create = clientOf().exchange({ method: 'POST', path: '/api/v1/pods', body: '{}' });

      expect((await failureOf(create, 'RXI_CONNECTION')).message).toContain('NGHTTP2_REFUSED_STREAM');
      expect(server.paths.length).toBe(1);
    });

    it('does not make a GET repeat forever that the server always refuses', async () => {
      answer = (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);

      await failureOf(clientOf().exchange(listPods), 'RXI_CONNECTION');

      expect(server.paths.length).toBeLessThanOrEqual(4);
    });

    it.each([
      ['without an error', constants.NGHTTP2_NO_ERROR],
      ['with an error', constants.NGHTTP2_INTERNAL_ERROR],
    ])('%s, with the last accepted stream: later ones are sent again', async (_, code) => {
      const client = clientOf();
      const watching = run(client);
      await until(() => watching.parts.length === 2);
      answer = (stream, headers) => {
        const { session } = stream;
        if (session !== server.sessions[0]) return ok(stream, headers);
        session?.goaway(code, 1);
      };

      expect((await list(client)).body).toBe('{}');

      expect(server.sessions.length).toBe(2);
      expect(watching.error === undefined).toBe(code === constants.NGHTTP2_NO_ERROR);
    });

    it('and breaks the connection after that: incomplete responses fail with an RXI_CONNECTION', async () => {
      const { proxy, client } = await proxied();
      const watching = run(client);
      await until(() => watching.parts.length === 2);

      server.sessions[0]?.goaway(constants.NGHTTP2_NO_ERROR);
      await until(() => {
        if (server.sessions.length === 1) run(client);
        return server.sessions.length === 2;
      });
      proxy.cut();

      await until(() => watching.error !== undefined);
      expect(watching.error).toEqual(errorWith('RXI_CONNECTION'));
    });

    it('with an error code fails all exchanges with an RXI_CONNECTION', async () => {
      const client = clientOf();
      const watches = [run(client), run(client)];
      await until(() => watches.every(({ parts }) => parts.length === 2));

      server.sessions[0]?.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);

      await until(() => watches.every(({ error }) => error !== undefined));
      for (const { error } of watches) expect(error).toEqual(errorWith('RXI_CONNECTION'));
    });

    it('on an idle connection does not affect the next GET', async () => {
      const { proxy, client } = await proxied();
      answer = ok;
      await list(client);
      answer = (stream, headers) => {
        if (stream.session === server.sessions[0]) proxy.cut();
        else ok(stream, headers);
      };

      expect((await list(client)).body).toBe('{}');
      expect(server.sessions.length).toBe(2);
    });
  });

  describe('a network failure', () => {
    it('of the connection fails every watch at once', async () => {
      const { proxy, client } = await proxied();
      const watches = Array.from({ length: 20 }, () => run(client));
      await until(() => watches.every(({ parts }) => parts.length === 2));

      proxy.cut();

      await until(() => watches.every(({ error }) => isRxInformersError(error, 'RXI_CONNECTION')));
      expect(watches.some(({ isComplete }) => isComplete)).toBe(false);
    });

    it('in the middle of a response is an RXI_CONNECTION, never a shorter response', async () => {
      answer = (stream) => {
        stream.respond({ ':status': 200 });
        stream.end(Buffer.alloc(500_000));
      };
      const { proxy, client } = await proxied();
      await list(client);
      for (const bytes of [100, 1_000, 50_000, 300_000]) {
        proxy.truncateAfter(bytes);
        const listing = run(client, { method: 'POST', path: '/api/v1/pods', body: '{}' });
        await until(() => listing.error !== undefined || listing.isComplete === true);
        expect(listing.error).toEqual(errorWith('RXI_CONNECTION'));
        proxy.truncateAfter(Infinity);
      }
    });
  });

  describe('a response', () => {
    it('is not affected by early hints and trailers', async () => {
      answer = (stream) => {
        stream.additionalHeaders({ ':status': 103, link: '</>' });
        stream.respond({ ':status': 200, 'x-test': 'yes' }, { waitForTrailers: true });
        stream.once('wantTrailers', () => stream.sendTrailers({ 'x-checksum': '1' }));
        stream.end('{}');
      };

      const { status, headers, body, types } = await list(clientOf());

      expect({ status, body, types }).toEqual({ status: 200, body: '{}', types: ['head', 'bytes'] });
      expect(headers['x-test']).toBe('yes');
      expect(Object.keys(headers).filter((name) => name.startsWith(':'))).toEqual([]);
    });

    it('of a server that does not speak HTTP/2 is an RXI_CONNECTION', async () => {
      const other = createTlsServer({ ...(await serverCertificate()), ALPNProtocols: ['h2'] }, (socket) => {
        socket.on('error', () => undefined);
        socket.end('SSH-2.0-OpenSSH_9.6\r\n');
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const client = clientOf(`https://127.0.0.1:${(other.address() as AddressInfo).port}`);

      expect(await failureOf(client.exchange(listPods), 'RXI_CONNECTION')).toEqual(errorWith('RXI_CONNECTION'));
      other.close();
    });
  });

  describe('a request', () => {
    it('with an invalid header fails with an RXI_CREDENTIALS, and the connection stays open', async () => {
      const client = clientOf();
      const watching = run(client);
      await until(() => watching.parts.length === 2);

      for (const headers of [{ 'bad name': 'x' }, { accept: 'a\nb' }]) {
        await failureOf(client.exchange({ ...listPods, headers }), 'RXI_CREDENTIALS');
      }

      answer = ok;
      expect((await list(client)).status).toBe(200);
      expect(watching.error).toBeUndefined();
    });

    it('contains its host, user name and password', async () => {
      const received: unknown[] = [];
      answer = (stream, headers) => {
        received.push(headers[':authority'], headers.authorization, headers['user-agent']);
        ok(stream, headers);
      };

      await list(clientOf(server.url, { username: 'ada', password: 'p:w' }));

      expect(received).toEqual([`127.0.0.1:${server.port}`, `Basic ${base64('ada:p:w')}`, 'rx-informers']);
    });
  });

  describe('a server without HTTP/2', () => {
    it('is used over HTTP/1.1, which is detected once', async () => {
      const other = await startServer(json({}), await serverCertificate());
      const client = clientOf(other.url);

      await Promise.all([list(client), list(client)]);
      for (let round = 0; round < 3; round++) await list(client);

      expect(other.requests.length).toBe(5);
      // One to detect the protocol, and two for the concurrent lists.
      expect(other.accepted).toBe(3);
      await other.close();
    });

    it('is used over HTTP/1.1 without TLS', async () => {
      const other = await startServer(json({}));

      await list(clientOf(other.url));

      expect(other.accepted).toBe(1);
      await other.close();
    });
  });
});
