import { KubeConfig } from '@kubernetes/client-node';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchClient, informer, pods } from 'rx-informers';
import { webSocketWatches } from 'rx-informers/client';
import { aPod, createApiServer, type ApiServer } from 'rx-informers/testing';
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { startDashboardServer, type DashboardServer } from '../../server/dashboard-server.js';

describe('watches of the dashboard over WebSockets', () => {
  let api: ApiServer;
  let dashboard: DashboardServer;
  const page = mkdtempSync(join(tmpdir(), 'page-'));

  beforeEach(async () => {
    api = await createApiServer();
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromString(api.kubeconfig());
    dashboard = await startDashboardServer({ kubeConfig, page });
  });
  afterEach(async () => {
    await dashboard.close();
    await api.close();
  });

  function socket(path: string, headers: Readonly<Record<string, string>>): WebSocket {
    const opened = new WebSocket(`${dashboard.url.replace('http', 'ws')}${path}`, {
      headers: { ...keyOf(), ...headers },
    });
    opened.on('error', () => undefined);
    return opened;
  }

  /** The key, if the server requires one. */
  function keyOf(): Record<string, string> {
    const { key } = dashboard as { readonly key?: string };
    const cookie = `rx-informers-dashboard-${new URL(dashboard.url).port}=${key ?? ''}`;
    return key === undefined ? {} : { cookie };
  }

  const refusalOf = (opened: WebSocket): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      opened.once('unexpected-response', (_, { statusCode }) => {
        resolve(statusCode);
        opened.terminate();
      });
      opened.once('open', () => {
        reject(new Error('it was opened'));
      });
    });

  it('an informer follows its objects over a WebSocket, however many watches the page has', async () => {
    const opened: string[] = [];
    const watches = webSocketWatches({
      open: (url) => {
        opened.push(url);
        const { host } = new URL(dashboard.url);
        return new WebSocket(url, { headers: keyOf(), origin: `http://${host}` }) as never;
      },
    });
    const client = fetchClient({ baseUrl: dashboard.url, watches, headers: {} });
    const followed = informer(client, pods);
    const running = followed.connect();
    await firstValueFrom(followed.synced$);
    api.apply(aPod({ name: 'later' }));
    await firstValueFrom(followed.get$('default/later'));
    expect(opened.length).toBeGreaterThan(0);
    running.unsubscribe();
  });

  it.each([
    ['from another origin', '/api/v1/pods?watch=true', { origin: 'http://evil.example' }],
    ['without an origin', '/api/v1/pods?watch=true', {}],
    ['that is not a watch', '/api/v1/pods', { origin: 'self' }],
    ['for exec', '/api/v1/namespaces/default/pods/a/exec?watch=true', { origin: 'self' }],
  ])('a WebSocket %s is refused', async (_, path, { origin }: { readonly origin?: string }) => {
    const own = `http://${new URL(dashboard.url).host}`;
    const headers = origin === undefined ? {} : { origin: origin === 'self' ? own : origin };
    expect(await refusalOf(socket(path, headers))).toBe(403);
  });

  it('events that arrive together are one message, which compresses better than many', async () => {
    api.apply(Array.from({ length: 1000 }, (_, index) => aPod({ name: `pod-${index}` })));
    const streaming = 'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const origin = `http://${new URL(dashboard.url).host}`;
    const opened = socket(`/api/v1/pods?watch=true&${streaming}`, { origin });
    const messages: string[] = [];
    await new Promise<void>((resolve) => {
      opened.on('message', (message: Buffer) => {
        messages.push(message.toString());
        if (message.includes('k8s.io/initial-events-end')) resolve();
      });
    });
    opened.terminate();

    const lines = messages.join('').split('\n').filter(Boolean);
    expect(lines.map((line) => (JSON.parse(line) as { readonly type: string }).type)).toEqual([
      ...Array.from({ length: 1000 }, () => 'ADDED'),
      'BOOKMARK',
    ]);
    expect(messages.length).toBeLessThan(lines.length / 4);
  });

  it('a subprotocol asks for tables, because a WebSocket of a browser cannot send the header Accept', async () => {
    api.apply(aPod({ name: 'a' }));
    const { host } = new URL(dashboard.url);
    const url = `${dashboard.url.replace('http', 'ws')}/api/v1/pods?watch=true&includeObject=Object`;
    const protocols = ['table.rx-informers', 'json.rx-informers'];
    const opened = new WebSocket(url, protocols, { headers: keyOf(), origin: `http://${host}` });
    const message = await new Promise<Buffer>((resolve) => {
      opened.once('message', resolve);
    });
    expect(opened.protocol).toBe('table.rx-informers');
    opened.terminate();
    expect(JSON.parse(message.toString())).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Table', rows: [{ object: { kind: 'Pod', spec: {} } }] },
    });
  });

  it('a WebSocket is not opened if the API server refuses the request', async () => {
    const origin = `http://${new URL(dashboard.url).host}`;
    expect(await refusalOf(socket('/apis/example.com/v1/nothings?watch=true', { origin }))).toBe(404);
  });
});
