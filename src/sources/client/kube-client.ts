import { asyncScheduler, defer, map, reduce, type Observable, type SchedulerLike } from 'rxjs';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import { ResponseError, type RequestLine } from '../model/errors.js';
import { createByteAccumulator, decodeJson, WireError } from '../wire/bytes.js';

/** Describes one HTTP request to the API server. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The absolute path without the query, for example `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The headers, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /**
   * Called by a client that delays the request (`limitedClient`): with `true` when the request
   * begins to wait, with `false` when it is sent and its timeouts begin. A wrapper of a client must
   * pass it on. A client that sends requests to another thread must omit it.
   */
  readonly onQueued?: ((isQueued: boolean) => void) | undefined;
  /**
   * Present if the request writes. The `client` of a run calls it with a function that receives
   * each write that the response confirms, before the caller receives the response. A wrapper of a
   * client must pass it on. A client that sends requests to another thread must omit it.
   */
  readonly recordWrites?: ((record: (write: RecordedWrite) => void) => void) | undefined;
}

/** A write that the API server has carried out. */
export interface RecordedWrite {
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete';
  readonly resource: Resource<unknown>;
  /** The object in the response. If that is only a status, it has only name, namespace and uid. */
  readonly object: KubernetesObject;
  /** The uid of the object; `''` if the response does not say which objects were deleted. */
  readonly uid: string;
  /** The version that the write created; `undefined` if the response does not contain it. */
  readonly resourceVersion: string | undefined;
  /** The version that the write has replaced; `undefined` if this is not known. */
  readonly replacedVersion: string | undefined;
  /**
   * True if the object no longer exists. False if it is only terminating. `undefined` if the
   * response does not say which of both is true (`deleteCollection`).
   */
  readonly isGone: boolean | undefined;
  /** False if the caller opted out of waiting for the caches (`waitForCache: false`). */
  readonly waitForCache: boolean;
}

/** The parts of a response, in this order: one `head`, any number of `bytes`, then completion. */
export type ResponsePart = ResponseHead | ResponseBytes;

/** The status and the headers of a response, before its body. */
export interface ResponseHead {
  readonly type: 'head';
  readonly status: number;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One part of the body of a response. */
export interface ResponseBytes {
  readonly type: 'bytes';
  /** The decompressed bytes, never empty. They stay valid at least until the callback returns. */
  readonly bytes: Uint8Array;
}

/**
 * Sends requests to an API server. All code that uses a client is the same in Node, in a browser
 * and in a test.
 *
 * **Guarantees**: cold, one HTTP exchange per subscription. Unsubscribing aborts the exchange, and
 * nothing is emitted afterwards. Credentials are read for each exchange. A response of 400 or more
 * leads to a `StatusError`. A failed connection, or a body that ends too early, leads to a
 * `ConnectionError`. Unreadable credentials lead to a `CredentialsError`. **Does not guarantee**: a
 * timeout for the response; the caller sets its own timeout, as `listWatch` does. `kubeClient`
 * limits the time for reading credentials (`credentialsTimeout`).
 */
export interface KubeClient extends ClientClock {
  exchange(request: KubeRequest): Observable<ResponsePart>;
}

/**
 * The clock and the random numbers of a client: the defaults for everything that uses the client. A
 * wrapper passes them on.
 */
export interface ClientClock {
  /** The clock; default `asyncScheduler`. The in-memory API server's client has that server's. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1) for timeouts and backoff. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Returns the scheduler of `options`, otherwise that of the client, otherwise `asyncScheduler`. */
export function schedulerOf(client: ClientClock, options: Pick<ClientClock, 'scheduler'> = {}): SchedulerLike {
  return options.scheduler ?? client.scheduler ?? asyncScheduler;
}

/** Returns `random` of `options`, otherwise `random` of the client, otherwise `Math.random`. */
export function randomOf(client: ClientClock, options: Pick<ClientClock, 'random'> = {}): () => number {
  return options.random ?? client.random ?? Math.random;
}

/** Returns method, path and query, as the request's first line and all errors have them. */
export function requestLine({ method, path, query = {} }: KubeRequest): RequestLine {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return { method, url: parameters.size === 0 ? path : `${path}?${parameters}` };
}

/**
 * Returns the URL of a request. The base URL may have a path; `''` makes the URL relative to the
 * origin of the page. One slash separates base URL and path, so that a path without a slash, or
 * with two, cannot address another host.
 */
export function requestUrl(baseUrl: string, { url }: RequestLine): string {
  return `${baseUrl.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}

/**
 * Sends a request whose response is one JSON document. Emits the document and completes.
 *
 * **Guarantees**: cold, one exchange per subscription; unsubscribing aborts it. **Does not
 * guarantee**: that the document is a `T`. **Errors**: those of `KubeClient.exchange`, and
 * `ResponseError` for a response that is not JSON, for example a login page.
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
