import {
  configMaps,
  informer,
  type ConfigMap,
  type Informer,
  type InformerError,
  type listWatch,
  type Source,
} from 'rx-informers';
import {
  serveInformers,
  sharedListWatch,
  type InformerServer,
  type ServeInformersOptions,
  type SharedConnection,
  type SharedListWatch,
} from 'rx-informers/shared-worker';
import {
  createInMemoryApiServer,
  randomFromSeed,
  virtualClock,
  type ApiUser,
  type InMemoryApiServer,
  type VirtualClock,
} from 'rx-informers/testing';
import { until } from '../../support/until.js';
import { testChannel, type TestChannel } from './ports.js';

/** An API server, a worker and any number of pages, all in virtual time. */
export interface Scene {
  readonly clock: VirtualClock;
  readonly server: InMemoryApiServer;
  readonly worker: InformerServer;
  /**
   * The requests that reached the API server. Each is a `list` or `watch` with its path and the
   * client that sent it.
   */
  readonly requests: readonly string[];
  /** Opens a page. It may have another build than the worker, or be too busy to receive objects. */
  page(options?: { readonly version?: string; readonly identity?: string; readonly isBusy?: boolean }): Page;
  /** Ends the worker without a message. The next connection starts a new worker. */
  crash(): void;
}

export interface Page {
  readonly shared: SharedListWatch;
  /** The ports of this page, the latest one last. */
  readonly channels: readonly TestChannel[];
  readonly channel: TestChannel;
  /** Each value of `connection$`. */
  readonly connections: readonly SharedConnection[];
  /** Returns a running informer of the page, and its reports. */
  follow(options?: Parameters<typeof informer<ConfigMap>>[2]): Followed;
}

export interface Followed {
  readonly informer: Informer<ConfigMap>;
  readonly errors: readonly InformerError[];
  /** Each change set in words: its reason, and how many changes it has. */
  readonly commits: readonly string[];
  readonly states: readonly string[];
  stop(): void;
}

export interface SceneOptions {
  readonly user?: ApiUser;
  readonly version?: string;
  /** The identity whose credentials the worker has. */
  readonly identity?: string;
  /** Records the past of the worker's informers. */
  readonly past?: ServeInformersOptions['past'];
  /** The error of the browser for `new SharedWorker(…)`. */
  readonly refusal?: Error;
  /** The source of the worker's informers; default: the API server. */
  readonly source?: Source<ConfigMap>;
}

export function scene({ user, version, identity, refusal, source, past }: SceneOptions = {}): Scene {
  const clock = virtualClock({ now: 1_000_000 });
  const random = randomFromSeed(1);
  const server = createInMemoryApiServer({
    scheduler: clock,
    random,
    ...(user && { users: { token: user, other: { name: 'other', allow: 'everything' } } }),
  });
  const client = user ? server.clientFor('token') : server.client;
  const requests: string[] = [];
  server.requests$.subscribe(({ query, path }) => {
    requests.push(`${query.get('watch') === null ? 'list' : 'watch'} ${path}`);
  });
  const start = () =>
    serveInformers(client, {
      initialList: 'pages',
      listConsistency: 'any',
      ...(version !== undefined && { version }),
      ...(identity !== undefined && { identity }),
      ...(past !== undefined && { past }),
      ...(source !== undefined && { listWatch: (() => source) as unknown as typeof listWatch }),
    });
  let worker = start();
  const open: TestChannel[] = [];
  return {
    clock,
    server,
    get worker() {
      return worker;
    },
    requests,
    page: ({ version: pageVersion = version, identity: pageIdentity = '', isBusy = false } = {}) => {
      const channels: TestChannel[] = [];
      const shared = sharedListWatch(
        () => {
          if (refusal) throw refusal;
          const channel = testChannel();
          if (isBusy) channel.hold('objects');
          channels.push(channel);
          open.push(channel);
          worker.accept(channel.worker);
          return { port: channel.page };
        },
        {
          scheduler: clock,
          identity: pageIdentity,
          ...(pageVersion !== undefined && { version: pageVersion }),
        },
      );
      const connections: SharedConnection[] = [];
      shared.connection$.subscribe((connection) => connections.push(connection));
      return {
        shared,
        channels,
        get channel() {
          return channels[channels.length - 1]!;
        },
        connections,
        follow: (options = {}) =>
          follow(informer(shared.listWatch(client, configMaps, options), { ...options, scheduler: clock })),
      };
    },
    crash: () => {
      for (const channel of open.splice(0)) channel.cut();
      worker.stop();
      worker = start();
    },
  };
}

function follow(followed: Informer<ConfigMap>): Followed {
  const errors: InformerError[] = [];
  const commits: string[] = [];
  const states: string[] = [];
  followed.errors$.subscribe((error) => errors.push(error));
  followed.status$.subscribe(({ state }) => states.push(state));
  followed.changes$.subscribe(({ reason, changes }) => commits.push(`${reason} ${changes.length}`));
  return { informer: followed, errors, commits, states, stop: () => followed.stop() };
}

/**
 * Makes a page read from the API server itself, because the first such page loads the code for it
 * with `import()`. In virtual time, a page that has to wait for `import()` never reads anything.
 */
export async function loadListWatch(): Promise<void> {
  const made = scene({ refusal: new Error('no workers here') });
  const { informer: own } = made.page().follow();
  await until(() => {
    made.clock.advance(1);
    return own.hasSynced;
  });
}

/**
 * Returns objects as text, by name and version, so that the contents of a cache and of a server can
 * be compared.
 */
export function textOf(objects: readonly ConfigMap[]): string {
  return objects
    .map(({ metadata, data: { text = '' } = {} }) => {
      // The text has no padding, so that a difference is printed quickly.
      return `${metadata.name}@${metadata.resourceVersion}:${text.length}:${text.trimEnd()}`;
    })
    .sort()
    .join(' ');
}
