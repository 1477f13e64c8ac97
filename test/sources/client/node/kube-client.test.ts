import { jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type KubeClient } from 'rx-informers';
import { kubeClient, type KubeClientOptions, type NodeKubeClient } from 'rx-informers/node';
import { bundledProgram } from '../../../support/bundled-program.js';
import { errorWith } from '../../../support/error-with.js';
import { until } from '../../../support/until.js';
import { kubeClients } from '../conformance.js';
import { answerOf, failureOf, listPods } from '../exchanges.js';
import { kubeConfigOf } from '../kube-config.js';
import { json, startServer, type Answer, type TestServer } from '../test-server.js';

describe('kubeClient', () => {
  let server: TestServer;
  let answer: Answer;

  beforeEach(async () => {
    answer = json({ kind: 'PodList' });
    server = await startServer((request, response) => {
      answer(request, response);
    });
  });
  afterEach(() => server.close());

  const clientOf = (options?: KubeClientOptions): NodeKubeClient =>
    kubeClient(kubeConfigOf({ server: server.url }), options);

  describe('connections', () => {
    it('are one for twenty lists, without accumulating listeners', async () => {
      const keptAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
      const client = clientOf();
      const listeners = async (): Promise<number[]> => {
        await answerOf(client.exchange(listPods));
        const [socket] = keptAlive.mock.contexts as Socket[];
        await until(() => socket!.listenerCount('free') === 1);
        return socket!.eventNames().map((name) => socket!.listenerCount(name));
      };

      const afterOne = await listeners();
      for (let i = 0; i < 18; i++) await answerOf(client.exchange(listPods));

      expect(await listeners()).toEqual(afterOne);
      expect(new Set(keptAlive.mock.contexts).size).toBe(1);
      expect(server.requests.length).toBe(20);
      expect(server.accepted).toBe(1);
      keptAlive.mockRestore();
    });

    it('are as many as there are exchanges at the same time', async () => {
      answer = () => undefined;
      const client = clientOf();
      const subscriptions = Array.from({ length: 30 }, () => client.exchange(listPods).subscribe());

      await until(() => server.requests.length === 30);
      expect(server.open).toBe(30);

      for (const subscription of subscriptions) subscription.unsubscribe();
      await until(() => server.open === 0);
    });

    it('that the server closed while idle do not affect a GET', async () => {
      answer = ({ socket }, response) => {
        const isReused = server.requests.filter((request) => request.socket === socket).length > 1;
        if (isReused) socket.destroy();
        else response.end('{}');
      };
      const client = clientOf();

      await answerOf(client.exchange(listPods));
      expect((await answerOf(client.exchange(listPods))).body).toBe('{}');

      expect(server.accepted).toBe(2);
    });

    it('that break during a POST cause an error, because the POST may have been executed', async () => {
      const client = clientOf();
      await answerOf(client.exchange(listPods));
      answer = ({ socket }) => socket.destroy();

      const create = client.exchange({ method: 'POST', path: '/api/v1/pods', body: '{}' });

      await failureOf(create, 'RXI_CONNECTION');
      expect(server.requests.length).toBe(2);
    });

    it('are closed by close(), which fails exchanges in progress, and opened again on demand', async () => {
      const client = clientOf();
      await answerOf(client.exchange(listPods));
      answer = () => undefined;
      const failure = failureOf(client.exchange(listPods), 'RXI_CONNECTION');
      await until(() => server.requests.length === 2);

      client.close();

      await failure;
      await until(() => server.open === 0);
      answer = json({});
      expect((await answerOf(client.exchange(listPods))).status).toBe(200);
    });

    it('do not keep a process alive while idle', async () => {
      const script = bundledProgram('test/sources/client/node/list-once.ts');
      const child = spawn(process.execPath, [script, server.url], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });

      const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);

      expect(output).toBe('200\n');
      expect(child.exitCode).toBe(0);
    }, 30_000);
  });

  it('sends its name and version as User-Agent', async () => {
    await answerOf(clientOf().exchange(listPods));
    await answerOf(clientOf({ userAgent: 'my-controller/1.0' }).exchange(listPods));

    expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual(['rx-informers', 'my-controller/1.0']);
  });

  it('does not follow a redirect, and reports its target', async () => {
    answer = (_, response) => response.writeHead(302, { location: 'https://login.example.com/' }).end();

    await expect(answerOf(clientOf().exchange(listPods))).rejects.toThrow(
      'GET /api/v1/pods: 302: the API server redirects to https://login.example.com/, which is not followed; check its address',
    );
  });
});

describe.each(kubeClients)('$name: the response body', ({ connect, serve }) => {
  let server: TestServer;
  let answer: Answer;

  beforeEach(async () => {
    server = await serve((request, response) => {
      answer(request, response);
    });
  });
  afterEach(() => server.close());

  const clientOf = (options?: KubeClientOptions): KubeClient => connect(server.url, options);

  describe('a chunked response', () => {
    it('is emitted once per read, not once per chunk: a watch has a chunk for each event', async () => {
      const lines = Array.from({ length: 1_000 }, (_, line) => `${'x'.repeat(100)} ${line}\n`);
      answer = (_request, response) => {
        for (const line of lines) response.write(line);
        response.end();
      };
      const { body, types } = await answerOf(clientOf().exchange(listPods));
      expect(body).toBe(lines.join(''));
      expect(types.length).toBeLessThan(lines.length / 5);
    });
  });

  describe('compression', () => {
    const list = JSON.stringify({
      kind: 'PodList',
      items: Array.from({ length: 20_000 }, (_, i) => ({ name: `pod-${i}` })),
    });

    it('is requested and decoded for a list', async () => {
      answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(list));

      const { body } = await answerOf(clientOf().exchange(listPods));

      expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
      expect(body).toBe(list);
    });

    it('is requested for a watch too, where a server may flush each event', async () => {
      await answerOf(clientOf().exchange({ ...listPods, query: { watch: true } }));

      expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip');
    });

    it('is not requested if it is switched off, nor for a write', async () => {
      await answerOf(clientOf({ gzip: false }).exchange(listPods));
      await answerOf(clientOf().exchange({ ...listPods, method: 'POST', body: '{}' }));

      expect(server.requests.map(({ headers }) => headers['accept-encoding'])).toEqual([undefined, undefined]);
    });

    it('is decoded for an error response', async () => {
      const body = gzipSync('{"kind":"Status","reason":"Forbidden"}');
      answer = (_, response) => response.writeHead(403, { 'content-encoding': 'gzip' }).end(body);

      expect((await failureOf(clientOf().exchange(listPods), 'RXI_STATUS')).reason).toBe('Forbidden');
    });

    it.each([
      ['corrupt', Buffer.concat([gzipSync(list).subarray(0, 1000), Buffer.alloc(1000)])],
      ['truncated', gzipSync(list).subarray(0, -1000)],
      ['truncated in its second member', Buffer.concat([gzipSync('{}'), gzipSync(list).subarray(0, -1000)])],
      ['missing', Buffer.from(list)],
    ])('that is %s causes an RXI_CONNECTION', async (_, body) => {
      answer = (__, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);

      expect(await failureOf(clientOf().exchange(listPods), 'RXI_CONNECTION')).toEqual(errorWith('RXI_CONNECTION'));
    });

    it('of a body that breaks off causes an RXI_CONNECTION', async () => {
      answer = (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(gzipSync(list).subarray(0, 1000), () => response.destroy());
      };

      expect(await failureOf(clientOf().exchange(listPods), 'RXI_CONNECTION')).toEqual(errorWith('RXI_CONNECTION'));
    });

    it('G8: is stopped by unsubscribing, and the request is aborted', async () => {
      answer = (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(gzipSync(list).subarray(0, -10));
      };
      let received = 0;
      const subscription = clientOf()
        .exchange(listPods)
        .subscribe((part) => (received += part.type === 'bytes' ? part.bytes.length : 0));
      await until(() => received > 0);

      subscription.unsubscribe();
      const atThatTime = received;

      await until(() => server.requests[0]?.hasGivenUp() === true);
      expect(received).toBe(atThatTime);
    });
  });
});
