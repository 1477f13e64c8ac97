import { asyncScheduler, type Observable, type SchedulerLike } from 'rxjs';

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
