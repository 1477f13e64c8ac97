import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { kubeCredentials, type KubeConfigLike, type KubeCredentials } from 'rx-informers/node';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { compress, isCompressible, WatchStage, withoutLength } from './answer-stages.js';
import { answerWithFailure, type Failure } from './failure.js';
import { headersToServer, takes } from './forwarded-headers.js';
import { relay, type PreparedAnswer, type RelayFailure } from './relay.js';
import { askForMetadata, stripSecrets } from './secrets.js';
import { UpstreamLiveness } from './upstream-liveness.js';
import { openUpstreamRequest } from './upstream-request.js';
import type { ReadCredentials } from './viewer-credentials.js';

/** The requested part of the API, as `admit` parsed it. */
export interface ApiTarget {
  readonly path: string;
  /** The query with its question mark, or an empty string. */
  readonly query: string;
  /** The name of the object; `undefined` for a collection. */
  readonly name?: string | undefined;
  /** Whether the path is `/api/v1/watch/…`, which is a watch regardless of the query. */
  readonly isWatch?: boolean;
  /** Whether only the metadata of the requested objects may be forwarded. */
  readonly isSecret?: boolean;
  /** The sender, whose credentials replace those of the kubeconfig; default: none. */
  readonly viewer?: ViewerCredentials | undefined;
}

/** The credentials of one viewer, for one request. */
export interface ViewerCredentials {
  readonly credentials: ReadCredentials;
  /** Called before an answer with 401 is forwarded. */
  readonly refused: () => void;
}

export interface ApiProxyOptions {
  /**
   * Milliseconds until the API server must begin to answer. Default: 65 s, slightly more than the
   * timeout of the API server.
   */
  readonly answerTimeout?: number;
  /** Receives errors on the way to the API server, with more detail than the browser receives. */
  readonly onError?: (error: Error) => void;
  /** The scheduler for `answerTimeout` and for heartbeats. */
  readonly scheduler?: SchedulerLike;
}

export interface ApiProxy {
  forward(request: IncomingMessage, response: ServerResponse, target: ApiTarget): void;
  /** Closes the connections to the API server. */
  close(): void;
}

/**
 * Forwards requests to the API server of a kubeconfig, with its credentials, and streams the
 * answers back.
 *
 * **Guarantees**:
 * - Answers are forwarded as their parts arrive, and are not read faster than the browser accepts
 * them. Only a Secret or a list of Secrets whose content must be removed is held back until it is
 * complete.
 * - If the browser or the API server disconnects, the other connection is closed too.
 * - A failure on the way is a `Status` with code 502 or 504. After the answer has begun, a failure
 * breaks the connection.
 * - Credentials of the kubeconfig never reach the browser. Credentials of the browser never reach
 * the API server. Viewers share the connections of the proxy, but each request has the credentials
 * of its own viewer only.
 * - A watch sends something at least every five seconds while the API server is alive. It is
 * disconnected ten seconds after the last sign of life (`UpstreamLiveness`).
 * - Answers are compressed if the browser accepts gzip. Events of a watch are compressed one by
 * one.
 */
export function apiProxy(kubeConfig: KubeConfigLike, options: ApiProxyOptions = {}): ApiProxy {
  const { answerTimeout = 65_000, onError = () => undefined, scheduler = asyncScheduler } = options;
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  const readCredentials = kubeCredentials(kubeConfig);
  const liveness = new UpstreamLiveness({
    scheduler,
    probe: () => void probe(),
    giveUp: (reason) => {
      onError(new Error(`all connections to the API server were closed: ${reason}`));
      closeConnections();
    },
  });

  function closeConnections(): void {
    agents.http.destroy();
    agents.https.destroy();
  }

  /**
   * Requests the version. Any answer counts as a sign of life. Without an answer, `giveUp` closes
   * this request with all other connections.
   */
  async function probe(): Promise<void> {
    let upstream: ClientRequest;
    try {
      const target = { method: 'GET', path: '/version', headers: { 'user-agent': 'rx-informers-dashboard' } };
      upstream = openUpstreamRequest(await readCredentials(), agents, target);
    } catch {
      return;
    }
    upstream
      .on('response', (answer) => {
        liveness.received();
        answer.resume().on('error', () => undefined);
      })
      .on('error', () => undefined)
      .end();
  }

  async function forward(request: IncomingMessage, response: ServerResponse, target: ApiTarget): Promise<void> {
    const { method = 'GET' } = request;

    function fail(failure: RelayFailure, server: string): void {
      const described = describe(failure, server, answerTimeout);
      onError(new Error(`${method} ${target.path}: ${described.message}`, causeOf(failure)));
      answerWithFailure(response, described);
    }

    let credentials: KubeCredentials;
    try {
      credentials = await (target.viewer?.credentials ?? readCredentials)();
    } catch (cause) {
      fail({ type: 'not-sent', cause }, '');
      return;
    }
    if (response.destroyed) return;
    const { isStream, isWatch } = streamOf(target);
    const upstream = requestFor(request, target, isStream);
    const pending = isWatch ? holdWatch(response) : undefined;
    relay(request, response, {
      open: () => openUpstreamRequest(credentials, agents, { method, ...upstream }),
      answerTimeout,
      scheduler,
      prepare: (answer, headers) => {
        liveness.received();
        if (answer.statusCode === 401) target.viewer?.refused();
        const stages: Duplex[] = [];
        if (target.isSecret && method !== 'HEAD') stages.push(stripSecrets(isWatch && answer.statusCode === 200));
        if (pending !== undefined && isLines(headers)) stages.push(pending.begin(answer));
        return prepared(request, headers, stages, isStream);
      },
      onFailure: (failure) => {
        fail(failure, new URL(credentials.server).origin);
      },
    });
  }

  /** Registers a watch with `UpstreamLiveness`, from its request to its end. */
  function holdWatch(response: ServerResponse): { readonly begin: (answer: IncomingMessage) => Duplex } {
    let stage: WatchStage | undefined;
    let localAddress: string | undefined;
    const release = liveness.hold({
      get lastAt() {
        return stage?.lastAt;
      },
      get localAddress() {
        return localAddress;
      },
      beat: () => stage?.beat(),
      breakOff: () => response.destroy(),
    });
    response.once('close', release);
    return {
      begin: (answer) => {
        localAddress = answer.socket.localAddress;
        stage = new WatchStage(scheduler, () => {
          liveness.received();
        });
        return stage;
      },
    };
  }

  return {
    forward: (request, response, target) => void forward(request, response, target),
    close: closeConnections,
  };
}

/** Returns the request for the API server. */
function requestFor(
  request: IncomingMessage,
  target: ApiTarget,
  isStream: boolean,
): { readonly path: string; readonly headers: OutgoingHttpHeaders } {
  const headers = headersToServer(request, isStream || target.isSecret === true);
  if (target.isSecret !== true) return { path: `${target.path}${target.query}`, headers };
  const isWatch = streamOf(target).isWatch;
  const { accept, query } = askForMetadata({ ...target, isWatch }, request.headers.accept);
  return { path: `${target.path}${query}`, headers: { ...headers, accept } };
}

function prepared(
  request: IncomingMessage,
  headers: OutgoingHttpHeaders,
  stages: readonly Duplex[],
  isStream: boolean,
): PreparedAnswer {
  const asItIs = stages.length === 0 ? headers : withoutLength(headers);
  if (request.method !== 'GET' || !takes('gzip', request) || !isCompressible(asItIs))
    return { headers: asItIs, stages };
  return {
    headers: { ...withoutLength(headers), 'content-encoding': 'gzip', vary: 'accept-encoding' },
    stages: [...stages, compress(isStream)],
  };
}

/**
 * Returns whether an answer consists of lines of JSON. A watch in this format may have empty lines
 * between its events.
 */
function isLines({ 'content-type': type, 'content-encoding': encoding = 'identity' }: OutgoingHttpHeaders): boolean {
  return String(type ?? '').startsWith('application/json') && encoding === 'identity';
}

/** Returns whether a request is a stream (a watch or a followed log), and whether it is a watch. */
function streamOf(target: ApiTarget): { readonly isStream: boolean; readonly isWatch: boolean } {
  const parameters = new URLSearchParams(target.query);
  const watch = parameters.get('watch');
  const isWatch = target.isWatch === true || (watch !== null && watch !== 'false' && watch !== '0');
  return { isWatch, isStream: isWatch || parameters.has('follow') };
}

function describe(failure: RelayFailure, server: string, answerTimeout: number): Failure {
  switch (failure.type) {
    case 'not-sent':
      // Omits the cause, because it may quote the output of an exec plugin.
      return {
        code: 502,
        message: 'the credentials of the kubeconfig cannot be used; see the terminal of the dashboard for the reason',
      };
    case 'broken':
      return { code: 502, message: `no response from ${server}: ${reasonOf(failure.cause)}` };
    case 'late':
      return { code: 504, message: `no response from ${server} within ${answerTimeout / 1000} s` };
    case 'redirected':
      return {
        code: 502,
        message: `${server} is not a Kubernetes API, or requires a login: it redirects to ${failure.location}`,
      };
  }
}

function causeOf(failure: RelayFailure): ErrorOptions {
  return 'cause' in failure ? { cause: failure.cause } : {};
}

/**
 * Returns the message of an error. If several addresses were tried, the error is an
 * `AggregateError` without a message. Then returns the messages of its errors.
 */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
