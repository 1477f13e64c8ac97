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
import { openPage, socketPair, type SocketPair } from './sockets.js';

/** An API server, a hub and any number of viewers, in virtual time. */
export interface Scene {
  readonly clock: VirtualClock;
  readonly server: InMemoryApiServer;
  readonly hub: HubServer;
  /** The requests that reached the API server: method or verb, and path. */
  readonly requests: readonly string[];
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
  const hub = serveHub({
    client: server.clientFor('hub'),
    kinds: [configMaps],
    clientOf: (token) => server.clientFor(token),
    ...hubOptions,
  });
  return {
    clock,
    server,
    hub,
    requests,
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
  followed.errors$.subscribe((error) => errors.push(error));
  followed.status$.subscribe(({ state }) => states.push(state));
  followed.changes$.subscribe(({ reason, changes }) =>
    commits.push([reason, ...changes.map(({ type, key }) => `${type} ${key}`)].join(' ')),
  );
  return {
    informer: followed,
    errors,
    commits,
    states,
    get problems() {
      return errors.map((error) => ('problem' in error ? String(error.problem) : error.code));
    },
  };
}

/** Returns all text that the hub has sent to a page. */
export function receivedBy({ sockets }: Page): string {
  return sockets.flatMap(({ hub }) => hub.sent).join('\n');
}
