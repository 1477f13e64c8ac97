import { Observable, type SchedulerLike } from 'rxjs';
import { ConnectionError, CredentialsError, type RequestLine } from '../model/errors.js';
import { requestLine, requestUrl, type KubeClient, type KubeRequest, type ResponsePart } from './kube-client.js';
import { rootCause, statusErrorResponse } from './status-error-response.js';

/** Headers for every request, or what gives them, for example a token that changes. */
export type FetchHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Options of `fetchClient`. `limitedClient` limits how fast it sends requests. */
export interface FetchClientOptions {
  /**
   * Where the API server is, with a path if it has one: `http://localhost:8001`, or `/k8s` behind the page's own server.
   * Default `''`: the origin that the page came from.
   */
  readonly baseUrl?: string | undefined;
  /** Default: the global `fetch`, looked up for each request. */
  readonly fetch?: typeof fetch | undefined;
  /** Read for each request; what throws or rejects is a `CredentialsError`. Default: none. */
  readonly headers?: FetchHeaders | undefined;
  /** The clock of this client and of everything that uses it. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * A client on `fetch`: for browsers, and for whatever speaks plain HTTP, like `kubectl proxy`.
 *
 * **Guarantees** and **does not guarantee**: what `KubeClient` says. A redirect is followed, as `fetch` does by itself.
 *
 * @example
 * import { fetchClient, listWatch, pods } from 'rx-informers';
 *
 * const client = fetchClient({ baseUrl: 'http://localhost:8001' });
 * listWatch(client, pods).subscribe((events) => console.log(events));
 */
export function fetchClient(options: FetchClientOptions = {}): KubeClient {
  const exchange = (request: KubeRequest): Observable<ResponsePart> =>
    fetchExchange(request, options).pipe(statusErrorResponse(requestLine(request), options.scheduler));
  return { exchange, scheduler: options.scheduler };
}

function fetchExchange(request: KubeRequest, options: FetchClientOptions): Observable<ResponsePart> {
  const line = requestLine(request);
  return new Observable<ResponsePart>((subscriber) => {
    const abortion = new AbortController();

    async function exchange(): Promise<void> {
      const headers = await credentialsOf(line, options.headers);
      if (subscriber.closed) return;
      const response = await send(requestUrl(options.baseUrl ?? '', line), headers, abortion.signal);
      subscriber.next({ type: 'head', status: response.status, headers: Object.fromEntries(response.headers) });
      if (response.body !== null) await read(response.body);
      subscriber.complete();
    }

    function send(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
      const init = { method: request.method, headers: headersOf(request, headers), signal };
      return (options.fetch ?? fetch)(url, request.body === undefined ? init : { ...init, body: request.body });
    }

    async function read(body: ReadableStream<Uint8Array>): Promise<void> {
      const reader = body.getReader();
      while (!subscriber.closed) {
        const { done, value } = await reader.read();
        if (done) return;
        if (value.length > 0) subscriber.next({ type: 'bytes', bytes: value });
      }
    }

    exchange().catch((error: unknown) => {
      // An abortion fails the request too, and nobody listens any more.
      subscriber.error(error instanceof CredentialsError ? error : connectionError(line, error));
    });
    return () => {
      abortion.abort();
    };
  });
}

async function credentialsOf(line: RequestLine, headers: FetchHeaders = {}): Promise<Readonly<Record<string, string>>> {
  if (typeof headers !== 'function') return headers;
  try {
    return await headers();
  } catch (cause) {
    throw new CredentialsError(line, cause);
  }
}

function headersOf(request: KubeRequest, credentials: Readonly<Record<string, string>>): Headers {
  const headers = new Headers({ accept: 'application/json' });
  if (request.body !== undefined) headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries({ ...request.headers, ...credentials })) {
    headers.set(name, value);
  }
  return headers;
}

function connectionError(line: RequestLine, error: unknown): ConnectionError {
  return new ConnectionError(line, rootCause(error));
}
