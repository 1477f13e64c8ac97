import { asyncScheduler, defer, map, reduce, type Observable, type SchedulerLike } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import type { KubernetesObject } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import { type RequestLine, responseError } from '../model/errors.js';
import { createByteAccumulator, decodeJson } from '../wire/bytes.js';

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

/**
 * A write that the API server has carried out. Or a write that it refused because the object with
 * this uid no longer exists: then `isGone` is true.
 */
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
  /** True if the warnings in the headers were logged. A client that logs them sets it. */
  readonly warningsLogged?: boolean | undefined;
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
 * `RXI_CONNECTION`. Unreadable credentials lead to an `RXI_CREDENTIALS`. **Does not guarantee**: a
 * timeout for the response; the caller sets its own timeout, as `listWatch` does. `kubeClient`
 * limits the time for reading credentials (`credentialsTimeout`).
 */
export interface KubeClient extends ClientClock {
  exchange(request: KubeRequest): Observable<ResponsePart>;
  /** The address of the API server, for messages. A wrapper passes it on. */
  readonly server?: string | undefined;
  /**
   * The namespace of the kubeconfig's context, or of the pod. `readableNamespaces` reviews it. All
   * other functions read all namespaces by default. A wrapper passes it on.
   */
  readonly namespace?: string | undefined;
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

/** Returns a client with the clock and the names of `client`, whose requests `exchange` sends. */
export function wrappedClient(
  client: KubeClient,
  exchange: KubeClient['exchange'],
  scheduler: SchedulerLike | undefined = client.scheduler,
): KubeClient {
  return {
    scheduler,
    random: client.random,
    get server() {
      return client.server;
    },
    get namespace() {
      return client.namespace;
    },
    exchange,
  };
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
 * `RXI_RESPONSE` for a response that is not JSON, for example a login page.
 *
 * @typeParam T the type of the document, which is not checked
 * @param client the connection to the API server
 * @param request the request, or the path of a GET
 * @returns an Observable of one document
 * @example
 * import type { KubeClient } from 'rx-informers';
 * import { requestJson } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * requestJson<{ gitVersion: string }>(client, '/version').subscribe(({ gitVersion }) => {
 *   console.log(gitVersion); // v1.36.0
 * });
 */
export function requestJson<T>(client: KubeClient, request: KubeRequest | string): Observable<T> {
  const sent: KubeRequest = typeof request === 'string' ? { method: 'GET', path: request } : request;
  return defer(() => {
    const body = createByteAccumulator();
    return client.exchange(sent).pipe(
      reduce((collected, part) => {
        if (part.type === 'bytes') collected.append(part.bytes);
        return collected;
      }, body),
      map((collected) => decodeAnswer(sent, collected.peek()) as T),
    );
  });
}

function decodeAnswer(request: KubeRequest, body: Uint8Array): unknown {
  try {
    return decodeJson(body);
  } catch (error) {
    if (isRxInformersError(error, 'RXI_WIRE')) throw responseError(requestLine(request), error.problem, error.line);
    throw error;
  }
}
