import { defer, mergeMap, Observable, type SchedulerLike } from 'rxjs';
import { StatusError, type RequestLine, connectionError, credentialsError } from '../model/errors.js';
import { requestLine, requestUrl, type KubeClient, type KubeRequest, type ResponsePart } from './kube-client.js';
import { rootCause, statusErrorResponse } from './status-error-response.js';
import type { WatchMessage, WatchTransport } from './web-socket-watches.js';

/** Headers for every request, or a function that returns them, for example a token that changes. */
export type FetchHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Options of `fetchClient`. To limit how fast the client sends requests, use `limitedClient`. */
export interface FetchClientOptions {
  /**
   * The address of the API server, with a path if it has one: `http://localhost:8001`, or `/k8s`
   * behind the page's own server. Default `''`: the origin of the page.
   */
  readonly baseUrl?: string | undefined;
  /** The function that sends requests. Default: the global `fetch`, looked up for each request. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Headers for authentication. A function is called for each request; if it throws or rejects, the
   * request fails with an `RXI_CREDENTIALS`. Default: none.
   */
  readonly headers?: FetchHeaders | undefined;
  /**
   * The transport of watches. Default: `fetch`, as for all other requests. `webSocketWatches()`
   * sends them over WebSockets, which do not count among the six connections that a browser opens
   * to one host.
   */
  readonly watches?: WatchTransport | undefined;
  /** The clock of this client and of everything that uses it. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Creates a client on `fetch`, for browsers and for servers that speak plain HTTP, such as
 * `kubectl proxy`.
 *
 * **Guarantees** and **does not guarantee**: the same as `KubeClient`. `fetch` follows redirects.
 * Compressed responses are decompressed by `fetch`. If the server compresses a streaming list
 * (Kubernetes 1.37), browsers decode only its first part. So outside Node, a streaming list fails
 * with a `StatusError` (422) if it is compressed. It also fails if it comes from another origin,
 * because a page cannot see whether it is compressed. `listWatch` then lists in pages. WebSockets
 * (`watches`) are not compressed and have no such problem.
 *
 * @param options the address, the headers and the transport of watches; see
 *   {@link FetchClientOptions}
 * @returns a client, which opens no connection before its first request
 * @example
 * import { fetchClient, listWatch, pods } from 'rx-informers';
 *
 * const client = fetchClient({ baseUrl: 'http://localhost:8001' });
 * listWatch(client, pods).subscribe((events) => console.log(events));
 */
export function fetchClient(options: FetchClientOptions = {}): KubeClient {
  const sendWatch = options.watches?.forClient(options.scheduler);
  const exchange = (request: KubeRequest): Observable<ResponsePart> => {
    const line = requestLine(request);
    const url = requestUrl(options.baseUrl ?? '', line);
    const byFetch = (headers: Headers): Observable<ResponsePart> =>
      fetchExchange(request, { line, url, headers }, options);
    const send = (headers: Headers): Observable<ResponsePart> =>
      sendWatch === undefined || !isWatch(request)
        ? byFetch(headers)
        : sendWatch({ line, url, headers }, byFetch(headers));
    return defer(() => headersOf(request, line, options.headers)).pipe(
      mergeMap(send),
      statusErrorResponse(line, options.scheduler),
    );
  };
  return { exchange, scheduler: options.scheduler, server: options.baseUrl };
}

function isWatch({ method, query }: KubeRequest): boolean {
  return method === 'GET' && String(query?.['watch']) === 'true';
}

function fetchExchange(
  request: KubeRequest,
  { line, url, headers }: WatchMessage,
  options: FetchClientOptions,
): Observable<ResponsePart> {
  const { method, body } = request;
  return new Observable<ResponsePart>((subscriber) => {
    const abortion = new AbortController();

    async function exchange(): Promise<void> {
      const init = { method, headers, signal: abortion.signal };
      const response = await (options.fetch ?? fetch)(url, body === undefined ? init : { ...init, body });
      if (isStreamingList(request) && mayEndEarly(response)) throw unreadableStream(line);
      subscriber.next({ type: 'head', status: response.status, headers: Object.fromEntries(response.headers) });
      if (response.body !== null) await read(response.body);
      subscriber.complete();
    }

    async function read(stream: ReadableStream<Uint8Array>): Promise<void> {
      const reader = stream.getReader();
      while (!subscriber.closed) {
        const { done, value } = await reader.read();
        if (done) return;
        if (value.length > 0) subscriber.next({ type: 'bytes', bytes: value });
      }
    }

    exchange().catch((error: unknown) => {
      // An aborted request fails too, but then the subscriber has already left.
      subscriber.error(error instanceof StatusError ? error : connectionError(line, rootCause(error)));
    });
    return () => abortion.abort();
  });
}

function isStreamingList({ query }: KubeRequest): boolean {
  return query?.['sendInitialEvents'] === true;
}

/**
 * Returns true if `fetch` may decode only the beginning of a streaming list, and then emit nothing
 * until the connection ends.
 *
 * Kubernetes 1.37 compresses streaming lists, and begins a new gzip member after each flush.
 * Chromium ignores everything after the first member. A page can neither refuse gzip nor see the
 * encoding of a response from another origin. Node decodes all members.
 */
function mayEndEarly({ ok, headers, type }: Response): boolean {
  if (!ok || isNode()) return false;
  return headers.get('content-encoding') !== null || type === 'cors';
}

function isNode(): boolean {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  return process?.versions?.node !== undefined;
}

/** Returns the error of a server without streaming lists, so that the list is read in pages. */
function unreadableStream(line: RequestLine): StatusError {
  const message =
    'this runtime may decode only the first part of a compressed streaming list; listing in pages instead';
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Invalid',
    code: 422,
    message,
  } as const;
  return new StatusError(line, status, { code: 422, retryAfter: undefined });
}

/** Returns the headers. Throws an `RXI_CREDENTIALS` if they are invalid or cannot be read. */
async function headersOf(request: KubeRequest, line: RequestLine, credentials: FetchHeaders = {}): Promise<Headers> {
  try {
    const own = typeof credentials === 'function' ? await credentials() : credentials;
    const headers = new Headers({ accept: 'application/json' });
    if (request.body !== undefined) headers.set('content-type', 'application/json');
    for (const [name, value] of Object.entries({ ...request.headers, ...own })) {
      headers.set(name, value);
    }
    return headers;
  } catch (cause) {
    throw credentialsError(line, cause);
  }
}
