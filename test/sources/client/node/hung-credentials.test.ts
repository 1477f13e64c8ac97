import type { RequestOptions } from 'node:https';
import { VirtualTimeScheduler, type Subscription } from 'rxjs';
import { CredentialsError, informer, InvalidOptionError, listWatch, pods, type InformerError } from 'rx-informers';
import { kubeClient, kubeCredentials, type KubeConfigLike } from 'rx-informers/node';
import { answerOf, failureOf, listPods } from '../exchanges.js';
import { json, startServer, type TestServer } from '../test-server.js';

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
