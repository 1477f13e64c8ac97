import { readFile, realpath } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import send from 'send';
import { answerWithFailure } from './failure.js';
import { takes } from './forwarded-headers.js';
import { pageHeaders } from './protective-headers.js';

export type PageFiles = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/** The content types of the files that the build compresses. */
const typesOfCompressed: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The encodings, best compression first. */
const encodings = [
  { encoding: 'br', extension: 'br' },
  { encoding: 'gzip', extension: 'gz' },
] as const;

/**
 * Serves the files of the built page. Supports GET and HEAD, ranges, and 304 for files that the
 * browser has. Serves no dotfiles and nothing outside the folder, not even through a symbolic link
 * in it. If the build created a compressed copy of a file (`page.js.br`, `page.js.gz`), browsers
 * that accept its encoding receive the copy. Browsers accept Brotli only from this machine or over
 * TLS.
 *
 * A path of the page that is not a file (`/pods/shop`) returns the page itself, with a `<base>` so
 * that it finds its files. A missing file returns 404, so that a browser never receives HTML in
 * place of a removed script.
 *
 * @param folder a folder with an `index.html`; it may be rebuilt while the server runs
 */
export function pageFiles(folder: string): PageFiles {
  /** Returns true for a file that is in the folder after all symbolic links are resolved. */
  async function isInside(path: string): Promise<boolean> {
    try {
      const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, decodeURIComponent(path)))]);
      return file.startsWith(root + sep);
    } catch {
      return false;
    }
  }

  function sendFile(request: IncomingMessage, response: ServerResponse, path: string, onMissing: () => void): void {
    send(request, path, { root: folder, dotfiles: 'ignore', index: false, cacheControl: false })
      .on('headers', (head: ServerResponse) => {
        for (const [name, value] of Object.entries(headersOfFiles)) head.setHeader(name, value);
      })
      .on('directory', onMissing)
      .on('error', ({ status }: { readonly status: number }) => {
        if (status === 404) onMissing();
        else answerWithFailure(response, { code: status < 500 ? 400 : 500, message: 'this file cannot be sent' });
      })
      .pipe(response);
  }

  async function sendPage(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const notFound = (): void => {
      answerWithFailure(response, { code: 404, message: `${path} does not exist` });
    };
    const file = path === '/' ? '/index.html' : path;
    if (await isInside(file)) {
      const type = typesOfCompressed[extname(file)];
      for (const { encoding, extension } of encodings) {
        if (type === undefined || !takes(encoding, request) || !(await isInside(`${file}.${extension}`))) continue;
        response.setHeader('content-type', type);
        response.setHeader('content-encoding', encoding);
        response.setHeader('vary', 'accept-encoding');
        sendFile(request, response, `${file}.${extension}`, notFound);
        return;
      }
      sendFile(request, response, file, () => {
        if (isPlaceOfPage(request, path)) void sendDeep(request, response, notFound);
        else notFound();
      });
      return;
    }
    if (isPlaceOfPage(request, path)) await sendDeep(request, response, notFound);
    else notFound();
  }

  async function sendDeep(request: IncomingMessage, response: ServerResponse, onMissing: () => void): Promise<void> {
    if (!(await isInside('/index.html'))) {
      onMissing();
      return;
    }
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    const body = Buffer.from(html.replace('<head>', '<head><base href="/" />'));
    response.writeHead(200, {
      ...headersOfFiles,
      'content-type': 'text/html; charset=utf-8',
      'content-length': body.length,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  return (request, response, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answerWithFailure(response, { code: 405, message: `${request.method ?? ''} is refused: files support GET only` });
      return;
    }
    // Browsers request this file until they have read which icon the page names.
    if (path === '/favicon.ico') {
      response.writeHead(204, headersOfFiles).end();
      return;
    }
    sendPage(request, response, path).catch(() => {
      answerWithFailure(response, { code: 500, message: 'this file cannot be sent' });
    });
  };
}

/**
 * The browser revalidates each file and receives 304. This is cheap on one machine, and a new build
 * is visible at once.
 */
const headersOfFiles = { 'cache-control': 'no-cache', ...pageHeaders };

function isPlaceOfPage({ headers }: IncomingMessage, path: string): boolean {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return (headers.accept ?? '').includes('text/html') && !last.includes('.');
}
