import type { RequestOptions } from 'node:https';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { kubeClient, kubeCredentials, type KubeConfigLike } from 'rx-informers/node';
import {
  ConnectionError,
  CredentialsError,
  informer,
  InvalidOptionError,
  listWatch,
  pods,
  type InformerError,
} from 'rx-informers';
import { VirtualTimeScheduler, type Subscription } from 'rxjs';
import { answerOf, failureOf, listPods } from '../exchanges.js';
import { kubeConfigOf } from '../kube-config.js';
import { json, startServer, type TestServer } from '../test-server.js';
import { base64, certificateAuthority, signedBy, type Certificate } from './certificates.js';
import { gatherChunks, type ChunkGatherer } from '../../../../src/sources/client/node/http-exchange.js';

describe('kubeClient over TLS', () => {
  let ca: Certificate;
  let server: TestServer;

  async function serve(certificate: Certificate): Promise<TestServer> {
    server = await startServer(json({}), { ...certificate, ca: ca.cert, requestCert: true, rejectUnauthorized: false });
    return server;
  }

  beforeAll(async () => {
    ca = await certificateAuthority();
  });
  afterEach(() => server.close());

  it('believes a server that the CA of the cluster has signed', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }));

    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
  });

  it('does not believe a server that another CA has signed', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const other = await certificateAuthority('other-ca');

    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(other.cert) }, { token: 'secret' }));

    expect((await failureOf(client.exchange(listPods), ConnectionError)).causeCode).toBe('SELF_SIGNED_CERT_IN_CHAIN');
    expect(server.requests).toEqual([]);
  });

  it('does not believe a certificate that has expired', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1', new Date('2020-01-01')));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }));

    expect((await failureOf(client.exchange(listPods), ConnectionError)).causeCode).toBe('CERT_HAS_EXPIRED');
  });

  it('does not believe a server that goes by another name, unless the cluster says which', async () => {
    const { url } = await serve(await signedBy(ca, 'kubernetes.test'));
    const cluster = { server: url, caData: base64(ca.cert) };

    const error = await failureOf(kubeClient(kubeConfigOf(cluster)).exchange(listPods), ConnectionError);
    const renamed = kubeClient(kubeConfigOf({ ...cluster, tlsServerName: 'kubernetes.test' }));

    expect(error.causeCode).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect((await answerOf(renamed.exchange(listPods))).status).toBe(200);
  });

  it('believes any server where the cluster says so', async () => {
    const { url } = await serve(await signedBy(ca, 'elsewhere.test'));
    const client = kubeClient(kubeConfigOf({ server: url, skipTLSVerify: true }));

    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
  });

  it('knows the CA of the cluster where the context has no user', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const kubeConfig = kubeConfigOf({ server: url, caData: base64(ca.cert) });
    kubeConfig.users = [];

    expect((await answerOf(kubeClient(kubeConfig).exchange(listPods))).status).toBe(200);
  });

  it('shows the client certificate of the user, and a new one as soon as there is one', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const user = async (name: string): Promise<{ certData: string; keyData: string }> => {
      const { cert, key } = await signedBy(ca, name);
      return { certData: base64(cert), keyData: base64(key) };
    };
    const kubeConfig = kubeConfigOf({ server: url, caData: base64(ca.cert) }, await user('ada'));
    const client = kubeClient(kubeConfig);

    await answerOf(client.exchange(listPods));
    await answerOf(client.exchange(listPods));
    kubeConfig.users = [{ name: 'tester', ...(await user('grace')) }];
    await answerOf(client.exchange(listPods));

    expect(server.requests.map(({ clientName }) => clientName)).toEqual(['ada', 'ada', 'grace']);
    expect(server.accepted).toBe(2);
  });

  it('shakes hands once for twenty lists', async () => {
    const { url } = await serve(await signedBy(ca, '127.0.0.1'));
    const client = kubeClient(kubeConfigOf({ server: url, caData: base64(ca.cert) }, { token: 'secret' }));

    for (let i = 0; i < 20; i++) await answerOf(client.exchange(listPods));

    expect(server.requests.length).toBe(20);
    expect(server.accepted).toBe(1);
  });
});

describe('a credential read that never settles', () => {
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

  it('fails after 30 seconds with a CredentialsError that says what hangs, and the next request reads again', async () => {
    const client = kubeClient(hangs(1), { scheduler });

    const failure = failureOf(client.exchange(listPods), CredentialsError);
    scheduler.flush();

    expect((await failure).message).toBe(
      'GET /api/v1/pods?limit=500: cannot read the credentials: exec plugin "aws" of user "ada" has not answered for 30000 ms',
    );
    expect(scheduler.frame).toBe(30_000);
    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer 2']);
  });

  it('fails all requests that wait for it at once, also those that came late', async () => {
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

  it('is not shared with the request that follows one that was given up, even while another one still waits', async () => {
    const client = kubeClient(hangs(1), { scheduler });
    const waiting = failureOf(client.exchange(listPods), CredentialsError);
    client.exchange(listPods).subscribe().unsubscribe();

    expect((await answerOf(client.exchange(listPods))).status).toBe(200);
    expect(reads).toBe(2);
    scheduler.flush();
    await waiting;
  });

  it('G8: leaves no timer behind when its last request is unsubscribed from', () => {
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

    expect(errors.map(({ name }) => name)).toEqual(['CredentialsError']);
    expect(reads).toBe(2);
    podInformer.stop();
  });

  it('rejects kubeCredentials too, and the next call reads again', async () => {
    const read = kubeCredentials(hangs(1), { scheduler, credentialsTimeout: 5_000 });

    const rejected = read();
    scheduler.flush();

    await expect(rejected).rejects.toThrow('exec plugin "aws" of user "ada" has not answered for 5000 ms');
    expect((await read()).options.headers).toEqual({ authorization: 'Bearer 2' });
  });

  it.each([0, -1, NaN, 2 ** 31])(
    'is not limited by %d ms, which no timer can wait for: InvalidOptionError',
    (timeout) => {
      expect(() => kubeClient(hangs(0), { credentialsTimeout: timeout })).toThrow(InvalidOptionError);
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

  const texts = (): string[] => delivered.map((piece) => new TextDecoder().decode(piece));

  beforeEach(() => {
    delivered = [];
    gatherer = gatherChunks((piece) => delivered.push(piece));
  });

  it('hands over as one what comes in one turn of the event loop', async () => {
    for (const text of ['a', 'bc', 'd']) gatherer.add(bytes(text));
    expect(texts()).toEqual([]);
    await turnOfTheLoop();
    gatherer.add(bytes('e'));
    await turnOfTheLoop();
    expect(texts()).toEqual(['abcd', 'e']);
  });

  it('hands over a chunk that comes alone as it is', async () => {
    const chunk = bytes('alone');
    gatherer.add(chunk);
    await turnOfTheLoop();
    expect(delivered).toEqual([chunk]);
    expect(delivered[0]).toBe(chunk);
  });

  it('G11: holds no more than 256 KiB back', () => {
    const chunk = new Uint8Array(30 * 1024);
    for (let count = 0; count < 20; count++) gatherer.add(chunk);
    expect(delivered.map(({ length }) => length / 1024)).toEqual([270, 270]);
  });

  it('hands over a large chunk at once, unless it follows what is held', async () => {
    const chunk = new Uint8Array(32 * 1024);
    gatherer.add(chunk);
    expect(delivered).toEqual([chunk]);
    expect(delivered[0]).toBe(chunk);
    gatherer.add(bytes('small'));
    gatherer.add(chunk);
    await turnOfTheLoop();
    expect(delivered.map(({ length }) => length)).toEqual([32 * 1024, 32 * 1024 + 5]);
  });

  it('hands over at once what it holds when asked to, and not again', async () => {
    gatherer.flush();
    gatherer.add(bytes('a'));
    gatherer.flush();
    expect(texts()).toEqual(['a']);
    await turnOfTheLoop();
    expect(texts()).toEqual(['a']);
  });

  it('G8: forgets what it holds, and can be used again', async () => {
    gatherer.add(bytes('a'));
    gatherer.clear();
    await turnOfTheLoop();
    expect(texts()).toEqual([]);
    gatherer.add(bytes('b'));
    await turnOfTheLoop();
    expect(texts()).toEqual(['b']);
  });

  it('keeps apart what comes while it hands over', () => {
    const order: string[] = [];
    const nested = gatherChunks((piece) => {
      order.push(new TextDecoder().decode(piece));
      if (order.length === 1) nested.add(bytes('later'));
    });
    nested.add(bytes('first'));
    nested.flush();
    expect(order).toEqual(['first']);
    nested.flush();
    expect(order).toEqual(['first', 'later']);
  });

  it('lends what it joins, and lends something else to a nested delivery', () => {
    const read: string[] = [];
    const readNow = (piece: Uint8Array): number => read.push(new TextDecoder().decode(piece));
    const inner = gatherChunks(readNow);
    const outer = gatherChunks((piece) => {
      for (const text of ['inner', ' bytes']) inner.add(bytes(text));
      inner.flush();
      readNow(piece);
    });
    for (const text of ['outer', ' bytes']) outer.add(bytes(text));
    outer.flush();
    expect(read).toEqual(['inner bytes', 'outer bytes']);
  });
});
