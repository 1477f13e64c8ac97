import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { catchError, mergeMap, throwError, type Observable } from 'rxjs';
import { CredentialsError } from '../../model/errors.js';
import { requestLine, requestUrl, type KubeClient, type KubeRequest, type ResponsePart } from '../kube-client.js';
import { limitedIfAsked, type RateLimitOptions } from '../limited-client.js';
import { statusErrorResponse } from '../status-error-response.js';
import { credentialsOf, type CredentialsOptions, type KubeConfigLike, type KubeCredentials } from './credentials.js';
import { httpExchange } from './http-exchange.js';

export interface NodeKubeClient extends KubeClient {
  /**
   * Closes all pooled connections, including those in use: their exchanges fail with a
   * `ConnectionError`.
   *
   * Rarely needed: idle connections do not keep a process alive. The client can be used again
   * afterwards.
   */
  close(): void;
}

export interface KubeClientOptions extends CredentialsOptions, RateLimitOptions {
  /**
   * Accepts compressed responses to GETs other than watches. Default true. `false` saves CPU on
   * both sides if the network is faster than gzip, as on the machine of the API server.
   */
  readonly gzip?: boolean | undefined;
  /** The name of this program in the audit log of the API server. Default `rx-informers`. */
  readonly userAgent?: string | undefined;
}

/**
 * A connection that is idle for longer is closed: a load balancer may have dropped it without
 * notice.
 */
const idleTimeout = 60_000;

/**
 * Creates a client for Node, over `node:http` and `node:https`, with the server and the credentials
 * of a kubeconfig.
 *
 * It supports everything that a kubeconfig does: tokens, token files, client certificates, exec
 * plugins, OIDC, basic authentication, impersonation, proxies.
 *
 * **Guarantees**: those of `KubeClient`. Server and credentials are read at the beginning of each
 * exchange, and once for exchanges that begin together, so a rotated token or certificate is used
 * at once. A read that takes longer than `credentialsTimeout` is a `CredentialsError` that names
 * the plugin. The next exchange reads again, also if an exchange was unsubscribed while its read
 * was pending. One pool keeps connections alive, and only requests with the same TLS identity share
 * a connection. TLS is verified unless the cluster has `insecure-skip-tls-verify`. With an
 * incomplete or malformed kubeconfig, each exchange fails with a `CredentialsError`; creating the
 * client does not throw. **Does not guarantee**: pooling behind a proxy (`proxy-url`), where the
 * agent of the kubeconfig decides. Neither unsubscribing nor the timeout kills a running exec
 * plugin. The client follows the *current* context of the kubeconfig: for two clusters, use two
 * kubeconfigs.
 *
 * @throws InvalidOptionError for a `credentialsTimeout` that no timer can wait for, and as
 *   `limitedClient` does
 * @example
 * import { KubeConfig } from '@kubernetes/client-node';
 * import { informer, pods } from 'rx-informers';
 * import { kubeClient } from 'rx-informers/node';
 *
 * const kubeConfig = new KubeConfig();
 * kubeConfig.loadFromDefault();
 * const podInformer = informer(kubeClient(kubeConfig), pods);
 */
export function kubeClient(kubeConfig: KubeConfigLike, options: KubeClientOptions = {}): NodeKubeClient {
  const agentOptions = { keepAlive: true, timeout: idleTimeout };
  const httpAgent = new HttpAgent(agentOptions);
  const httpsAgent = new HttpsAgent(agentOptions);
  const credentials$ = credentialsOf(kubeConfig, options);
  let timesClosed = 0;

  function open(request: KubeRequest, credentials: KubeCredentials): ClientRequest {
    const url = new URL(requestUrl(credentials.server, requestLine(request)));
    const isSecure = url.protocol === 'https:';
    const send = isSecure ? httpsRequest : httpRequest;
    const sent = send(url, {
      agent: isSecure ? httpsAgent : httpAgent,
      ...credentials.options,
      method: request.method,
      headers: { ...headersOf(request, options), ...credentials.options.headers },
    });
    return sent.end(request.body);
  }

  function exchange(request: KubeRequest): Observable<ResponsePart> {
    const line = requestLine(request);
    return credentials$.pipe(
      catchError((cause: unknown) => throwError(() => new CredentialsError(line, cause))),
      mergeMap((credentials) => {
        const openedIn = timesClosed;
        const canRepeat = (): boolean => request.method === 'GET' && timesClosed === openedIn;
        return httpExchange(line, () => open(request, credentials), canRepeat);
      }),
      statusErrorResponse(line, options.scheduler),
    );
  }

  return {
    ...limitedIfAsked({ exchange, scheduler: options.scheduler }, options),
    close() {
      timesClosed++;
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}

function headersOf(request: KubeRequest, options: KubeClientOptions): OutgoingHttpHeaders {
  const { gzip = true, userAgent = 'rx-informers' } = options;
  const isWatch = request.query?.['watch'] !== undefined && String(request.query['watch']) !== 'false';
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(gzip && request.method === 'GET' && !isWatch && { 'accept-encoding': 'gzip' }),
    ...(request.body !== undefined && bodyHeaders(request.body)),
    ...request.headers,
  };
}

/** Node itself announces no length for the body of a DELETE, and sends what the server takes for the next request. */
function bodyHeaders(body: string): OutgoingHttpHeaders {
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
}
