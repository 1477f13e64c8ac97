import {
  request as httpRequest,
  type Agent as HttpAgent,
  type ClientRequest,
  type OutgoingHttpHeaders,
} from 'node:http';
import { request as httpsRequest, type Agent as HttpsAgent } from 'node:https';
import type { KubeCredentials } from 'rx-informers/node';

/**
 * Pools of kept-alive connections. A connection is shared only by requests with the same TLS
 * identity.
 */
export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/**
 * Opens a request to the API server, below the path of its URL if it has one. Throws if the
 * certificates cannot be used.
 */
export function openUpstreamRequest(
  { server, options: { headers: credentials, ...options } }: KubeCredentials,
  agents: Agents,
  { method, path, headers }: { readonly method: string; readonly path: string; readonly headers: OutgoingHttpHeaders },
): ClientRequest {
  const url = new URL(server);
  const isSecure = url.protocol === 'https:';
  const send = isSecure ? httpsRequest : httpRequest;
  return send(url, {
    agent: isSecure ? agents.https : agents.http,
    ...options,
    method,
    path: `${url.pathname.replace(/\/+$/, '')}${path}`,
    headers: { ...headers, ...credentials },
  });
}
