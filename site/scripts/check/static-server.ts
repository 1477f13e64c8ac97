import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { createGzip } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/**
 * Serves a folder below a path that the site does not know. Like a simple host, it only compresses
 * the files.
 */
export async function serve(folder: string): Promise<{ readonly url: string; readonly server: Server }> {
  const prefix = '/some/path/';
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const inFolder = pathname.startsWith(prefix) ? decodeURIComponent(pathname.slice(prefix.length)) : '..';
    const wanted = join(folder, inFolder, inFolder === '' || inFolder.endsWith('/') ? 'index.html' : '');
    const isFile = wanted.startsWith(folder) && existsSync(wanted) && statSync(wanted).isFile();
    const file = isFile ? wanted : join(folder, '404.html');
    response.writeHead(isFile ? 200 : 404, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-encoding': 'gzip',
      'cache-control': /\/assets\//.test(wanted) ? 'max-age=31536000, immutable' : 'max-age=600',
    });
    createReadStream(file).pipe(createGzip()).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`, server };
}
