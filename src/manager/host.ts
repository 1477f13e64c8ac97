import { fromEvent, map, merge, Observable, catchError, of, take } from 'rxjs';
import { createServer } from 'node:http';
import { ListenError } from './manager-error.js';
import { messageOf } from '../kubernetes/errors.js';

/** What a manager needs of the process that it runs in. A test passes its own. */
export interface Host {
  /** Serves HTTP while subscribed; emits the port once it listens. */
  readonly serve: (address: Address, respond: Responder) => Observable<number>;
  /** The signals that ask a process to stop. While it is subscribed to, they do not end the process by themselves. */
  readonly signals$: Observable<string>;
  readonly setExitCode: (code: number) => void;
  /**
   * Calls back after two seconds with what keeps the process alive then. Does not keep it alive
   * itself, so the call may never happen. An informer without subscribers stays connected for one
   * second (`linger`), which is nothing to warn of.
   */
  readonly whenStillAlive: (tell: (resources: readonly string[]) => void) => void;
}

const wait = 2_000;

/** The process that this code runs in. */
export const processHost: Host = {
  serve: httpServer,
  signals$: merge(
    ...(['SIGTERM', 'SIGINT'] as const).map((signal) => fromEvent(process, signal).pipe(map(() => signal))),
  ),
  setExitCode: (code) => (process.exitCode = code),
  whenStillAlive: (tell) => {
    setTimeout(() => {
      tell(process.getActiveResourcesInfo());
    }, wait).unref();
  },
};

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

/** What is asked for. */
export interface HttpRequest {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What is served: for each path what responds. */
export type Routes = Readonly<Record<string, () => Observable<HttpResponse>>>;

/** Returns the response to a request: that of its route, 404 for another path, 405 for a method other than GET and HEAD. */
export function respond(routes: Routes, { method, url }: HttpRequest): Observable<HttpResponse> {
  const path = url.split('?', 1)[0] ?? '';
  const route = routes[path];
  if (route === undefined) return of(plain(404, `there is no ${path}; there is ${Object.keys(routes).join(', ')}`));
  if (method !== 'GET' && method !== 'HEAD')
    return of(plain(405, `${path} answers GET and HEAD only`, { allow: 'GET, HEAD' }));
  return route().pipe(
    take(1),
    catchError((error: unknown) => of(plain(500, messageOf(error)))),
  );
}

/** Answers 200 if there are no reasons against it, otherwise 503 with one reason a line. */
export function health(reasons$: Observable<readonly string[]>): Observable<HttpResponse> {
  return reasons$.pipe(map((reasons) => (reasons.length === 0 ? plain(200, 'ok') : plain(503, reasons.join('\n')))));
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: `${text}\n`,
  };
}
