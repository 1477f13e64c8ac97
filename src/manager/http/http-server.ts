import { createServer } from 'node:http';
import { Observable } from 'rxjs';
import { ListenError } from '../manager-error.js';
import type { HttpResponse, HttpRequest } from './respond.js';

/** Where to listen. */
export interface Address {
  readonly port: number;
  /** Undefined for all addresses of this machine. */
  readonly host: string | undefined;
}

/** Responds to a request, once. */
export type Responder = (request: HttpRequest) => Observable<HttpResponse>;

/**
 * Serves HTTP while subscribed. Emits the port once it listens.
 *
 * **Guarantees**: unsubscribing frees the port, and cuts the connections that are open.
 * **Errors**: a `ListenError` if the port cannot be opened.
 */
export function httpServer({ port, host }: Address, respond: Responder): Observable<number> {
  return new Observable((subscriber) => {
    const server = createServer(({ method = 'GET', url = '/' }, response) => {
      const responding = respond({ method, url }).subscribe(({ status, headers, body }) => {
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
      });
      response.on('close', () => {
        responding.unsubscribe();
      });
    });
    server.on('error', (error: NodeJS.ErrnoException) => {
      subscriber.error(new ListenError(error.code ?? '', port, host, error));
    });
    server.listen({ port, host }, () => {
      const address = server.address();
      subscriber.next(typeof address === 'object' && address !== null ? address.port : port);
    });
    return () => {
      server.close();
      server.closeAllConnections();
    };
  });
}
