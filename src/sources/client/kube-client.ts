import { asyncScheduler, defer, map, reduce, type Observable, type SchedulerLike } from 'rxjs';
import { ResponseError, type RequestLine } from '../model/errors.js';
import { createByteAccumulator, decodeJson, WireError } from '../wire/bytes.js';

/** One HTTP request to the API server. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path without query, for example `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /**
   * Called with `true` if the client keeps the request waiting for its turn (`limitedClient`), and with `false`
   * when it is sent after that, which is when timeouts begin. Other clients never call it. A wrapper of a client
   * passes it on. A client that sends requests to another thread has to leave it out.
   */
  readonly onQueued?: ((isQueued: boolean) => void) | undefined;
}

/** What comes back, in this order: one `head`, any number of `bytes`, then completion. */
export type ResponsePart = ResponseHead | ResponseBytes;

export interface ResponseHead {
  readonly type: 'head';
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ResponseBytes {
  readonly type: 'bytes';
  /** As they were read from the network, already decompressed; never empty, valid until the callback returns or longer. */
  readonly bytes: Uint8Array;
}

/**
 * The connection to an API server: everything above it is the same in Node, in a browser and in a test.
 *
 * **Guarantees**: cold, one HTTP exchange per subscription; unsubscribing aborts it, with no late emission; credentials
 * are read for each exchange; an answer of 400 or more is a `StatusError`, a connection that fails a `ConnectionError`,
 * unreadable credentials a `CredentialsError`; a body that ends before its announced end is a `ConnectionError`.
 * **Does not guarantee**: a time limit for the response; the caller sets its own, as `listWatch` does. `kubeClient` limits the read of
 * credentials (`credentialsTimeout`).
 */
export interface KubeClient extends ClientClock {
  exchange(request: KubeRequest): Observable<ResponsePart>;
}

/** The clock of a client, and its random numbers: the defaults of everything that uses the client. A wrapper passes them on. */
export interface ClientClock {
  /** Default `asyncScheduler`. The client of the in-memory API server has the server's. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1) for timeouts and backoff. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Returns the clock that `options` name, otherwise that of the client, otherwise `asyncScheduler`. */
export function schedulerOf(client: ClientClock, options: Pick<ClientClock, 'scheduler'> = {}): SchedulerLike {
  return options.scheduler ?? client.scheduler ?? asyncScheduler;
}

/** Returns the random numbers that `options` name, otherwise those of the client, otherwise `Math.random`. */
export function randomOf(client: ClientClock, options: Pick<ClientClock, 'random'> = {}): () => number {
  return options.random ?? client.random ?? Math.random;
}

/** Method, path and query of a request, as they stand in the first line of it and in every error about it. */
export function requestLine({ method, path, query = {} }: KubeRequest): RequestLine {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return { method, url: parameters.size === 0 ? path : `${path}?${parameters}` };
}

/**
 * The URL of a request at a server, which may have a path of its own; with no server (`''`) it is relative to the page's origin.
 *
 * There is exactly one slash between the two: a path without one, or with two, must not name another host.
 */
export function requestUrl(baseUrl: string, { url }: RequestLine): string {
  return `${baseUrl.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}

/**
 * One request whose whole answer is one JSON document: emits the document and completes.
 *
 * **Errors**: those of `KubeClient.exchange`; `ResponseError` for an answer that is not JSON (a login page, nothing at all).
 * **Guarantees**: cold, one exchange per subscription; unsubscribing aborts it.
 * **Does not guarantee**: that the document is a `T`; that is the caller's belief.
 */
export function requestJson<T>(client: KubeClient, request: KubeRequest): Observable<T> {
  return defer(() => {
    const body = createByteAccumulator();
    return client.exchange(request).pipe(
      reduce((collected, part) => {
        if (part.type === 'bytes') collected.append(part.bytes);
        return collected;
      }, body),
      map((collected) => decodeAnswer(request, collected.peek()) as T),
    );
  });
}

function decodeAnswer(request: KubeRequest, body: Uint8Array): unknown {
  try {
    return decodeJson(body);
  } catch (error) {
    if (error instanceof WireError) throw new ResponseError(requestLine(request), error.problem, error.line);
    throw error;
  }
}
