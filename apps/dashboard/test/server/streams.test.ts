import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createGunzip, gunzipSync } from 'node:zlib';
import { VirtualTimeScheduler } from 'rxjs';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { json, startServer, type Answer, type TestServer } from '../../../../test/sources/client/test-server.js';
import { promisesSettled } from '../../../../test/support/promises-settled.js';
import { until } from '../../../../test/support/until.js';
import type { DashboardServer, DashboardServerOptions } from '../../server/dashboard-server.js';
import { exchange, open, startDashboard } from './exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));
const gzip = { 'accept-encoding': 'gzip, deflate, br, zstd' };
const event = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'a' } } })}\n`;

describe('streaming responses of the dashboard', () => {
  let upstream: TestServer;
  let dashboard: DashboardServer;
  let scheduler: VirtualTimeScheduler;
  const watches: ServerResponse[] = [];
  /** The number of probes that the dashboard has sent. */
  let probes = 0;
  const countProbe = (message: unknown): void => {
    const { request } = message as { readonly request: ClientRequest };
    if (request.path === '/version') probes += 1;
  };

  beforeAll(() => {
    subscribe('http.client.request.start', countProbe);
  });
  afterAll(() => {
    unsubscribe('http.client.request.start', countProbe);
  });

  async function start(options: Partial<DashboardServerOptions> = {}, answer?: Answer): Promise<void> {
    watches.length = 0;
    probes = 0;
    scheduler = new VirtualTimeScheduler();
    upstream = await startServer(
      answer ??
        ((request, response) => {
          if (!request.url.includes('watch')) return json({})(request, response);
          watches.push(response);
          response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        }),
    );
    dashboard = await startDashboard({
      kubeConfig: kubeConfigOf({ server: upstream.url }),
      page,
      scheduler,
      ...options,
    });
  }
  afterEach(async () => {
    await dashboard.close();
    await upstream.close();
  });

  /** Advances second by second. A probe that is sent in a second arrives in that second. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      scheduler.maxFrames += 1_000;
      scheduler.flush();
      // The credentials are read before a probe is sent.
      await promisesSettled();
      await until(() => upstream.requests.filter(({ url }) => url === '/version').length === probes);
    }
  }

  async function watch(headers = {}): Promise<{ text: () => string; closed: Promise<unknown> }> {
    const answer = await open(dashboard.url, '/api/v1/pods?watch=true', { headers });
    let received = '';
    const body = answer.headers['content-encoding'] === 'gzip' ? answer.pipe(createGunzip()) : answer;
    body.on('data', (chunk: Buffer) => (received += chunk.toString())).on('error', () => undefined);
    return { text: () => received, closed: new Promise((resolve) => answer.once('close', resolve)) };
  }

  it.each([
    ['as it is', {}],
    ['compressed', gzip],
  ])(
    'D3: a watch, %s, sends an empty line when it is silent for five seconds, and never within an event',
    async (_, headers) => {
      await start();
      scheduler.maxFrames = 0;
      const { text } = await watch(headers);
      await pass(6);
      await until(() => text() === '\n');

      watches[0]?.write(event.slice(0, 10));
      await until(() => headers === gzip || text() === `\n${event.slice(0, 10)}`);
      await pass(7);
      watches[0]?.write(event.slice(10));
      await until(() => text() === `\n${event}`);
      await pass(6);
      await until(() => text() === `\n${event}\n`);
      expect(upstream.requests.filter(({ url }) => url.includes('watch'))).toHaveLength(1);
    },
  );

  it('D3: a watch is aborted if the API server has sent nothing for ten seconds, not even a response to a probe', async () => {
    await start({}, (request, response) => {
      if (request.url.includes('watch')) response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    });
    scheduler.maxFrames = 0;
    const { text, closed } = await watch();
    const broken = closed.then(() => scheduler.now());
    await pass(11);

    expect(await broken).toBeLessThanOrEqual(11_000);
    expect(text()).toBe('\n');
    expect(upstream.requests.map(({ url }) => url)).toContain('/version');
  });

  it('each event of a compressed watch is forwarded as soon as it arrives', async () => {
    await start();
    const { text } = await watch(gzip);
    let expected = '';
    for (const name of ['first', 'second', 'third']) {
      const line = event.replace('"a"', `"${name}"`);
      expected += line;
      watches[0]?.write(line);
      await until(() => text() === expected);
    }
    expect(text().split('\n')).toHaveLength(4);
  });

  it('compress what the API server has not compressed, nothing twice, and nothing small', async () => {
    const pods = { items: Array.from({ length: 500 }, (_, index) => ({ metadata: { name: `pod-${index}` } })) };
    await start({}, (request, response) => {
      if (request.url.endsWith('small')) json({}, 200, { 'content-length': '2' })(request, response);
      else json(pods, 200, request.url.endsWith('tag') ? { etag: '"1"' } : {})(request, response);
    });
    const plain = await exchange(dashboard.url, '/api/v1/pods');
    const packed = await exchange(dashboard.url, '/api/v1/pods', { headers: gzip });
    const small = await exchange(dashboard.url, '/apis/small', { headers: gzip });
    const tagged = await exchange(dashboard.url, '/apis/tag', { headers: gzip });

    expect([plain, packed, tagged].map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'gzip',
      undefined,
    ]);
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect(packed.body.length).toBeLessThan(plain.body.length / 5);
    expect(packed.headers.vary).toBe('accept-encoding');
    expect(small.headers['content-encoding']).toBeUndefined();
  });
});
