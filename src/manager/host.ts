import { createServer } from 'node:http';
import { fromEvent, map, merge, Observable, catchError, of, take } from 'rxjs';
import { messageOf } from '../kubernetes/errors.js';
import { listenError } from './manager-error.js';

/** The functions of the process that a manager uses. Tests pass their own. */
export interface Host {
  /** Serves HTTP while subscribed; emits the port once it listens. */
  readonly serve: (address: Address, answerProbe: Responder) => Observable<number>;
  /** Emits signals to stop. While subscribed to, these do not end the process by themselves. */
  readonly signals$: Observable<string>;
  readonly setExitCode: (code: number) => void;
  /**
   * After two seconds, calls back with the resources that keep the process alive. The timer does
   * not keep the process alive, so the call may never happen. The wait is two seconds because an
   * informer without subscribers stays connected for one second (`linger`).
   */
  readonly whenStillAlive: (report: (resources: readonly string[]) => void) => void;
}

const wait = 2_000;

/** The process in which this code runs. */
export const processHost: Host = {
  serve: httpServer,
  signals$: merge(
    ...(['SIGTERM', 'SIGINT'] as const).map((signal) => fromEvent(process, signal).pipe(map(() => signal))),
  ),
  setExitCode: (code) => (process.exitCode = code),
  whenStillAlive: (report) => {
    setTimeout(() => report(process.getActiveResourcesInfo()), wait).unref();
  },
};

/** The address to listen on. */
interface Address {
  readonly port: number;
  /** Undefined for all addresses of this machine. */
  readonly host: string | undefined;
}

/** Responds to a request, once. */
export type Responder = (request: HttpRequest) => Observable<HttpResponse>;

/** Serves HTTP while subscribed, and emits the port, or an `RXI_LISTEN`. */
function httpServer({ port, host }: Address, answerProbe: Responder): Observable<number> {
  return new Observable((subscriber) => {
    const server = createServer(({ method = 'GET', url = '/' }, response) => {
      const responding = answerProbe({ method, url }).subscribe(({ status, headers, body }) => {
        response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
      });
      response.on('close', () => responding.unsubscribe());
    });
    server.on('error', (error: NodeJS.ErrnoException) =>
      subscriber.error(listenError(error.code ?? '', port, host, error)),
    );
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

/** The parts of a request that routes need. */
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

/** Maps each path to the function that responds to it. */
export type Routes = Readonly<Record<string, () => Observable<HttpResponse>>>;

/** Responds by path; 404 for an unknown one, 405 for a method other than GET and HEAD. */
export function answerProbe(routes: Routes, { method, url }: HttpRequest): Observable<HttpResponse> {
  const path = url.split('?', 1)[0] ?? '';
  const route = routes[path];
  if (route === undefined)
    return of(plain(404, `${path} does not exist; available: ${Object.keys(routes).join(', ')}`));
  if (method !== 'GET' && method !== 'HEAD')
    return of(plain(405, `${path} accepts GET and HEAD only`, { allow: 'GET, HEAD' }));
  return route().pipe(
    take(1),
    catchError((error: unknown) => of(plain(500, messageOf(error)))),
  );
}

/** Responds with 200 if there are no reasons, otherwise with 503 and one reason in each line. */
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
