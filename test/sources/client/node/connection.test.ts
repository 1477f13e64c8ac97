import type { RequestOptions } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { informer, type InformerError, listWatch, pods } from 'rx-informers';
import { kubeClient, type KubeConfigLike, kubeCredentials } from 'rx-informers/node';
import { virtualClock } from 'rx-informers/testing';
import { type Subscription, VirtualTimeScheduler } from 'rxjs';
import { type ChunkGatherer, gatherChunks } from '../../../../src/sources/client/node/gather-chunks.js';
import { errorWith } from '../../../support/error-with.js';
import { until } from '../../../support/until.js';
import { answerOf, failureOf, listPods } from '../exchanges.js';
import { kubeConfigOf } from '../kube-config.js';
import { json, startServer, type TestServer } from '../test-server.js';
import { base64, type Certificate, certificateAuthority, signedBy } from './certificates.js';

describe.each([
  ['HTTP/1.1', {}],
  ['HTTP/2', { http2: true }],
])('kubeClient over TLS, with %s', (_, protocol) => {
  let ca: Certificate;
  let server: TestServer;

  async function serve(certificate: Certificate): Promise<TestServer> {
    server = await startServer(json({}), {
      ...protocol,
      ...certificate,
      ca: ca.cert,
      requestCert: true,
      rejectUnauthorized: false,
    });
    return server;
  }

  beforeAll(async () => {
    ca = await certificateAuthority();
  });
  afterEach(() => server.close());

  it('trusts a server that the CA of the cluster has signed', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }), protocol);

    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
  });

  it('does not trust a server that another CA has signed', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const other = await certificateAuthority('other-ca');

    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(other.cert) }, { token: 'secret' }), protocol);

    expect((await failureOf(client.exchange(listPods), 'RXI_CONNECTION')).causeCode).toBe('SELF_SIGNED_CERT_IN_CHAIN');
    expect(server.requests).toEqual([]);
  });

  it('does not trust an expired certificate', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1', new Date('2020-01-01')));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }), protocol);

    expect((await failureOf(client.exchange(listPods), 'RXI_CONNECTION')).causeCode).toBe('CERT_HAS_EXPIRED');
  });

  it('does not trust a server with another name, unless the cluster configuration names it', async () => {
    const { url } = await serve(await signedBy(ca, 'kubernetes.test'));
    const cluster = { server: url, caData: base64(ca.cert) };

    const error = await failureOf(kubeClient(kubeConfigOf(cluster), protocol).exchange(listPods), 'RXI_CONNECTION');
    const renamed = kubeClient(kubeConfigOf({ ...cluster, tlsServerName: 'kubernetes.test' }), protocol);

    expect(error.causeCode).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect((await answerOf(renamed.exchange(listPods))).status).toBe(200);
  });

  it('trusts any server if the cluster configuration says so', async () => {
    const { url } = await serve(await signedBy(ca, 'elsewhere.test'));
    const client = kubeClient(kubeConfigOf({ server: url, skipTLSVerify: true }), protocol);

    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
  });

  it('knows the CA of the cluster even if the context has no user', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const kubeConfig = kubeConfigOf({ server: url, caData: base64(ca.cert) });
    kubeConfig.users = [];

    expect((await answerOf(kubeClient(kubeConfig, protocol).exchange(listPods))).status).toBe(200);
  });

  it('sends the client certificate of the user, and a new one as soon as it is rotated', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const user = async (name: string): Promise<{ certData: string; keyData: string }> => {
      const { cert, key } = await signedBy(ca, name);
      return { certData: base64(cert), keyData: base64(key) };
    };
    const kubeConfig = kubeConfigOf({ server: url, caData: base64(ca.cert) }, await user('ada'));
    const client = kubeClient(kubeConfig, protocol);

    await answerOf(client.exchange(listPods));
    await answerOf(client.exchange(listPods));
    kubeConfig.users = [{ name: 'tester', ...(await user('grace')) }];
    await answerOf(client.exchange(listPods));

    expect(server.requests.map(({ clientName }) => clientName)).toEqual(['ada', 'ada', 'grace']);
    expect(server.accepted).toBe(2);
  });

  it('makes one TLS handshake for twenty lists', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }, { token: 'secret' }), protocol);

    for (let i = 0; i < 20; i++) await answerOf(client.exchange(listPods));

    expect(server.requests.length).toBe(20);
    expect(server.accepted).toBe(1);
  });
});

describe('opening a connection over HTTP/1.1', () => {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const { close } of open.splice(0)) await close();
  });

  /** Starts a server that accepts connections, and never sends a byte. */
  async function silentServer(): Promise<{ readonly port: number; readonly accepted: () => number }> {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({
      close: () => {
        server.close();
        for (const socket of sockets) socket.destroy();
      },
    });
    return { port: (server.address() as AddressInfo).port, accepted: () => sockets.length };
  }

  it('G6: fails after 10 seconds, TLS included, with an RXI_CONNECTION', async () => {
    const { port, accepted } = await silentServer();
    const clock = virtualClock();
    const client = kubeClient(kubeConfigOf({ server: `https://127.0.0.1:${port}` }), { scheduler: clock });
    const failure = failureOf(client.exchange(listPods), 'RXI_CONNECTION');
    await until(() => accepted() === 1);

    clock.advance(9_999);
    expect(clock.timers).toBe(1);
    clock.advance(1);

    expect(await failure).toMatchObject({ causeCode: 'ETIMEDOUT' });
    expect((await failure).message).toContain('no connection within 10000 ms');
    expect(clock.timers).toBe(0);
  });

  it.each([
    ['with TLS', true],
    ['without TLS', false],
  ])('%s, and reusing it, does not limit the time of a response', async (_, isSecure) => {
    const answers: (() => void)[] = [];
    const ca = await certificateAuthority();
    const server = await startServer(
      (request, response) => answers.push(() => json({})(request, response)),
      isSecure ? await signedBy(ca, '127.0.0.1') : undefined,
    );
    open.push(server);
    const clock = virtualClock();
    const client = kubeClient(kubeConfigOf({ server: server.url, skipTLSVerify: true }), { scheduler: clock });
    open.push(client);

    for (const count of [1, 2]) {
      const answered = answerOf(client.exchange(listPods));
      await until(() => answers.length === count);
      clock.advance(60_000);
      answers[count - 1]?.();
      expect((await answered).status).toBe(200);
    }
    expect(server.accepted).toBe(1);
  });

  it('G8: leaves no timer when its request is unsubscribed from', async () => {
    const { port, accepted } = await silentServer();
    const clock = virtualClock();
    const client = kubeClient(kubeConfigOf({ server: `https://127.0.0.1:${port}` }), { scheduler: clock });
    const subscription = client.exchange(listPods).subscribe();
    await until(() => accepted() === 1);

    subscription.unsubscribe();

    expect(clock.timers).toBe(0);
  });
});

describe('a response with status 101', () => {
  it.each([
    ['and the headers of an upgrade', 'upgrade: websocket\r\nconnection: upgrade\r\n'],
    ['without headers', ''],
  ])('%s is an RXI_RESPONSE at once, because no list or watch asks for another protocol', async (_, headers) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const error = await failureOf(kubeClient(kubeConfigOf({ server: url })).exchange(listPods), 'RXI_RESPONSE');

    expect(error.message).toContain('101: the API server switches to another protocol');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('reading credentials that never settles', () => {
  let server: TestServer;
  let scheduler: VirtualTimeScheduler;
  let reads: number;

  beforeEach(async () => {
    server = await startServer(json({}));
    scheduler = new VirtualTimeScheduler();
    reads = 0;
  });
  afterEach(() => server.close());

  /** A kubeconfig whose first `hanging` reads never settle. */
  function hangs(hanging: number): KubeConfigLike {
    return {
      getCurrentCluster: () => ({ server: server.url, skipTLSVerify: true }),
      getCurrentUser: () => ({ name: 'ada', exec: { command: 'aws' } }),
      applyToHTTPSOptions: (options: RequestOptions) => {
        reads += 1;
        options.headers = { Authorization: `Bearer ${reads}` };
        return reads <= hanging ? new Promise(() => undefined) : Promise.resolve();
      },
    };
  }

  it('fails after 30 seconds with an RXI_CREDENTIALS that names the cause, and the next request reads again', async () => {
    const client = kubeClient(hangs(1), { scheduler });

    const failure = failureOf(client.exchange(listPods), 'RXI_CREDENTIALS');
    scheduler.flush();

    expect((await failure).message).toBe(
      'GET /api/v1/pods: cannot read the credentials: exec plugin "aws" of user "ada" has not answered for 30000 ms',
    );
    expect(scheduler.frame).toBe(30_000);
    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer 2']);
  });

  it('fails all requests that wait for it at once, including late ones', async () => {
    const client = kubeClient(hangs(1), { scheduler, credentialsTimeout: 100 });

    const failed: number[] = [];
    const exchange = (): Subscription =>
      client.exchange(listPods).subscribe({ error: () => failed.push(scheduler.frame) });
    exchange();
    scheduler.schedule(exchange, 99);
    scheduler.flush();

    expect(failed).toEqual([100, 100]);
    expect(reads).toBe(1);
  });

  it('is not shared with a request that follows an aborted one, even while another one still waits', async () => {
    const client = kubeClient(hangs(1), { scheduler });
    const waiting = failureOf(client.exchange(listPods), 'RXI_CREDENTIALS');
    client.exchange(listPods).subscribe().unsubscribe();

    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
    expect(reads).toBe(2);
    scheduler.flush();
    await waiting;
  });

  it('G8: leaves no timer when its last request is unsubscribed from', () => {
    const client = kubeClient(hangs(1), { scheduler });

    client.exchange(listPods).subscribe().unsubscribe();
    scheduler.flush();

    expect(scheduler.frame).toBe(0);
  });

  it('G5: does not stop an informer, which reports it and tries again', async () => {
    const client = kubeClient(hangs(2), { scheduler });
    const podInformer = informer(listWatch(client, pods, { scheduler, random: () => 0 }), { scheduler });
    const errors: InformerError[] = [];
    podInformer.errors$.subscribe((error) => errors.push(error));
    podInformer.connect();

    scheduler.maxFrames = 40_000;
    scheduler.flush();

    expect(errors.map(({ name }) => name)).toEqual(['RXI_CREDENTIALS']);
    expect(reads).toBe(2);
    podInformer.stop();
  });

  it('also rejects kubeCredentials, and the next call reads again', async () => {
    const read = kubeCredentials(hangs(1), { scheduler, credentialsTimeout: 5_000 });

    const rejected = read();
    scheduler.flush();

    await expect(rejected).rejects.toThrow('exec plugin "aws" of user "ada" has not answered for 5000 ms');
    expect((await read()).options.headers).toEqual({ authorization: 'Bearer 2' });
  });

  it.each([0, -1, NaN, 2 ** 31])(
    'cannot have a limit of %d ms, which is longer than any timer: RXI_INVALID_OPTION',
    (timeout) => {
      expect(() => kubeClient(hangs(0), { credentialsTimeout: timeout })).toThrow(errorWith('RXI_INVALID_OPTION'));
    },
  );
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('gatherChunks', () => {
  let delivered: Uint8Array[];
  let gatherer: ChunkGatherer;
  afterEach(() => {
    gatherer.clear();
  });

  /** Read on delivery: a joined piece is lent. */
  let read: string[];
  const texts = (): readonly string[] => read;

  beforeEach(() => {
    delivered = [];
    read = [];
    gatherer = gatherChunks((piece) => {
      delivered.push(piece);
      read.push(new TextDecoder().decode(piece));
    });
  });

  it('G6: delivers the first chunk of an idle connection in the same turn of the event loop, unchanged', () => {
    const chunk = bytes('alone');
    gatherer.add(chunk);
    expect(delivered).toEqual([chunk]);
    expect(delivered[0]).toBe(chunk);
  });

  it('delivers each chunk at once if each arrives in its own turn', async () => {
    for (const text of ['a', 'b', 'c']) {
      gatherer.add(bytes(text));
      expect(texts().at(-1)).toBe(text);
      await turnOfTheLoop();
    }
    expect(texts()).toEqual(['a', 'b', 'c']);
  });

  it('joins the chunks that follow the first one in the same turn', async () => {
    for (const text of ['a', 'bc', 'd']) gatherer.add(bytes(text));
    expect(texts()).toEqual(['a']);
    await turnOfTheLoop();
    expect(texts()).toEqual(['a', 'bcd']);
  });

  it('joins all chunks of a turn that follows a busy one', async () => {
    for (const text of ['a', 'b', 'c']) gatherer.add(bytes(text));
    await turnOfTheLoop();
    for (const text of ['d', 'e', 'f']) gatherer.add(bytes(text));
    await turnOfTheLoop();
    expect(texts()).toEqual(['a', 'bc', 'def']);
  });

  it('delivers at once again after an idle turn', async () => {
    for (const text of ['a', 'b']) gatherer.add(bytes(text));
    await turnOfTheLoop();
    await turnOfTheLoop();
    gatherer.add(bytes('c'));
    expect(texts()).toEqual(['a', 'b', 'c']);
  });

  it('delivers a thousand chunks of busy turns in little more than one piece per turn', async () => {
    for (let turn = 0; turn < 20; turn++) {
      for (let count = 0; count < 50; count++) gatherer.add(bytes('x'));
      await turnOfTheLoop();
    }
    expect(texts().join('')).toHaveLength(1000);
    expect(delivered).toHaveLength(21);
  });

  it('G11: holds no more than 256 KiB back', () => {
    const chunk = new Uint8Array(30 * 1024);
    for (let count = 0; count < 19; count++) gatherer.add(chunk);
    expect(delivered.map(({ length }) => length / 1024)).toEqual([30, 270, 270]);
  });

  it('delivers a large chunk at once, unless earlier chunks are held back', async () => {
    const chunk = new Uint8Array(32 * 1024);
    gatherer.add(chunk);
    gatherer.add(chunk);
    expect(delivered).toEqual([chunk, chunk]);
    expect(delivered[1]).toBe(chunk);
    gatherer.add(bytes('small'));
    gatherer.add(chunk);
    await turnOfTheLoop();
    expect(delivered.map(({ length }) => length)).toEqual([32 * 1024, 32 * 1024, 32 * 1024 + 5]);
  });

  it('delivers the held chunks at once on flush, and only once', async () => {
    gatherer.flush();
    gatherer.add(bytes('a'));
    gatherer.add(bytes('b'));
    gatherer.flush();
    expect(texts()).toEqual(['a', 'b']);
    await turnOfTheLoop();
    expect(texts()).toEqual(['a', 'b']);
  });

  it('G8: drops the held chunks when it is cleared, and can be used again', async () => {
    gatherer.add(bytes('a'));
    gatherer.add(bytes('b'));
    gatherer.clear();
    await turnOfTheLoop();
    expect(texts()).toEqual(['a']);
    gatherer.add(bytes('c'));
    expect(texts()).toEqual(['a', 'c']);
  });

  it('keeps chunks that arrive during a delivery separate', () => {
    const order: string[] = [];
    const nested = gatherChunks((piece) => {
      order.push(new TextDecoder().decode(piece));
      if (order.length === 1) nested.add(bytes('later'));
    });
    nested.add(bytes('first'));
    expect(order).toEqual(['first']);
    nested.flush();
    expect(order).toEqual(['first', 'later']);
  });

  it('reuses its buffer for joined chunks, and another buffer for a nested delivery', () => {
    const readNow = (piece: Uint8Array): number => read.push(new TextDecoder().decode(piece));
    const inner = gatherChunks(readNow);
    const outer = gatherChunks((piece) => {
      for (const text of ['inner', ' by', 'tes']) inner.add(bytes(text));
      inner.flush();
      inner.clear();
      readNow(piece);
    });
    for (const text of ['first', 'outer', ' bytes']) outer.add(bytes(text));
    outer.flush();
    outer.clear();
    expect(read).toEqual(['inner', ' bytes', 'first', 'inner', ' bytes', 'outer bytes']);
  });
});
