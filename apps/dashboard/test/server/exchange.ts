import {
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { fetchClient, type KubeClient } from 'rx-informers';
import {
  startDashboardServer,
  type DashboardServer,
  type DashboardServerOptions,
} from '../../server/dashboard-server.js';
import { cookieName } from '../../server/key.js';

/** Starts the dashboard's server. Requests of this module to the server have its key. */
export async function startDashboard(options: DashboardServerOptions): Promise<DashboardServer> {
  const server = await startDashboardServer(options);
  cookies.set(new URL(server.url).port, cookieOf(server));
  return server;
}

/** Returns the cookie of a browser that has opened the dashboard. */
export function cookieOf({ url, key }: Pick<DashboardServer, 'url' | 'key'>): string {
  return `${cookieName(Number(new URL(url).port))}=${key}`;
}

/** Returns a client of the library that sends the key. */
export function clientOf({ url, key }: Pick<DashboardServer, 'url' | 'key'>): KubeClient {
  return fetchClient({ baseUrl: url, headers: () => ({ authorization: `Bearer ${key}` }) });
}

const cookies = new Map<string, string>();

export interface Exchange {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ExchangeOptions extends Omit<RequestOptions, 'agent'> {
  readonly body?: string | Buffer;
}

/**
 * Sends a request exactly as the test states it, on a connection of its own. `fetch` would change
 * some requests. Resolves with the response once its head has arrived. The cookie with the key is
 * added, unless the test sends a cookie.
 */
export function open(url: string, path: string, options: ExchangeOptions = {}): Promise<IncomingMessage> {
  const { body, headers, ...rest } = options;
  const { hostname, port } = new URL(url);
  const cookie = cookies.get(port);
  const sent = { ...(cookie !== undefined && { cookie }), ...(headers as OutgoingHttpHeaders | undefined) };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, agent: false, headers: sent, ...rest }, resolve)
      .on('error', reject)
      .end(body);
  });
}

/** Sends a request and resolves with the whole response. */
export async function exchange(url: string, path: string, options?: ExchangeOptions): Promise<Exchange> {
  const answer = await open(url, path, options);
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

/** Returns the `Status` in the body of a response. */
export function statusIn({ body }: Exchange): {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
} {
  return JSON.parse(body.toString()) as { kind: string; code: number; message: string };
}
