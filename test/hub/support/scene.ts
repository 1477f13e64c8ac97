import { configMaps, informer, type ConfigMap, type Informer, type InformerError, type Resource } from 'rx-informers';
import {
  connectHub,
  serveHub,
  type HubConnection,
  type HubServer,
  type ServeHubOptions,
  type Viewer,
} from 'rx-informers/hub';
import {
  createInMemoryApiServer,
  randomFromSeed,
  virtualClock,
  type AllowRule,
  type InMemoryApiServer,
  type VirtualClock,
} from 'rx-informers/testing';
import { deliver, openPage, socketPair, type SocketPair } from './sockets.js';

/** An API server, a hub and any number of viewers, in virtual time. */
export interface Scene {
  readonly clock: VirtualClock;
  readonly server: InMemoryApiServer;
  readonly hub: HubServer;
  /** The requests that reached the API server: method or verb, and path. */
  readonly requests: readonly string[];
  /** The errors of the hub's own informers. */
  readonly hubErrors: readonly InformerError[];
  /** Stops the hub, and starts another one with the same options. */
  restartHub(): void;
  /** Sets the rights of a user, who has the token of the same name. */
  grant(user: string, allow: 'everything' | readonly AllowRule[]): void;
  /** Opens a page of a viewer; default: the user `ada` with a token. */
  page(viewer?: Viewer): Page;
}

export interface Page {
  readonly connection: HubConnection;
  /** The sockets of this page, the latest one last. */
  readonly sockets: readonly SocketPair[];
  readonly socket: SocketPair;
  /** If true, new sockets fail. */
  isOffline: boolean;
  follow(options?: Parameters<typeof informer<ConfigMap>>[2], kind?: Resource<ConfigMap>): Followed;
}

export interface Followed {
  readonly informer: Informer<ConfigMap>;
  readonly errors: readonly InformerError[];
  readonly commits: readonly string[];
  readonly states: readonly string[];
  /** The problems of the hub's errors, in order. */
  readonly problems: readonly string[];
}

/** The rights to read config maps in these namespaces. */
export function mayRead(...namespaces: readonly string[]): readonly AllowRule[] {
  return [{ verbs: ['list', 'watch'], resources: ['configmaps'], groups: [''], namespaces }];
}

export function scene(options: Partial<ServeHubOptions> & { readonly hubRights?: readonly AllowRule[] } = {}): Scene {
  const { hubRights, ...hubOptions } = options;
  const clock = virtualClock({ now: 1_000_000 });
  const server = createInMemoryApiServer({
    scheduler: clock,
    random: randomFromSeed(1),
    users: { hub: { name: 'hub', allow: hubRights ?? hubRule }, ada: { name: 'ada', allow: mayRead('shop') } },
  });
  const requests: string[] = [];
  server.requests$.subscribe(({ method, query, path }) => {
    requests.push(`${query.get('watch') === null ? method : 'WATCH'} ${path}`);
  });
  const hubErrors: InformerError[] = [];
  const serve = (): HubServer =>
    serveHub({
      client: server.clientFor('hub'),
      kinds: [configMaps],
      onError: (error) => hubErrors.push(error),
      clientOf: (token) => server.clientFor(token),
      ...hubOptions,
    });
  let hub = serve();
  return {
    clock,
    server,
    get hub() {
      return hub;
    },
    restartHub: () => {
      hub.stop();
      hub = serve();
    },
    requests,
    hubErrors,
    grant: (user, allow) => server.grant(user, { name: user, allow }),
    page: (viewer = { token: 'ada' }) => {
      const sockets: SocketPair[] = [];
      const random = randomFromSeed(2);
      const connection = connectHub(
        () => {
          if (page.isOffline) throw new Error('offline');
          const pair = socketPair();
          sockets.push(pair);
          clock.schedule(() => {
            hub.accept(pair.hub, viewer);
            openPage(pair);
          });
          return pair.page;
        },
        { scheduler: clock, random },
      );
      const page: Page = {
        connection,
        sockets,
        get socket() {
          return sockets[sockets.length - 1]!;
        },
        isOffline: false,
        follow: (followOptions = { namespace: 'shop' }, kind = configMaps) =>
          follow(
            informer(connection.listWatch(server.client, kind, followOptions), { ...followOptions, scheduler: clock }),
          ),
      };
      return page;
    },
  };
}

/** What a ClusterRole of the hub allows: its kinds, reviews, and to watch RBAC. */
const hubRule: readonly AllowRule[] = [
  { verbs: ['list', 'watch'], resources: ['configmaps'], groups: [''] },
  { verbs: ['create'], resources: ['subjectaccessreviews'], groups: ['authorization.k8s.io'] },
  { verbs: ['list', 'watch'], groups: ['rbac.authorization.k8s.io'] },
];

/** The rights of a hub that may not watch RBAC. */
export const hubWithoutRbac = hubRule.slice(0, 2);

function follow(followed: Informer<ConfigMap>): Followed {
  const errors: InformerError[] = [];
  const commits: string[] = [];
  const states: string[] = [];
  const problems: string[] = [];
  followed.errors$.subscribe((error) => {
    errors.push(error);
    problems.push('problem' in error ? error.problem : error.code);
  });
  followed.status$.subscribe(({ state }) => states.push(state));
  followed.changes$.subscribe(({ reason, changes }) =>
    commits.push([reason, ...changes.map(({ type, key }) => `${type} ${key}`)].join(' ')),
  );
  return {
    informer: followed,
    errors,
    commits,
    states,
    problems,
  };
}

/** A viewer without the page's code, to send any frames. It acknowledges nothing. */
export interface RawViewer {
  readonly socket: SocketPair['hub'];
  /** The messages that the hub has sent, decoded. */
  readonly received: readonly { readonly type: string; readonly id?: number; readonly reason?: string }[];
  send(frame: unknown): void;
}

export function rawViewer(made: Scene, viewer: Viewer = { token: 'ada' }): RawViewer {
  const pair = socketPair();
  pair.page.addEventListener('message', (event) => {
    const { data } = event as { readonly data: string };
    if (data === '{"type":"ping"}') deliver(pair.hub, '{"type":"alive"}');
  });
  made.hub.accept(pair.hub, viewer);
  return {
    socket: pair.hub,
    get received() {
      return pair.hub.sent.map((frame) => JSON.parse(frame.split('\n')[0] ?? ''));
    },
    send: (frame) => deliver(pair.hub, typeof frame === 'object' ? JSON.stringify(frame) : frame),
  };
}

/** A valid request for the config maps of a namespace. */
export const aRequest = {
  resource: { group: '', version: 'v1', plural: 'configmaps' },
  namespaces: ['shop'],
  labelSelector: '',
  fieldSelector: '',
  isWhole: false,
};

/** Writes a RoleBinding, as an administrator does to change rights. */
export function touchRbac(made: Scene, namespace = 'shop'): void {
  made.server.apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { namespace, name: 'readers', annotations: { at: String(made.clock.now()) } },
  });
}

/** Returns all text that the hub has sent to a page. */
export function receivedBy({ sockets }: Page): string {
  return sockets.flatMap(({ hub }) => hub.sent).join('\n');
}
