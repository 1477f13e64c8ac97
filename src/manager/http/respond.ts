import { catchError, map, of, take, type Observable } from 'rxjs';
import { messageOf } from '../../kubernetes/message-of.js';

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
