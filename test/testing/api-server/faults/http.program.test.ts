import { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'node:http';
import { configMaps, informer, listWatch, type ConfigMap, type Informer, type KubeClient } from 'rx-informers';
import { exponentialBackoff } from 'rx-informers/client';
import { kubeClient } from 'rx-informers/node';
import {
  aConfigMap,
  createApiServer,
  randomFromSeed,
  type ApiServer,
  type ApiServerOptions,
  type ServerFault,
  serverFaults,
} from 'rx-informers/testing';
import { filter, firstValueFrom, lastValueFrom, Subscription, tap, timeout } from 'rxjs';
import { requestJson } from '../../../../src/sources/client/kube-client.js';
import { timeouts } from '../../../../src/sources/reflector/alarm.js';
import { seedOf } from '../../../support/seed.js';

/** For a busy machine. */
const patience = 60_000;

Object.assign(timeouts, { open: 500, bookmark: 500 } satisfies typeof timeouts);

const path = '/api/v1/namespaces/default/configmaps';
const config = (number: number, text: string): ConfigMap =>
  aConfigMap({ name: `c${number}`, data: { text, umlaut: 'äöü' } });

function clientOf(server: ApiServer): KubeClient {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(JSON.stringify(server.kubeConfigObject()));
  return kubeClient(kubeConfig, { http2: server.url.startsWith('https:') });
}

/** An impatient informer: what it gives up too early it tries again. */
function follow(server: ApiServer, initialList: 'stream' | 'pages'): Informer<ConfigMap> {
  return informer(
    listWatch(clientOf(server), configMaps, {
      initialList,
      watchTimeout: [1, 1],
      grace: 200,
      listSilence: 500,
      backoff: exponentialBackoff({ initial: 10, cap: 100 }),
    }),
    { onUnobservedError: () => {} },
  );
}

/** Resolves when the informer has the content of the server. */
async function converged(server: ApiServer, configs: Informer<ConfigMap>): Promise<void> {
  const versions = (objects: readonly ConfigMap[]): string =>
    objects
      .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
      .sort()
      .join(' ');
  const isSame = (objects: readonly ConfigMap[]): boolean =>
    versions(objects) === versions(server.objects.list(configMaps));
  await firstValueFrom(configs.list$().pipe(filter(isSame), timeout(30_000)));
}

async function startServer(options?: ApiServerOptions): Promise<ApiServer> {
  const server = await createApiServer(options);
  for (let number = 0; number < 10; number += 1) server.apply(config(number, 'first'));
  return server;
}

describe.each([
  ['HTTP/1.1', {}],
  ['HTTP/2', { http2: true }],
])('the embedded API server with a fault, over %s', (_protocol, options) => {
  let server: ApiServer;
  let running: Subscription;
  beforeEach(async () => {
    running = new Subscription();
    server = await startServer(options);
  });
  afterEach(() => {
    running.unsubscribe();
    return server.close();
  });

  it.each<readonly [string, 'stream' | 'pages', () => ServerFault]>([
    ['drop', 'stream', () => serverFaults.drop(700)],
    ['drop', 'pages', () => serverFaults.drop(700)],
    ['stall', 'stream', () => serverFaults.stall()],
    ['stall', 'pages', () => serverFaults.stall({ afterBytes: 300 })],
    ['stall after events', 'stream', () => serverFaults.stall({ afterEvents: 3 })],
    ['reset', 'stream', () => serverFaults.reset(500)],
    ['reset', 'pages', () => serverFaults.reset()],
    ['refuse', 'stream', () => serverFaults.refuse()],
    ['refuse', 'pages', () => serverFaults.refuse()],
    ['delay', 'pages', () => serverFaults.delay(100)],
    ['respond 429', 'stream', () => serverFaults.respond(429, { retryAfter: 0 })],
    ['respond 500', 'pages', () => serverFaults.respond(500)],
    ['respond 503', 'stream', () => serverFaults.respond(503)],
    ['respond 504', 'pages', () => serverFaults.respond(504)],
    ['expire', 'stream', () => serverFaults.expire({ afterEvents: 2 })],
    ['expire as HTTP', 'pages', () => serverFaults.expire({ as: 'http' })],
    ['truncate', 'stream', () => serverFaults.truncate({ afterEvents: 2 })],
    ['truncate', 'pages', () => serverFaults.truncate()],
    ['garble', 'stream', () => serverFaults.garble({ afterEvents: 2 })],
    ['garble', 'pages', () => serverFaults.garble()],
    ['duplicate', 'stream', () => serverFaults.duplicate()],
    ['drip', 'stream', () => serverFaults.drip(500, 1)],
    ['drip', 'pages', () => serverFaults.drip(500, 1)],
    ['restart', 'stream', () => serverFaults.restart()],
    ['restart with a compacted history', 'pages', () => serverFaults.restart({ compact: true })],
  ])(
    'G5, G7: an informer recovers from %s (list by %s) and converges',
    async (_name, initialList, make) => {
      server.faults.next('any', make(), { times: 2 });
      const configs = follow(server, initialList);
      running.add(configs.connect());
      await configs.whenSynced();
      server.faults.next('watch', make());
      server.restart();
      server.remove(configMaps, 'c3', 'default');
      server.compact();
      server.apply([config(1, 'second'), config(11, 'new')]);
      await converged(server, configs);
      expect(configs.has('default/c3')).toBe(false);
    },
    patience,
  );

  it(
    'G5: an informer converges after any faults',
    async () => {
      const random = randomFromSeed(seedOf('changes'));
      server.faults.always('any', serverFaults.random(seedOf('faults over HTTP')));
      const configs = follow(server, 'stream');
      running.add(configs.connect());
      let requests = 0;
      server.requests$.subscribe(() => {
        requests += 1;
        const number = Math.floor(random() * 12);
        if (random() < 0.3) server.remove(configMaps, `c${number}`, 'default');
        else server.apply(config(number, String(requests)));
      });
      await firstValueFrom(server.requests$.pipe(filter(() => requests >= 5)));
      server.faults.clear();
      server.restart();
      await converged(server, configs);
      expect(configs.hasSynced).toBe(true);
    },
    patience,
  );

  it('drop: sends exactly the given number of bytes, and never the end of the body', async () => {
    server.faults.next('list', serverFaults.drop(100));
    let received = 0;
    const failure: unknown = await lastValueFrom(
      clientOf(server)
        .exchange({ method: 'GET', path })
        .pipe(tap((part) => (received += part.type === 'bytes' ? part.bytes.length : 0))),
    ).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'RXI_CONNECTION' });
    expect(received).toBe(100);
  });

  it('restart: closes all connections, and responds to the next request', async () => {
    const client = clientOf(server);
    const open = lastValueFrom(client.exchange({ method: 'GET', path, query: { watch: true } }));
    const failure = open.catch((error: unknown) => error);
    await firstValueFrom(server.requests$);
    server.restart();
    expect(await failure).toMatchObject({ code: 'RXI_CONNECTION' });
    expect(await firstValueFrom(requestJson(client, { method: 'GET', path: '/version' }))).toBeDefined();
  });
});

describe('the embedded API server with a fault, requested without this library', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  it('drop: sends exactly the given number of bytes, and never the end of the body', async () => {
    server.faults.next('list', serverFaults.drop(100));
    const { received, failure } = await rawRequest(server, path);
    expect(received).toBe(100);
    expect(failure).toMatchObject({ code: 'ECONNRESET' });
  });

  it('refuse: closes the connection before any response', async () => {
    server.faults.next('list', serverFaults.refuse());
    const { head, failure } = await rawRequest(server, path);
    expect(head).toBe(false);
    expect(failure).toMatchObject({ code: 'ECONNRESET' });
  });

  it('restart: closes all connections, and responds to the next request', async () => {
    const open = rawRequest(server, `${path}?watch=true`);
    await firstValueFrom(server.requests$);
    server.restart();
    expect((await open).failure).toMatchObject({ code: 'ECONNRESET' });
    expect(await firstValueFrom(requestJson(clientOf(server), { method: 'GET', path: '/version' }))).toBeDefined();
  });

  it('works the same with TLS', async () => {
    await server.close();
    server = await startServer({ tls: true });
    server.faults.next('list', serverFaults.reset());
    const client = clientOf(server);
    const failure: unknown = await firstValueFrom(requestJson(client, { method: 'GET', path })).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'RXI_CONNECTION', causeCode: 'ECONNRESET' });
    expect(await firstValueFrom(requestJson(client, { method: 'GET', path }))).toMatchObject({ kind: 'ConfigMapList' });
  });
});

interface RawAnswer {
  readonly head: boolean;
  readonly received: number;
  readonly failure: unknown;
}

/** One request without this library, on its own connection. */
function rawRequest(server: ApiServer, target: string): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let head = false;
    let received = 0;
    const failed = (failure: unknown): void => {
      resolve({ head, received, failure });
    };
    const sent = request(server.url + target, { agent: new Agent({ keepAlive: false }) }, (response) => {
      head = true;
      response.on('data', (chunk: Buffer) => (received += chunk.length));
      response.on('error', failed);
      response.on('end', () => {
        failed(undefined);
      });
    });
    sent.on('error', failed);
    sent.end();
  });
}
