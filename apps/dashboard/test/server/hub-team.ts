import { KubeConfig } from '@kubernetes/client-node';
import { fileURLToPath } from 'node:url';
import { aPod, createApiServer, type AllowRule, type ApiServer } from 'rx-informers/testing';
import type { SchedulerLike } from 'rxjs';
import { WebSocket } from 'ws';
import { until } from '../../../../test/support/until.js';
import { startDashboardServer, type DashboardServer } from '../../server/dashboard-server.js';
import type { IdentityOptions } from '../../server/identity-headers.js';
import { exchange, type Exchange, type ExchangeOptions } from './exchange.js';
import { cookieIn, fromPage, host, origin } from './team.js';

const page = fileURLToPath(new URL('../../server/placeholder', import.meta.url));

/** The token of the account of the hub, which may read more than the viewers. */
export const accountToken = 'token-of-the-hub';

/** A request as the API server has received it: with the token, `WATCH` for a watch. */
export type SeenRequest = `${string}: ${string} ${string}`;

export interface HubTeamOptions {
  readonly scheduler?: SchedulerLike | undefined;
  readonly hub?: boolean;
  readonly sessionHours?: number;
  readonly secrets?: boolean;
  readonly identity?: IdentityOptions;
}

/** An embedded API server with rights, and a dashboard for a team with a hub in front of it. */
export interface HubTeam {
  readonly api: ApiServer;
  readonly dashboard: DashboardServer;
  /** All requests that the API server has received. */
  readonly requests: readonly SeenRequest[];
  /** The errors that the server has reported. */
  readonly errors: readonly Error[];
  ask(path: string, options?: ExchangeOptions): Promise<Exchange>;
  /** Signs in, and returns the header `Cookie` of the session. */
  signIn(token: string): Promise<string>;
  signOut(cookie: string): Promise<Exchange>;
  /** Opens a socket to the hub. The headers replace those that a browser sends. */
  socket(cookie: string, headers?: Readonly<Record<string, string>>): HubViewer;
  close(): Promise<void>;
}

/** The socket of a viewer, without the code of the page, so that it can send anything. */
export interface HubViewer {
  readonly socket: WebSocket;
  /** The heads of the messages of the hub. */
  readonly received: readonly HubMessage[];
  /** All text that was received. */
  readonly text: string;
  readonly isClosed: boolean;
  readonly closeCode: number | undefined;
  /** The status code of a refused upgrade. */
  readonly refusal: number | undefined;
  /** Resolves when the socket is open, or refused. */
  readonly settled: Promise<void>;
  send(message: object): void;
  /** Sends `hello`, and subscribes to a kind. */
  subscribe(id: number, plural: string, change?: object): void;
}

export interface HubMessage {
  readonly type: string;
  readonly id?: number;
  readonly reason?: string;
}

const mayRead = (...namespaces: readonly string[]): readonly AllowRule[] => [
  { verbs: ['list', 'watch'], resources: ['pods', 'secrets'], groups: [''], namespaces },
];

export async function startHubTeam({
  scheduler,
  hub = true,
  sessionHours,
  secrets = false,
  identity,
}: HubTeamOptions = {}): Promise<HubTeam> {
  const api = await createApiServer({
    users: {
      [accountToken]: { name: 'hub', allow: 'everything' },
      'token-of-ada': { name: 'ada', allow: mayRead('shop') },
      'token-of-grace': { name: 'grace', allow: mayRead('lab') },
    },
  });
  api.apply([
    aPod({ name: 'of-shop', namespace: 'shop' }),
    aPod({ name: 'of-lab', namespace: 'lab' }),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'plans', namespace: 'shop' },
      data: { plan: Buffer.from(secretContent).toString('base64') },
    },
  ]);
  const requests: SeenRequest[] = [];
  api.requests$.subscribe(({ method, path, query, headers }) => {
    const token = (headers['authorization'] ?? '').replace('Bearer ', '');
    requests.push(`${token}: ${query.get('watch') === null ? method : 'WATCH'} ${path}`);
  });
  const errors: Error[] = [];
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(api.kubeconfig(accountToken));
  const dashboard = await startDashboardServer({
    kubeConfig,
    page,
    allowWrites: true,
    secrets,
    scheduler: scheduler as SchedulerLike,
    onError: (error) => errors.push(error),
    team: { publicUrl: origin, hub, sessionHours, identity },
  });
  const ask = (path: string, { headers = {}, ...rest }: ExchangeOptions = {}): Promise<Exchange> =>
    exchange(dashboard.url, path, { headers: { host, ...(headers as Record<string, string>) }, ...rest });
  return {
    api,
    dashboard,
    requests,
    errors,
    ask,
    async signIn(token) {
      const answer = await ask('/login', {
        method: 'POST',
        headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token }).toString(),
      });
      if (answer.status !== 303) throw new Error(`the sign-in was answered with ${answer.status ?? 0}`);
      return cookieIn(answer);
    },
    signOut: (cookie) => ask('/logout', { method: 'POST', headers: { cookie, ...fromPage } }),
    socket: (cookie, headers = {}) => hubViewer(dashboard.url, { host, origin, cookie, ...headers }),
    async close() {
      await dashboard.close();
      await api.close();
    },
  };
}

/** The content of the only Secret. */
export const secretContent = 'the plan is secret';

/** Opens a socket with exactly these headers, besides those of the handshake. */
function hubViewer(url: string, headers: Readonly<Record<string, string>>): HubViewer {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hub`, { headers });
  const received: HubMessage[] = [];
  let text = '';
  let closeCode: number | undefined;
  let refusal: number | undefined;
  socket.on('error', () => undefined);
  socket.on('close', (code) => (closeCode ??= code));
  socket.on('message', (message) => {
    const frame = message.toString();
    text += frame;
    received.push(JSON.parse(frame.split('\n')[0] ?? '') as HubMessage);
  });
  const settled = new Promise<void>((resolve) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (_, { statusCode }) => {
      refusal = statusCode;
      socket.terminate();
      resolve();
    });
  });
  let isJoined = false;
  const send = (message: object): void => {
    socket.send(JSON.stringify(message));
  };
  return {
    socket,
    received,
    settled,
    get text() {
      return text;
    },
    get isClosed() {
      return closeCode !== undefined;
    },
    get closeCode() {
      return closeCode;
    },
    get refusal() {
      return refusal;
    },
    send,
    subscribe(id, plural, change = {}) {
      if (!isJoined) send({ type: 'hello', protocol: 2 });
      isJoined = true;
      send({ type: 'subscribe', id, request: { ...requestFor(plural), ...change } });
    },
  };
}

function requestFor(plural: string): object {
  return {
    resource: { group: '', version: 'v1', plural },
    namespaces: ['shop'],
    labelSelector: '',
    fieldSelector: '',
    isWhole: false,
  };
}

/** Waits until a viewer has received a message of a type about a subscription. */
export function whenReceived(viewer: HubViewer, type: string, id?: number): Promise<void> {
  return until(() => viewer.received.some((message) => message.type === type && (id ?? message.id) === message.id), {
    what: `a message ${type} after ${JSON.stringify(viewer.received.slice(-5))}`,
  });
}
