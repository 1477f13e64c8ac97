import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDashboardServer, type DashboardServer } from '../../../../examples/dashboard/server/dashboard-server.js';
import { kubeConfigOf } from '../../../sources/client/kube-config.js';
import { exchange, open, statusIn } from './exchange.js';

const html = { accept: 'text/html,*/*' };

describe('the page of the dashboard', () => {
  let folder: string;
  let page: string;
  let dashboard: DashboardServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
    page = join(folder, 'page');
    mkdirSync(join(page, 'assets'), { recursive: true });
    const files = {
      'secret.txt': 'secret',
      'page-2/secret.txt': 'secret',
      'page/.env': 'secret',
      'page/index.html': '<!doctype html><p>page',
      'page/favicon.svg': '<svg/>',
      'page/assets/page-1a2b.js': 'export {};',
      'page/assets/page-1a2b.css': 'p {}',
      'page/assets/font.woff2': 'font',
      'page/manifest.webmanifest': '{}',
    };
    mkdirSync(join(folder, 'page-2'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    dashboard = await startDashboardServer({ kubeConfig: kubeConfigOf({ server: 'http://127.0.0.1:1' }), page });
  });
  afterAll(async () => {
    await dashboard.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['/', 'text/html; charset=utf-8'],
    ['/index.html', 'text/html; charset=utf-8'],
    ['/assets/page-1a2b.js', 'text/javascript; charset=utf-8'],
    ['/assets/page-1a2b.css', 'text/css; charset=utf-8'],
    ['/favicon.svg', 'image/svg+xml'],
    ['/assets/font.woff2', 'font/woff2'],
    ['/manifest.webmanifest', 'application/manifest+json; charset=utf-8'],
  ])('the server sends %s as %s', async (path, type) => {
    const { status, headers } = await exchange(dashboard.url, path);

    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type });
  });

  it('may load its own files and talk to its own server, and cannot be framed', async () => {
    const { headers } = await exchange(dashboard.url, '/');
    const policy = String(headers['content-security-policy']).split('; ');

    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|\*|https?:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is protected in every answer, failures and 304 too', async () => {
    const { headers } = await exchange(dashboard.url, '/');
    const answers = await Promise.all([
      exchange(dashboard.url, '/missing.js'),
      exchange(dashboard.url, '/', { headers: { 'if-none-match': headers.etag } }),
      exchange(dashboard.url, '/', { headers: { host: 'evil.example' } }),
      exchange(dashboard.url, '/', { method: 'POST' }),
      exchange(dashboard.url, '/api'),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([404, 304, 403, 405, 502]);
    for (const answer of answers) {
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it('is itself at every place that is no file', async () => {
    const { status, body, headers } = await exchange(dashboard.url, '/pods/shop', { headers: html });
    const directory = await exchange(dashboard.url, '/assets', { headers: html });

    expect({ status, body: body.toString() }).toEqual({ status: 200, body: '<!doctype html><p>page' });
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(directory.body.toString()).toBe('<!doctype html><p>page');
  });

  it.each([
    ['/assets/gone-1a2b.js', html],
    ['/pods/shop', {}],
    ['/.env', html],
    ['/assets', {}],
  ])('has no page for a file that is missing, hidden, or no document: %s', async (path, headers) => {
    expect(statusIn(await exchange(dashboard.url, path, { headers }))).toMatchObject({ kind: 'Status', code: 404 });
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/%252e%252e/secret.txt',
    '/..%c0%afsecret.txt',
    '/../page-2/secret.txt',
    '//secret.txt',
    '/index.html%00.js',
    '/page/....//secret.txt',
    'file:///etc/passwd',
    '/assets/.././../secret.txt',
  ])('has nothing outside of its folder: %s', async (path) => {
    const { status, body } = await exchange(dashboard.url, path, { headers: html });

    expect(status).toBe(400);
    expect(body.toString()).not.toContain('secret');
  });

  it.each(['bytes=5-2', 'bytes=999-', 'bytes=-', 'bytes=a-b', 'bytes=0-0,2-3', 'lines=1-2'])(
    'survives the range %s',
    async (range) => {
      const { status } = await exchange(dashboard.url, '/index.html', { headers: { range } });

      expect([200, 206, 400]).toContain(status);
      expect((await exchange(dashboard.url, '/')).status).toBe(200);
    },
  );

  it('answers HEAD with the head', async () => {
    const { status, headers, body } = await exchange(dashboard.url, '/', { method: 'HEAD' });

    expect({ status, length: headers['content-length'], body: body.length }).toEqual({
      status: 200,
      length: '22',
      body: 0,
    });
  });

  it('serves files that are built meanwhile, and survives missing ones', async () => {
    writeFileSync(join(page, 'assets/new.js'), 'export {};');
    expect((await exchange(dashboard.url, '/assets/new.js')).status).toBe(200);

    rmSync(join(page, 'assets/new.js'));
    expect((await exchange(dashboard.url, '/assets/new.js')).status).toBe(404);
  });

  it('survives a browser that goes while a file is sent', async () => {
    writeFileSync(join(page, 'large.bin'), Buffer.alloc(8 * 1024 * 1024));
    const answer = await open(dashboard.url, '/large.bin');
    answer.destroy();

    expect((await exchange(dashboard.url, '/')).status).toBe(200);
  });
});
