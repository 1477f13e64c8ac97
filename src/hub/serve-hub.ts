import { interval, Subscription, type SchedulerLike } from 'rxjs';
import type { InformerError } from '../collections/errors.js';
import { ChangeTexts } from '../feeds/feed.js';
import { serveInformer } from '../feeds/served-informer.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { resourceName, type Resource } from '../kubernetes/resource.js';
import { checkedDuration, steady, wallTime } from '../scheduling/clock.js';
import { randomOf, schedulerOf, type KubeClient } from '../sources/client/kube-client.js';
import type { ListWatchOptions } from '../sources/list-watch-options.js';
import { listWatch } from '../sources/list-watch.js';
import { ConnectedViewer, type HubOfViewer, type HubKind } from './connected-viewer.js';
import { hubHeartbeat, type HubRequest, type HubSocket } from './hub-messages.js';
import { KindLog } from './kind-log.js';
import { Rights } from './rights.js';
import { Turns } from './turns.js';
import { checkedViewer, Reviewer, type Viewer } from './viewer.js';

/** Options of {@link serveHub}. */
export interface ServeHubOptions {
  /**
   * The client of the hub, with its own account. It lists and watches `kinds` in the whole cluster,
   * and sends access reviews. Where its account may, it also watches RBAC.
   */
  readonly client: KubeClient;
  /** The kinds that viewers may subscribe to. */
  readonly kinds: readonly Resource<unknown>[];
  /**
   * Returns a client with the bearer token of a viewer, which sends the reviews of the viewer's own
   * rights. Default: none, and viewers with a token are refused.
   */
  readonly clientOf?: ((token: string) => KubeClient) | undefined;
  /**
   * Allows Secrets in `kinds`. Default false: the memory of the hub should not contain the Secrets
   * of the cluster.
   */
  readonly allowSecrets?: boolean | undefined;
  /**
   * Milliseconds after which each right in use is reviewed again. Default 300,000. Where the hub
   * may watch RBAC, it also reviews rights when RBAC changes. A shorter time finds withdrawn rights
   * sooner elsewhere, and costs more requests.
   */
  readonly reviewInterval?: number | undefined;
  /** Requests per second for reviews, over all viewers. Default 50, at least 1. */
  readonly reviewsPerSecond?: number | undefined;
  /** How long a kind is watched after its last viewer has left, in milliseconds. Default 60,000. */
  readonly linger?: number | undefined;
  /**
   * The number of subscriptions that one connection may have. Default 100. A window over several
   * namespaces counts once for each of them.
   */
  readonly maxSubscriptions?: number | undefined;
  /**
   * Milliseconds without an acknowledgement after which a viewer is dropped. Default 60,000. Until
   * then, its changes are conflated.
   */
  readonly slowAfter?: number | undefined;
  /** The bytes that may wait in the socket of a viewer before it is dropped. Default 16 MiB. */
  readonly maxBuffered?: number | undefined;
  /** Options of `listWatch` for all kinds. Viewers cannot change them. */
  readonly reading?: HubReadingOptions | undefined;
  /**
   * Receives the errors of the hub's own informers, which viewers do not see. Default: they are
   * logged, as the errors of every informer without a subscriber of `errors$`.
   */
  readonly onError?: ((error: InformerError) => void) | undefined;
  /** The clock. Default: that of the client. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** The options of `listWatch` that apply to a hub, which always reads all objects of a kind. */
export type HubReadingOptions = Omit<
  ListWatchOptions<KubernetesObject>,
  'namespace' | 'labelSelector' | 'fieldSelector' | 'metadataOnly' | 'transform' | 'scheduler'
>;

/** The server's side of a hub. */
export interface HubServer {
  /** The number of open connections. */
  readonly viewers: number;
  /** The number of subscriptions of all viewers. */
  readonly subscriptions: number;
  /** The number of kinds that are watched, including lingering ones. */
  readonly informers: number;
  /** The number of different rights in use. Equal rights of equal identities count once. */
  readonly rights: number;
  /**
   * Serves an open socket, until it closes. Call it as soon as the socket is open, because frames
   * that arrive earlier are lost: authenticate the viewer before the upgrade.
   *
   * @param socket an open WebSocket, for example of the package `ws`
   * @param viewer the identity that the caller has authenticated
   * @throws `RXI_INVALID_OPTION` for a viewer without a token and without a user
   */
  accept(socket: HubSocket, viewer: Viewer): void;
  /** Closes all connections and stops all informers. */
  stop(): void;
}

/** The heartbeats between two bookmarks: they come by a clock, not with the changes of others. */
const beatsPerBookmark = 6;

/**
 * Serves informers over sockets to many viewers, with one watch for each kind. Pages read them with
 * {@link connectHub}.
 *
 * The hub reads each kind in the whole cluster with its own account, and sends each viewer the part
 * that this viewer may read. So the account of the hub may read more than most viewers.
 *
 * | event | what the hub does |
 * | --- | --- |
 * | a viewer subscribes | reviews the viewer's own rights to `list` and `watch` in exactly these namespaces, and sends nothing before both are confirmed |
 * | a change in the scope of a viewer | one message; its text is encoded once for all viewers |
 * | a change outside of it | nothing; bookmarks follow every 30 s, by a clock |
 * | an object leaves the scope by a change | DELETED, with the state before the change |
 * | RBAC changes, or the interval has passed | reviews the rights again; a subscription whose right was withdrawn ends |
 * | the API server does not answer | new subscriptions are refused; the others end after 2 minutes |
 * | a viewer is slow | its changes are conflated; after `slowAfter` it is dropped |
 * | a viewer connects again | the changes since its version, if the log of the latest 10,000 changes has them; otherwise, also after a restart, the objects whose versions differ from those of the viewer, and the deletions |
 *
 * **Guarantees**: viewers with equal identities share reviews; two identities are equal only if
 * user, uid, groups and extra are equal. Selectors, namespaces, order and windows of viewers are
 * data: they never reach the API server. No error and no address of the API server reaches a
 * viewer. Invalid frames close the connection.
 *
 * **Does not guarantee**: that a withdrawn right is found before `reviewInterval`, if the hub may
 * not watch RBAC, or if an authorizer is not RBAC. With many identities, reviews wait for the rate:
 * for 1,000 users of a proxy who read all namespaces, a round takes 40 s, but a withdrawn `list` is
 * found in its first half. A viewer keeps what it has received. A
 * bookmark shows the version of the kind, as the bookmarks of the API server do. Rights for single
 * names (`resourceNames`) do not count. The number of connections is not limited.
 *
 * @param options the client, the kinds and the limits; see {@link ServeHubOptions}
 * @returns a server that accepts sockets
 * @throws `RXI_INVALID_OPTION` for invalid options, and for Secrets without `allowSecrets`
 * @example
 * import { pods, type KubeClient } from 'rx-informers';
 * import { serveHub, type HubSocket } from 'rx-informers/hub';
 *
 * declare const client: KubeClient;
 * declare const socket: HubSocket;
 *
 * const hub = serveHub({ client, kinds: [pods] });
 * hub.accept(socket, { user: 'ada', groups: ['developers'] });
 */
export function serveHub(options: ServeHubOptions): HubServer {
  return new Hub(options);
}

class Hub implements HubServer, Omit<HubOfViewer, 'rights' | 'left'> {
  readonly #viewers = new Set<ConnectedViewer>();
  readonly #shared = new Map<string, HubKind>();
  readonly #rights: Rights;
  readonly turns: Turns;
  readonly #linger: number;
  readonly scheduler: SchedulerLike;
  readonly limits: HubOfViewer['limits'];
  #beats = Subscription.EMPTY;
  #beat = 0;

  constructor(private readonly options: ServeHubOptions) {
    const {
      client,
      kinds,
      clientOf,
      onError,
      allowSecrets = false,
      reviewInterval = 300_000,
      reviewsPerSecond = 50,
    } = options;
    const { linger = 60_000, maxSubscriptions = 100, slowAfter = 60_000, maxBuffered = 16 * 1024 * 1024 } = options;
    if (!allowSecrets && kinds.some((kind) => resourceName(kind) === 'secrets'))
      throw invalidOptionError('kinds', 'secrets', 'kinds without Secrets, or pass allowSecrets: true');
    if (!(reviewsPerSecond >= 1)) throw invalidOptionError('reviewsPerSecond', reviewsPerSecond, 'at least 1');
    this.scheduler = steady(schedulerOf(client, options));
    this.#linger = checkedDuration('linger', linger);
    this.limits = { maxSubscriptions, slowAfter: checkedDuration('slowAfter', slowAfter), maxBuffered };
    const times = { interval: checkedDuration('reviewInterval', reviewInterval), patience: 120_000 };
    const reviewer = new Reviewer(client, clientOf, reviewsPerSecond, this.scheduler);
    this.turns = new Turns(this.scheduler);
    this.#rights = new Rights(client, reviewer, times, this.scheduler, onError);
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  get subscriptions(): number {
    return [...this.#viewers].reduce((sum, { subscriptions }) => sum + subscriptions, 0);
  }

  get informers(): number {
    return this.#shared.size;
  }

  get rights(): number {
    return this.#rights.size;
  }

  accept(socket: HubSocket, viewer: Viewer): void {
    const identity = checkedViewer(viewer);
    const { scheduler, limits } = this;
    const connected: ConnectedViewer = new ConnectedViewer(socket, identity, {
      rights: this.#rights,
      limits,
      turns: this.turns,
      scheduler,
      kindOf: (request) => this.kindOf(request),
      share: (resource) => this.share(resource),
      left: () => {
        this.#viewers.delete(connected);
        if (this.#viewers.size === 0) this.#beats.unsubscribe();
      },
    });
    this.#viewers.add(connected);
    if (this.#beats.closed) this.#beats = interval(hubHeartbeat, scheduler).subscribe(() => this.#keepTime());
    connected.start();
  }

  stop(): void {
    for (const viewer of [...this.#viewers]) viewer.leave();
    for (const { references } of [...this.#shared.values()]) references.close();
    this.#rights.stop();
  }

  kindOf({ group, version, plural }: HubRequest['resource']): Resource<unknown> | undefined {
    return this.options.kinds.find(
      (kind) => kind.group === group && kind.version === version && kind.plural === plural,
    );
  }

  share(resource: Resource<unknown>): HubKind {
    const key = `${resource.version} ${resourceName(resource)}`;
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const { client, reading, onError } = this.options;
    const source = listWatch(client, resource as Resource<KubernetesObject>, { ...reading, scheduler: this.scheduler });
    let following = Subscription.EMPTY;
    const served = serveInformer(
      source,
      {
        opened: () => {
          this.#shared.set(key, shared);
          following = log.open();
          if (onError !== undefined) following.add(served.informer.errors$.subscribe(onError));
        },
        closed: () => {
          this.#shared.delete(key);
          following.unsubscribe();
        },
      },
      this.#linger,
      this.scheduler,
    );
    const run = Math.floor(randomOf(client)() * 2 ** 52).toString(36);
    const log = new KindLog(served.informer, run);
    const shared: HubKind = { ...served, log, texts: new ChangeTexts(true) };
    return shared;
  }

  #keepTime(): void {
    this.#beat++;
    if (this.#beat % beatsPerBookmark === 0)
      for (const { log } of this.#shared.values()) log.bookmark(wallTime(this.scheduler));
    const now = this.scheduler.now();
    for (const viewer of [...this.#viewers]) viewer.beat(now);
  }
}
