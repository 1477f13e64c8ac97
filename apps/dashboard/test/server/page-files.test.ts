import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import type { DashboardServer } from '../../server/dashboard-server.js';
import { exchange, open, startDashboard, statusIn } from './exchange.js';

const html = { accept: 'text/html,*/*' };

describe('the static files of the dashboard', () => {
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
    dashboard = await startDashboard({ kubeConfig: kubeConfigOf({ server: 'http://127.0.0.1:1' }), page });
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
  ])('include %s, served as %s', async (path, type) => {
    const { status, headers } = await exchange(dashboard.url, path);

    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type });
  });

  it('include an empty response to /favicon.ico, which browsers request by themselves', async () => {
    expect(await exchange(dashboard.url, '/favicon.ico')).toMatchObject({ status: 204 });
  });

  it('may load only their own files and call their own server, and cannot be framed', async () => {
    const { headers } = await exchange(dashboard.url, '/');
    const policy = String(headers['content-security-policy']).split('; ');

    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "worker-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join().replace("'wasm-unsafe-eval'", '')).not.toMatch(/unsafe|\*|https?:/);
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

  it('have security headers in every response, including errors and 304', async () => {
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

  it('include the page at every path that is not a file', async () => {
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
  ])('do not include the page for a file that is missing, hidden, or not a document: %s', async (path, headers) => {
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
  ])('include nothing outside of their folder: %s', async (path) => {
    const { status, body } = await exchange(dashboard.url, path, { headers: html });

    expect(status).toBe(400);
    expect(body.toString()).not.toContain('secret');
  });

  it.each(['bytes=5-2', 'bytes=999-', 'bytes=-', 'bytes=a-b', 'bytes=0-0,2-3', 'lines=1-2'])(
    'survive a request for the range %s',
    async (range) => {
      const { status } = await exchange(dashboard.url, '/index.html', { headers: { range } });

      expect([200, 206, 400]).toContain(status);
      expect((await exchange(dashboard.url, '/')).status).toBe(200);
    },
  );

  it('are served to HEAD requests with the headers only', async () => {
    const { status, headers, body } = await exchange(dashboard.url, '/', { method: 'HEAD' });

    expect({ status, length: headers['content-length'], body: body.length }).toEqual({
      status: 200,
      length: '22',
      body: 0,
    });
  });

  it('may be built while the server runs, and may be missing', async () => {
    writeFileSync(join(page, 'assets/new.js'), 'export {};');
    expect((await exchange(dashboard.url, '/assets/new.js')).status).toBe(200);

    rmSync(join(page, 'assets/new.js'));
    expect((await exchange(dashboard.url, '/assets/new.js')).status).toBe(404);
  });

  it('are served although a browser disconnects during the transfer of a file', async () => {
    writeFileSync(join(page, 'large.bin'), Buffer.alloc(8 * 1024 * 1024));
    const answer = await open(dashboard.url, '/large.bin');
    answer.destroy();

    expect((await exchange(dashboard.url, '/')).status).toBe(200);
  });

  it('include nothing outside of their folder through a symbolic link, and follow a link within it', async () => {
    symlinkSync(join(folder, 'secret.txt'), join(page, 'link.txt'));
    symlinkSync(folder, join(page, 'outside'));
    symlinkSync(join(page, 'favicon.svg'), join(page, 'icon.svg'));
    writeFileSync(join(page, 'plain.css'), 'p {}');
    symlinkSync(join(folder, 'secret.txt'), join(page, 'plain.css.gz'));
    const gzip = { 'accept-encoding': 'gzip' };

    for (const path of ['/link.txt', '/outside/secret.txt', '/outside/page-2/secret.txt', '/outside/']) {
      const { status, body } = await exchange(dashboard.url, path, { headers: { ...html, ...gzip } });
      expect(body.toString()).not.toBe('secret');
      expect([path, status]).toEqual([path, path.endsWith('/') ? 200 : 404]);
    }
    expect((await exchange(dashboard.url, '/icon.svg')).body.toString()).toBe('<svg/>');
    expect((await exchange(dashboard.url, '/plain.css', { headers: gzip })).body.toString()).toBe('p {}');
  });

  it('include a page that finds its files from every path depth', async () => {
    const other = mkdtempSync(join(tmpdir(), 'dashboard-'));
    writeFileSync(join(other, 'index.html'), '<!doctype html><html><head><script src="./assets/a.js"></script></head>');
    const server = await startDashboard({ kubeConfig: kubeConfigOf({ server: 'http://127.0.0.1:1' }), page: other });
    const deep = await exchange(server.url, '/pods/shop', { headers: html });
    const root = await exchange(server.url, '/', { headers: html });
    await server.close();
    rmSync(other, { recursive: true });

    expect(deep.body.toString()).toContain('<head><base href="/" /><script src="./assets/a.js">');
    expect(deep.headers['content-security-policy']).toContain("base-uri 'self'");
    expect(root.body.toString()).not.toContain('<base');
  });

  it('are compressed with Brotli, which is smaller, for browsers that accept it', async () => {
    const text = 'export const plain = 2;';
    writeFileSync(join(page, 'assets/both.js'), text);
    writeFileSync(join(page, 'assets/both.js.gz'), gzipSync(text));
    writeFileSync(join(page, 'assets/both.js.br'), brotliCompressSync(text));
    const encodings = ['gzip, deflate, br, zstd', 'gzip, br;q=0', 'gzip'];
    const answers = await Promise.all(
      encodings.map((accepted) =>
        exchange(dashboard.url, '/assets/both.js', { headers: { 'accept-encoding': accepted } }),
      ),
    );

    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', 'gzip']);
    expect(brotliDecompressSync(answers[0]!.body).toString()).toBe(text);
  });

  it('are compressed if the build contains a compressed file and the browser accepts it', async () => {
    writeFileSync(join(page, 'assets/packed.js'), 'export const plain = 1;');
    writeFileSync(join(page, 'assets/packed.js.gz'), gzipSync('export const plain = 1;'));
    const packed = await exchange(dashboard.url, '/assets/packed.js', { headers: { 'accept-encoding': 'br, gzip' } });
    const plain = await exchange(dashboard.url, '/assets/packed.js', { headers: { 'accept-encoding': 'br' } });
    const other = await exchange(dashboard.url, '/assets/page-1a2b.js', { headers: { 'accept-encoding': 'gzip' } });

    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    expect(gunzipSync(packed.body)).toEqual(plain.body);
    expect([plain, other].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, undefined]);
    expect(packed.headers.etag).not.toBe(plain.headers.etag);
  });
});
