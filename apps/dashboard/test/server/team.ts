import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { kubeConfigOf } from '../../../../test/sources/client/kube-config.js';
import { json, startServer, type TestServer } from '../../../../test/sources/client/test-server.js';
import {
  startDashboardServer,
  type DashboardServer,
  type DashboardServerOptions,
} from '../../server/dashboard-server.js';
import { exchange, type Exchange, type ExchangeOptions } from './exchange.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));

export const host = 'dash.example.com';
export const origin = `https://${host}`;
/** The token of the dashboard's own kubeconfig. It must never be sent for a viewer. */
export const ownToken = 'token-of-the-server';

/** The headers that the page adds to its writes. */
export const fromPage = { origin, 'x-rx-informers-dashboard': '1' };

/** An API server that knows some tokens, and a dashboard for a team in front of it. */
export interface Team {
  readonly upstream: TestServer;
  readonly dashboard: DashboardServer;
  /** The users by their tokens. A test may add and remove some. */
  readonly users: Map<string, string>;
  /** The watches that the API server has answered. */
  readonly watches: readonly ServerResponse[];
  /** Sends a request to the public URL, like a load balancer. */
  ask(path: string, options?: ExchangeOptions): Promise<Exchange>;
  /** Sends the form of the sign-in. */
  post(fields: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>): Promise<Exchange>;
  /** Signs in, and returns the header `Cookie` of the session. */
  signIn(token: string): Promise<string>;
  close(): Promise<void>;
}

export async function startTeam(options: Partial<DashboardServerOptions> = {}): Promise<Team> {
  const users = new Map([
    ['token-of-ada', 'ada'],
    ['token-of-grace', 'grace'],
    [ownToken, 'server'],
  ]);
  const watches: ServerResponse[] = [];
  const upstream = await startServer((request, response) => {
    const user = users.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    if (user === undefined) json({ kind: 'Status', code: 401, message: 'Unauthorized' }, 401)(request, response);
    else if (user === 'system:anonymous') json({ kind: 'Status', code: 403 }, 403)(request, response);
    else if (request.url.includes('selfsubjectreviews')) {
      json({ status: { userInfo: { username: user } } }, 201)(request, response);
    } else if (request.url.includes('watch=true')) {
      watches.push(response);
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    } else json({ readBy: user }, request.method === 'POST' ? 201 : 200)(request, response);
  });
  const dashboard = await startDashboardServer({
    kubeConfig: kubeConfigOf({ server: upstream.url }, { token: ownToken }),
    page,
    team: { publicUrl: origin },
    ...options,
  });
  const ask = (path: string, { headers = {}, ...rest }: ExchangeOptions = {}): Promise<Exchange> =>
    exchange(dashboard.url, path, { headers: { host, ...(headers as Record<string, string>) }, ...rest });
  const post = (
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Exchange> =>
    ask('/login', {
      method: 'POST',
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  return {
    upstream,
    dashboard,
    users,
    watches,
    ask,
    post,
    async signIn(token) {
      const answer = await post({ token });
      if (answer.status !== 303) throw new Error(`the sign-in was answered with ${answer.status ?? 0}`);
      return cookieIn(answer);
    },
    async close() {
      await dashboard.close();
      await upstream.close();
    },
  };
}

/** Returns the header `Cookie` that a browser sends after an answer. */
export function cookieIn({ headers }: Pick<Exchange, 'headers'>): string {
  const kept = (headers['set-cookie'] ?? []).filter((cookie) => !cookie.includes('Max-Age=0'));
  return kept.map((cookie) => cookie.split(';')[0]).join('; ');
}
