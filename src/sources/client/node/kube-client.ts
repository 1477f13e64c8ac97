import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type OutgoingHttpHeaders,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { catchError, mergeMap, tap, type Observable, throwError } from 'rxjs';
import { invalidOptionError } from '../../../kubernetes/errors.js';
import { credentialsError } from '../../model/errors.js';
import { type KubeClient, type KubeRequest, requestLine, requestUrl, type ResponsePart } from '../kube-client.js';
import { limitedIfConfigured, type RateLimitOptions } from '../limited-client.js';
import { statusErrorResponse } from '../status-error-response.js';
import {
  credentialsAdvice,
  credentialsOf,
  type CredentialsOptions,
  type KubeConfigLike,
  type KubeCredentials,
} from './credentials.js';
import { httpExchange, type SendRequest } from './http-exchange.js';
import { idleTimeout, overHttp1 } from './http1.js';
import { http2Pool, type PooledRequest } from './http2-pool.js';
import { TunnelAgent } from './proxy.js';

/** A client of {@link kubeClient}, whose connections can be closed. */
export interface NodeKubeClient extends KubeClient {
  /**
   * Closes all connections. Exchanges in progress fail with an `RXI_CONNECTION`. Rarely needed:
   * idle connections do not keep a process alive. The client can be used again afterwards.
   *
   * Call `stop()` of informers first: an informer that has subscribers, or lingers, connects again.
   */
  close(): void;
}

/** Options of {@link kubeClient}. */
export interface KubeClientOptions extends CredentialsOptions, RateLimitOptions {
  /**
   * Accepts compressed responses to GETs, watches included. Default true. API servers compress
   * lists of 128 KiB or more. Since Kubernetes 1.37 they also compress streaming lists and flush
   * after each event, so no event is delayed. A compressed watch costs some 0.2 MB of memory on
   * both sides. `false` saves CPU on both sides if the network is faster than gzip, as on the
   * machine of the API server.
   */
  readonly gzip?: boolean | undefined;
  /**
   * Sends requests over HTTP/2: one connection for all watches instead of one connection for each
   * watch. Default false.
   *
   * HTTP/2 saves a TLS handshake for each watch and some processor time for each event, and detects
   * a dead connection within 10 seconds. Costs: one lost packet delays all watches of the
   * connection. All watches share the buffers of one connection, so a process that is too slow for
   * many busy watches is cut off sooner. While a connection is in use but silent, a PING of 17
   * bytes is sent every four seconds. If the server does not support HTTP/2, the client does one
   * more TLS handshake. Such a server, a server without TLS, and a server behind a SOCKS proxy are
   * used over HTTP/1.1.
   */
  readonly http2?: boolean | undefined;
  /** The name of this program in the audit log of the API server. Default `rx-informers`. */
  readonly userAgent?: string | undefined;
}

/**
 * Creates a client for Node, with the server and the credentials of a kubeconfig. It uses
 * `node:http` and `node:https`, or with `http2: true` also `node:http2`.
 *
 * It supports everything that a kubeconfig can contain: tokens, token files, client certificates,
 * exec plugins, OIDC, basic authentication, impersonation, proxies. Without `proxy-url` it uses
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` as kubectl does; no credentials are sent through a
 * proxy to a server without TLS.
 *
 * **Guarantees**: the guarantees of `KubeClient`. Server and credentials are read at the beginning
 * of each exchange, and once for exchanges that begin together, so a rotated token or certificate
 * is used at once. After a 401, the next exchange asks the exec plugin for new credentials, and
 * reads a token file again, even if the credentials have not expired. If a read takes longer than
 * `credentialsTimeout`, the exchange fails with an `RXI_CREDENTIALS` that names the plugin, and the
 * next exchange reads again. The next exchange also reads again if an exchange was unsubscribed
 * during its read. One pool keeps connections alive; only requests with the same TLS identity share
 * a connection. TLS is verified unless the cluster has `insecure-skip-tls-verify`. With an
 * incomplete or malformed kubeconfig, each exchange fails with an `RXI_CREDENTIALS`; creating the
 * client does not throw. If no connection is open after 10 seconds, TLS included, the exchange
 * fails with an `RXI_CONNECTION`.
 *
 * With `http2: true`, all exchanges with the same TLS identity share one connection. Another
 * connection is opened only if the server allows no more streams. If nothing arrives on a
 * connection, a PING is sent. If the server does not respond, all exchanges of the connection fail
 * with an `RXI_CONNECTION`, at most 10 seconds after the last byte. After GOAWAY, accepted
 * exchanges finish, and new exchanges use a new connection; a GET that the server has not processed
 * is sent again. After the rotation of a client certificate, a new connection is used, and the old
 * connection is closed when its last exchange has ended.
 *
 * **Does not guarantee**: pooling behind a SOCKS proxy (`proxy-url`), because the agent of the
 * kubeconfig is used there. Neither unsubscribing nor the timeout kills a running exec plugin. The
 * client follows the *current* context of the kubeconfig: for two clusters, use two kubeconfigs.
 *
 * @param kubeConfig a `KubeConfig` of `@kubernetes/client-node`
 * @param options compression, HTTP/2, the rate limit and timeouts; see {@link KubeClientOptions}
 * @returns a client, which opens no connection before its first request
 * @throws `RXI_INVALID_OPTION` if `credentialsTimeout` is not above 0 or is longer than a timer
 *   supports, and for the invalid limits that `limitedClient` refuses
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
  if (typeof (kubeConfig as Partial<KubeConfigLike> | undefined)?.applyToHTTPSOptions !== 'function') {
    throw invalidOptionError('the argument of kubeClient', kubeConfig, 'a KubeConfig of @kubernetes/client-node');
  }
  const agentOptions = { keepAlive: true, timeout: idleTimeout };
  const httpAgent = new HttpAgent(agentOptions);
  const httpsAgent = new HttpsAgent(agentOptions);
  const http2 = options.http2 === true ? http2Pool(httpsAgent, idleTimeout, options.scheduler) : undefined;
  const reader = credentialsOf(kubeConfig, options);
  let timesClosed = 0;

  function open(request: KubeRequest, credentials: KubeCredentials): ClientRequest {
    const url = new URL(requestUrl(credentials.server, requestLine(request)));
    const isSecure = url.protocol === 'https:';
    const send = isSecure ? httpsRequest : httpRequest;
    const sent = send(url, {
      agent: isSecure ? httpsAgent : httpAgent,
      ...credentials.options,
      // A proxy that forwards a request needs the whole URL.
      ...(credentials.options.hostname && { path: url.href }),
      method: request.method,
      headers: { ...headersOf(request, options), ...credentials.options.headers },
    });
    return sent.end(request.body);
  }

  function send(request: KubeRequest, credentials: KubeCredentials): SendRequest {
    const overOne = overHttp1(() => open(request, credentials), options.scheduler);
    const { agent } = credentials.options;
    const isDirect = agent === undefined || agent instanceof TunnelAgent;
    if (http2 === undefined || !isDirect || new URL(credentials.server).protocol !== 'https:') return overOne;
    return http2.send(() => http2Request(request, credentials, options), overOne);
  }

  function exchange(request: KubeRequest): Observable<ResponsePart> {
    const line = requestLine(request);
    return reader.credentials$.pipe(
      catchError((cause: unknown) =>
        throwError(() => credentialsError(line, cause, credentialsAdvice(kubeConfig, cause))),
      ),
      mergeMap((read) => {
        const openedIn = timesClosed;
        const canRepeat = (): boolean => request.method === 'GET' && timesClosed === openedIn;
        return httpExchange(line, send(request, read.credentials), canRepeat).pipe(
          tap((part) => {
            if (part.type === 'head' && part.status === 401) reader.renew(read);
          }),
        );
      }),
      statusErrorResponse(line, options.scheduler),
    );
  }

  return {
    ...limitedIfConfigured({ exchange, scheduler: options.scheduler }, options),
    get server() {
      return kubeConfig.getCurrentCluster()?.server;
    },
    get namespace() {
      const { namespace, contexts, currentContext } = kubeConfig;
      return namespace ?? contexts?.find(({ name }) => name === currentContext)?.namespace;
    },
    close() {
      timesClosed++;
      httpAgent.destroy();
      httpsAgent.destroy();
      reader.close();
      http2?.close();
    },
  };
}

function http2Request(request: KubeRequest, credentials: KubeCredentials, options: KubeClientOptions): PooledRequest {
  const url = new URL(requestUrl(credentials.server, requestLine(request)));
  const { headers: credentialHeaders, auth, ...tls } = credentials.options;
  const headers: OutgoingHttpHeaders = {
    ...headersOf(request, options),
    ...(typeof auth === 'string' && { authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
    ...credentialHeaders,
  };
  // Validated here, because Node would close the whole connection for an invalid header.
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value as string);
  }
  const pseudoHeaders = {
    ':method': request.method,
    ':scheme': 'https',
    ':authority': url.host,
    ':path': `${url.pathname}${url.search}`,
  };
  return { url, tls, headers: { ...pseudoHeaders, ...headers }, body: request.body };
}

function headersOf(request: KubeRequest, options: KubeClientOptions): OutgoingHttpHeaders {
  const { gzip = true, userAgent = 'rx-informers' } = options;
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(gzip && request.method === 'GET' && { 'accept-encoding': 'gzip' }),
    ...(request.body !== undefined && bodyHeaders(request.body)),
    ...request.headers,
  };
}

/**
 * Returns the headers that describe a body. The length is set explicitly, because Node sets no
 * length for the body of a DELETE, and the server would mistake the body for the next request.
 */
function bodyHeaders(body: string): OutgoingHttpHeaders {
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
}
