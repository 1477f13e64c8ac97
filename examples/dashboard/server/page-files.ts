import type { IncomingMessage, ServerResponse } from 'node:http';
import send from 'send';
import { answerWithFailure } from './failure.js';
import { pageHeaders } from './protective-headers.js';

export type PageFiles = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/**
 * Serves the files of the built page: GET and HEAD, ranges, and 304 for what the browser has; no dotfiles, and nothing
 * outside the folder.
 *
 * A place of the page that is no file (`/pods/shop`) is the page itself; a file that is missing is a 404, so that a script which
 * is gone does not come as HTML.
 *
 * @param folder with an `index.html`; it may be built anew meanwhile
 */
export function pageFiles(folder: string): PageFiles {
  function sendFile(request: IncomingMessage, response: ServerResponse, path: string, onMissing: () => void): void {
    send(request, path, { root: folder, dotfiles: 'ignore', index: 'index.html', cacheControl: false })
      .on('headers', (head: ServerResponse) => {
        // The browser asks each time, and is told 304: on this machine that costs nothing, and what is built anew is seen.
        head.setHeader('cache-control', 'no-cache');
        for (const [name, value] of Object.entries(pageHeaders)) head.setHeader(name, value);
      })
      .on('directory', onMissing)
      .on('error', ({ status }: { readonly status: number }) => {
        if (status === 404) onMissing();
        else answerWithFailure(response, { code: status < 500 ? 400 : 500, message: 'this file cannot be sent' });
      })
      .pipe(response);
  }

  return (request, response, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answerWithFailure(response, { code: 405, message: `${request.method ?? ''} is not for files` });
      return;
    }
    const notFound = (): void => {
      answerWithFailure(response, { code: 404, message: `there is no ${path}` });
    };
    sendFile(request, response, path, () => {
      if (isPlaceOfPage(request, path)) sendFile(request, response, '/index.html', notFound);
      else notFound();
    });
  };
}

function isPlaceOfPage({ headers }: IncomingMessage, path: string): boolean {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return (headers.accept ?? '').includes('text/html') && !last.includes('.');
}
