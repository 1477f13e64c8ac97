import { Agent as HttpAgent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { kubeCredentials, type KubeConfigLike, type KubeCredentials } from 'rx-informers/node';
import { answerWithFailure, type Failure } from './failure.js';
import { headersToServer } from './forwarded-headers.js';
import { relay, type RelayFailure } from './relay.js';
import { openUpstreamRequest } from './upstream-request.js';

/** What of the API a request asks for, as it was judged. */
export interface ApiTarget {
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
}

export interface ApiProxyOptions {
  /** Milliseconds until the API server must have begun to answer; default 65 s, a little more than it gives itself. */
  readonly answerTimeout?: number;
  /** Hears what went wrong on the way to the API server, in more words than the browser may see. */
  readonly onError?: (error: Error) => void;
  /** The clock of `answerTimeout`. */
  readonly scheduler?: SchedulerLike;
}

export interface ApiProxy {
  forward(request: IncomingMessage, response: ServerResponse, target: ApiTarget): void;
  /** Closes the connections to the API server. */
  close(): void;
}

/**
 * Passes requests on to the API server of a kubeconfig, with its credentials, and answers back as they come in.
 *
 * **Guarantees**: nothing is held back, and nothing is read faster than the browser takes it; where either side breaks off,
 * so does the other; a failure on the way is a `Status` with code 502 or 504, or, once the answer has begun, a broken
 * connection; credentials never reach the browser, and what the browser has for credentials never reaches the API server.
 */
export function apiProxy(kubeConfig: KubeConfigLike, options: ApiProxyOptions = {}): ApiProxy {
  const { answerTimeout = 65_000, onError = () => undefined, scheduler = asyncScheduler } = options;
  const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
  const readCredentials = kubeCredentials(kubeConfig);

  async function forward(request: IncomingMessage, response: ServerResponse, target: ApiTarget): Promise<void> {
    const { method = 'GET' } = request;

    function fail(failure: RelayFailure, server: string): void {
      const described = describe(failure, server, answerTimeout);
      onError(new Error(`${method} ${target.path}: ${described.message}`, causeOf(failure)));
      answerWithFailure(response, described);
    }

    let credentials: KubeCredentials;
    try {
      credentials = await readCredentials();
    } catch (cause) {
      fail({ type: 'not-sent', cause }, '');
      return;
    }
    if (response.destroyed) return;
    const path = `${target.path}${target.query}`;
    const headers = headersToServer(request, asksForStream(target.query));
    relay(request, response, {
      open: () => openUpstreamRequest(credentials, agents, { method, path, headers }),
      answerTimeout,
      scheduler,
      onFailure: (failure) => {
        fail(failure, new URL(credentials.server).origin);
      },
    });
  }

  return {
    forward: (request, response, target) => void forward(request, response, target),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** A watch, or a log that is followed. */
function asksForStream(query: string): boolean {
  const parameters = new URLSearchParams(query);
  return parameters.has('watch') || parameters.has('follow');
}

function describe(failure: RelayFailure, server: string, answerTimeout: number): Failure {
  switch (failure.type) {
    case 'not-sent':
      // Not the cause: it may quote what an exec plugin has printed.
      return {
        code: 502,
        message: 'the credentials of the kubeconfig cannot be used; the terminal of the dashboard says why',
      };
    case 'broken':
      return { code: 502, message: `no answer from ${server}: ${reasonOf(failure.cause)}` };
    case 'late':
      return { code: 504, message: `no answer from ${server} within ${answerTimeout / 1000} s` };
    case 'redirected':
      return {
        code: 502,
        message: `${server} is no Kubernetes API, or wants a login: it redirects to ${failure.location}`,
      };
  }
}

function causeOf(failure: RelayFailure): ErrorOptions {
  return 'cause' in failure ? { cause: failure.cause } : {};
}

/** Where several addresses were tried, the errors of all of them are in one that says nothing itself. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
