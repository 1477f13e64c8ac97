import { asyncScheduler, defer, map, reduce, type Observable, type SchedulerLike } from 'rxjs';
import { ResponseError, type RequestLine } from '../model/errors.js';
import { createByteAccumulator, decodeJson, WireError } from '../wire/bytes.js';

/** Describes one HTTP request to the API server. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path without query, for example `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /**
   * Notifies the caller that the client delays the request (`limitedClient`): called with `true`
   * when it begins to wait, and with `false` when it is sent after that, which is when timeouts
   * begin. Other clients never call it. A wrapper of a client passes it on; a client that sends
   * requests to another thread leaves it out.
   */
  readonly onQueued?: ((isQueued: boolean) => void) | undefined;
}

/** The parts of a response, in this order: one `head`, any number of `bytes`, then completion. */
export type ResponsePart = ResponseHead | ResponseBytes;

export interface ResponseHead {
  readonly type: 'head';
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ResponseBytes {
  readonly type: 'bytes';
  /**
   * The bytes as read from the network, already decompressed. Never empty. They stay valid at least
   * until the callback returns.
   */
  readonly bytes: Uint8Array;
}

/**
 * Sends requests to an API server. Everything above it is the same in Node, in a browser and in a
 * test.
 *
 * **Guarantees**: cold, one HTTP exchange per subscription. Unsubscribing aborts the exchange, and
 * nothing is emitted afterwards. Credentials are read for each exchange. A response of 400 or more
 * is a `StatusError`, a failed connection or a body that ends too early a `ConnectionError`, and
 * unreadable credentials a `CredentialsError`. **Does not guarantee**: a timeout for the response;
 * the caller sets its own, as `listWatch` does. `kubeClient` limits the time for reading
 * credentials (`credentialsTimeout`).
 */
export interface KubeClient extends ClientClock {
  exchange(request: KubeRequest): Observable<ResponsePart>;
}

/**
 * The clock and the random numbers of a client: the defaults for everything that uses the client. A
 * wrapper passes them on.
 */
export interface ClientClock {
  /**
   * The clock. Default `asyncScheduler`. The client of the in-memory API server has the clock of
   * that server.
   */
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

/**
 * Returns method, path and query of a request, as they are in the first line of the request and in
 * every error about it.
 */
export function requestLine({ method, path, query = {} }: KubeRequest): RequestLine {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return { method, url: parameters.size === 0 ? path : `${path}?${parameters}` };
}

/**
 * Returns the URL of a request. The base URL may have a path of its own; `''` makes the URL
 * relative to the origin of the page.
 *
 * Exactly one slash separates the two, so that a path without one, or with two, cannot name another
 * host.
 */
export function requestUrl(baseUrl: string, { url }: RequestLine): string {
  return `${baseUrl.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}

/**
 * Sends one request whose whole response is one JSON document. Emits the document and completes.
 *
 * **Guarantees**: cold, one exchange per subscription; unsubscribing aborts it. **Does not
 * guarantee**: that the document is a `T`. The caller states that. **Errors**: those of
 * `KubeClient.exchange`, and `ResponseError` for a response that is not JSON, for example a login
 * page.
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
