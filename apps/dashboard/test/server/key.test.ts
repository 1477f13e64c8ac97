import { fileURLToPath } from 'node:url';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { json, startServer, type TestServer } from '../../../../test/sources/client/test-server.js';
import type { DashboardServer } from '../../server/dashboard-server.js';
import { cookieOf, exchange, startDashboard, statusIn, type Exchange } from './exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));
const html = 'text/html,*/*';
const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('the key of the dashboard', () => {
  let upstream: TestServer;
  let dashboard: DashboardServer;

  beforeEach(async () => {
    upstream = await startServer(json({}));
    dashboard = await startDashboard({ kubeConfig: kubeConfigOf({ server: upstream.url }), page });
  });
  afterEach(async () => {
    await dashboard.close();
    await upstream.close();
  });

  /** Sends a request like a browser without a cookie, unless the test passes one. */
  function ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Exchange> {
    return exchange(dashboard.url, path, { headers: { cookie: 'other=1', accept: html, ...headers } });
  }

  it('is different for each server, and part of the printed address', async () => {
    const other = await startDashboard({ kubeConfig: kubeConfigOf({ server: upstream.url }), page });
    await other.close();

    expect(dashboard.key).toMatch(/^[\w-]{32}$/);
    expect(other.key).not.toBe(dashboard.key);
    expect(dashboard.pageUrl).toBe(`${dashboard.url}/?key=${dashboard.key}`);
  });

  it('becomes a cookie that no other site can send and no script can read, and is removed from the address', async () => {
    const { status, headers, body } = await ask(`/?view=nodes&key=${dashboard.key}&ns=a%26b`);
    const [cookie = '', run = ''] = headers['set-cookie'] ?? [];

    expect(status).toBe(200);
    expect(run).toMatch(/^rx-informers-dashboard-\d+-run=[0-9a-f]{64}; Path=\/; SameSite=Strict$/);
    expect(run).not.toContain(dashboard.key);
    expect((await ask('/', { cookie: run.split(';')[0] ?? '' })).status).toBe(401);
    expect(cookie).toBe(`${cookieOf(dashboard)}; Path=/; HttpOnly; SameSite=Strict`);
    expect(body.toString()).toContain('content="0; url=/?view=nodes&#38;ns=a%26b"');
    expect(headers['cache-control']).toBe('no-store');
    expect((await ask('/', { cookie: cookie.split(';')[0] ?? '' })).status).toBe(200);
  });

  it.each(['/', '/index.html', '/favicon.svg', '/api/v1/pods', '/version', '/dashboard/info'])(
    'is required for %s, like for everything else',
    async (path) => {
      const wrong = cookieOf({ url: dashboard.url, key: 'x'.repeat(32) });
      const answers = await Promise.all([
        ask(path),
        ask(path, { cookie: wrong }),
        ask(path, { cookie: `${cookieOf(dashboard)}x` }),
        ask(path, { authorization: 'Bearer wrong' }),
      ]);

      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect(answers.map(({ headers }) => headers['www-authenticate'])).toEqual(Array(4).fill(undefined));
      expect(upstream.requests).toEqual([]);
    },
  );

  it('is explained on a page and in a Status if it is missing', async () => {
    const missing = await ask('/');
    const wrong = await ask('/?key=wrong');
    const api = await ask('/api/v1/pods', { accept: 'application/json' });

    expect([missing.status, wrong.status]).toEqual([401, 403]);
    expect(missing.headers['content-type']).toBe('text/html; charset=utf-8');
    for (const answer of [missing, wrong])
      expect(answer.body.toString()).toContain('Open the address with <code>?key=</code> that the dashboard printed');
    expect(wrong.headers['set-cookie']).toBeUndefined();
    expect(statusIn(api)).toMatchObject({ code: 401, message: expect.stringContaining('terminal') });
  });

  it('is accepted from a page address only, not from one of the API', async () => {
    expect((await ask(`/api/v1/pods?key=${dashboard.key}`)).status).toBe(401);
    expect((await ask(`/dashboard/info?key=${dashboard.key}`)).status).toBe(401);
  });

  it('may be sent as a bearer token by a program, and does not reach the API server', async () => {
    const { status } = await ask('/api/v1/pods', { authorization: `Bearer ${dashboard.key}` });

    expect(status).toBe(200);
    expect(JSON.stringify(upstream.requests[0]?.headers)).not.toContain(dashboard.key);
  });

  it('is requested again if a link on another site leads to the page, because browsers then withhold the cookie', async () => {
    const first = await ask('/?opened=v1/pods%20a/b', link);
    const again = await ask('/?opened=v1/pods%20a/b', { ...link, 'sec-fetch-site': 'same-origin' });

    expect([first.status, again.status]).toEqual([200, 401]);
    expect(first.body.toString()).toContain('url=/?opened=v1/pods%20a/b"');
    expect(first.headers['set-cookie']).toBeUndefined();
  });

  it('redirects to no other site, no matter what the address contains', async () => {
    for (const path of ['/?"><script>alert(1)</script>', '/pods"onload="x?a=\'b', '/x;url=//evil.example']) {
      const { body } = await ask(encodeURI(path), link);
      expect(body.toString()).not.toMatch(/<script|"onload|url=\/\//);
    }
  });
});
