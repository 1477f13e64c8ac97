import {
  asyncScheduler,
  defer,
  EMPTY,
  of,
  repeat,
  switchMap,
  takeWhile,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { FeedMessage } from '../feeds/feed-messages.js';
import { ReceivedFeed } from '../feeds/received-feed.js';
import type { RxInformersError } from '../kubernetes/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { Resource } from '../kubernetes/resource.js';
import { formatLabelSelector } from '../kubernetes/selector.js';
import { steady, wallTimeAt } from '../scheduling/clock.js';
import { randomOf, type KubeClient } from '../sources/client/kube-client.js';
import {
  listWatchDefaults,
  protocolOptions,
  selectionFor,
  type ListWatchOptions,
  type ReceivedObject,
} from '../sources/list-watch-options.js';
import type { listWatch } from '../sources/list-watch.js';
import { defaultBackoff, type Backoff } from '../sources/model/backoff.js';
import { hubError } from '../sources/model/errors.js';
import { Contacts, sourceWith, type ResourceSource } from '../sources/model/source.js';
import {
  errorEvent,
  statusEvent,
  type SourceStatus,
  type WatchEvent,
  type WatchEventBatch,
} from '../sources/model/watch-event.js';
import { hubLink, type HubLink, type HubSession, type HubState } from './hub-link.js';
import type { EndReason, HubFeedMessage, HubPosition, HubRequest, HubSocket, ObjectVersion } from './hub-messages.js';

/** Options of {@link connectHub}. */
export interface HubConnectionOptions {
  /**
   * The waits before the page connects again, and before it repeats a request that the hub has
   * refused. Default: those of `listWatch`, about 1 s at first, 30 to 60 s in the end.
   */
  readonly backoff?: Backoff | undefined;
  /** The clock. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Numbers in [0, 1) for the waits. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** The page's side of a hub: one socket for all sources. */
export interface HubConnection {
  /** Creates a source on the hub, like `listWatch`. The client sends nothing. */
  readonly listWatch: typeof listWatch;
  /** Emits the current state of the connection, and each later state. */
  readonly state$: Observable<HubState>;
  /** The current value of `state$`. */
  readonly state: HubState;
  /**
   * The socket that the sources share.
   *
   * @internal
   */
  readonly link: HubLink;
  /**
   * The options, with their defaults.
   *
   * @internal
   */
  readonly settings: HubSettings;
}

interface HubSettings {
  readonly backoff: Backoff;
  readonly random: () => number;
  readonly scheduler: SchedulerLike;
}

type Options = ListWatchOptions<unknown, boolean, unknown>;

/**
 * Connects a page to a hub. All sources of the connection share one socket, which is open while any
 * of them is subscribed to.
 *
 * Pass `listWatch` of the result to `informerRegistry`, or in a SharedWorker to `serveInformers`.
 * Then a browser has one socket for all its tabs.
 *
 * @param connect the address of the hub (`ws:` or `wss:`, or a path of the page's host), or a
 *   function that opens a socket
 * @param options the waits, and the clock
 * @returns a connection; nothing is opened before a source is subscribed to
 * @example
 * import { fetchClient, informerRegistry } from 'rx-informers';
 * import { connectHub } from 'rx-informers/hub';
 *
 * const hub = connectHub('/hub');
 * const registry = informerRegistry(fetchClient(), { listWatch: hub.listWatch });
 */
export function connectHub(connect: string | (() => HubSocket), options: HubConnectionOptions = {}): HubConnection {
  const { backoff = defaultBackoff } = options;
  const settings: HubSettings = {
    backoff,
    random: randomOf({}, options),
    scheduler: steady(options.scheduler ?? asyncScheduler),
  };
  const open = typeof connect === 'string' ? (): HubSocket => new WebSocket(addressOf(connect)) : connect;
  const link = hubLink(open, backoff, settings.random, settings.scheduler);
  const connection: HubConnection = {
    listWatch: (client: KubeClient, resource: Resource<unknown>, own: Options = {}) =>
      sourceOver(connection, client, resource, own),
    state$: link.state$.asObservable(),
    get state() {
      return link.state$.value;
    },
    link,
    settings,
  };
  return connection;
}

/** Returns the address of a socket, also for a path of the page's host. */
function addressOf(address: string): URL {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const url = new URL(address, location?.href);
  url.protocol = url.protocol.replace('http', 'ws');
  return url;
}

/**
 * Creates a source that reads from a hub instead of from the API server.
 *
 * | event | the source emits |
 * | --- | --- |
 * | the first content | `STATUS` with the progress, then `LISTED` |
 * | a commit of the hub in which objects of this source changed | one batch |
 * | the connection is lost | `ERROR`, `STATUS` `backing-off`; the objects stay |
 * | the connection is open again | the changes since then, with deletions; or `LISTED`, if the hub no longer has them |
 * | the user may not, or no longer, list and watch | an empty `LISTED` if there were objects; `ERROR`, `STATUS` `forbidden` |
 * | the hub refuses for another reason | `ERROR`, `STATUS`; the source asks again after a wait |
 *
 * The namespace, the label selector, `transform`, `metadataOnly` and `shareAcrossObjects` work as
 * with `listWatch`. `transform` runs in the page, on objects without `managedFields`.
 * `metadataOnly` saves memory in the page, but no traffic. The field selector may have
 * `metadata.name` and `metadata.namespace`, and for pods `spec.nodeName` and `status.phase`, with
 * `=`, `==` or `!=`. Options about requests have no effect.
 *
 * **Guarantees**: the guarantees of `listWatch` about order, completeness and teardown. The content
 * never goes back to an older version, unless the API server was restored from a backup.
 *
 * @param hub a connection, or an address for a connection of its own
 * @param resource the kind to read; the hub must serve it
 * @param options the objects to read, and what to do with them
 * @returns a source for `informer` and all operators
 * @throws `RXI_INVALID_OPTION` for invalid options
 * @example
 * import { informer, pods } from 'rx-informers';
 * import { connectHub, hubSource } from 'rx-informers/hub';
 *
 * const hub = connectHub('wss://dashboard.example.com/hub');
 * informer(hubSource(hub, pods, { namespace: 'shop' })).list$().subscribe(console.log);
 */
export function hubSource<T, MetadataOnly extends boolean = false, R = ReceivedObject<T, MetadataOnly>>(
  hub: HubConnection | string,
  resource: Resource<T>,
  options: ListWatchOptions<T, MetadataOnly, R> = {},
): ResourceSource<R> {
  const connection = typeof hub === 'string' ? connectHub(hub) : hub;
  return sourceOver(connection, connection, resource, options as Options) as ResourceSource<R>;
}

function sourceOver(
  hub: HubConnection,
  client: object,
  resource: Resource<unknown>,
  options: Options,
): ResourceSource<unknown> {
  protocolOptions(options);
  const { namespace = listWatchDefaults.namespace } = options;
  const { scheduler, random } = hub.settings;
  const ofNamespace = (name: string): ResourceSource<unknown> => sourceOfNamespace(hub, resource, name, options);
  const source$ =
    typeof namespace === 'string' ? ofNamespace(namespace) : namespace.merge(namespace, ofNamespace, scheduler);
  const selection = selectionFor(resource, options);
  return sourceWith(source$, { resource, client, selection, contact: source$.contact, scheduler, random });
}

function sourceOfNamespace(
  hub: HubConnection,
  resource: Resource<unknown>,
  namespace: string,
  options: Options,
): ResourceSource<unknown> {
  const contacts = new Contacts();
  const { link } = hub;
  const source$ = defer(() => {
    const reading = new Reading(requestOf(resource, namespace, options), options, hub.settings);
    return link.link$.pipe(
      switchMap((state): Observable<WatchEventBatch<unknown>> => {
        switch (state.state) {
          case 'open':
            return reading.read(state.session, contacts);
          case 'connecting':
            return EMPTY;
          case 'waiting':
            return of(waitEvents('backing-off', state, hub.settings.scheduler));
        }
      }),
    );
  });
  const contact = { recheck: () => link.recheck(), lastHeardAt: () => contacts.lastHeardAt() };
  return sourceWith(source$, { contact });
}

/** One subscription to a source. It keeps what it has received from one connection to the next. */
class Reading {
  #received: ReceivedFeed<unknown>;
  /** The position of the received content; `undefined` while a change set is incomplete. */
  #position: HubPosition | undefined;
  #epoch = '';
  #hasContent = false;
  #lastBatch: WatchEventBatch<unknown> | undefined;
  #wait = 0;
  #attempt = 0;
  #timesTooOld = 0;

  constructor(
    private readonly request: HubRequest,
    private readonly options: Options,
    private readonly settings: HubSettings,
  ) {
    this.#received = this.#newFeed();
  }

  /** Reads from one session, and asks again after a refusal, until it is unsubscribed. */
  read(session: HubSession, contacts: Contacts): Observable<WatchEventBatch<unknown>> {
    const { scheduler } = this.settings;
    return defer(() => {
      const request = { ...this.request, ...(this.#position !== undefined && { resume: this.#position }) };
      return session.read(request, (message) => this.#take(message, session), contacts, scheduler);
    }).pipe(
      takeWhile((batch) => batch !== this.#lastBatch, true),
      repeat({ delay: () => timer(this.#wait, scheduler) }),
    );
  }

  #take(message: FeedMessage | HubFeedMessage, session: HubSession): WatchEventBatch<unknown> {
    switch (message.type) {
      case 'compare':
        this.#sendVersions(message.id, session);
        return [];
      case 'opened':
        if (!message.isResumed) this.#forget();
        this.#epoch = message.epoch;
        this.#attempt = 0;
        this.#timesTooOld = 0;
        return [];
      case 'ended':
        this.#lastBatch = this.#end(message.reason, message.detail);
        return this.#lastBatch;
      case 'part':
        // Without its end, a change set cannot be continued over another connection.
        this.#position = message.end && this.#positionAt(message.end.resourceVersion);
        this.#hasContent ||= message.end !== undefined;
        return this.#received.take(message);
      case 'heard':
        if (message.resourceVersion !== undefined) this.#position = this.#positionAt(message.resourceVersion);
        return this.#received.take(message);
      default:
        return this.#received.take(message);
    }
  }

  /** Answers with the versions of all objects, in frames that the hub accepts. */
  #sendVersions(id: number, session: HubSession): void {
    let objects: ObjectVersion[] = [];
    let size = 0;
    for (const known of this.#received.versions()) {
      if (size > sizeOfVersions) {
        session.send({ type: 'has', id, objects, isLast: false });
        objects = [];
        size = 0;
      }
      objects.push(known);
      size += known[0].length + known[1].length + 8;
    }
    session.send({ type: 'has', id, objects, isLast: true });
  }

  /** Returns the last batch of a request, after which the next request follows. */
  #end(reason: EndReason, detail: string): WatchEventBatch<unknown> {
    const { backoff, random, scheduler } = this.settings;
    this.#attempt++;
    this.#wait = backoff(this.#attempt, random());
    if (reason === 'behind') this.#timesTooOld++;
    // The API server was restored from a backup. It may never reach the version again.
    if (this.#timesTooOld === maxTimesTooOld) this.#position = undefined;
    const waiting = { until: scheduler.now() + this.#wait, attempt: this.#attempt, cause: hubError(reason, detail) };
    const events = waitEvents(stateAfter[reason], waiting, scheduler);
    if (reason !== 'forbidden' || !this.#hasContent) return events;
    this.#forget();
    this.#hasContent = false;
    return [{ type: 'LISTED', items: [], resourceVersion: '' }, ...events];
  }

  #positionAt(resourceVersion: string): HubPosition | undefined {
    return resourceVersion === '' ? undefined : { epoch: this.#epoch, resourceVersion };
  }

  #forget(): void {
    this.#received = this.#newFeed();
    this.#position = undefined;
  }

  #newFeed(): ReceivedFeed<unknown> {
    const { shareAcrossObjects = listWatchDefaults.shareAcrossObjects } = this.options;
    return new ReceivedFeed<unknown>({ transform: transformOf(this.options), shareAcrossObjects });
  }
}

/**
 * The size of a frame with versions, in UTF-16 code units. It is less than a server accepts that
 * limits frames to 16 KB.
 */
const sizeOfVersions = 12 * 1024;

/** How often the hub may be behind the page before the page accepts an older version. */
const maxTimesTooOld = 3;

const stateAfter = {
  forbidden: 'forbidden',
  'not-served': 'not-found',
  invalid: 'backing-off',
  unavailable: 'backing-off',
  behind: 'backing-off',
  slow: 'backing-off',
} as const satisfies Record<EndReason, SourceStatus['state']>;

function waitEvents(
  state: 'backing-off' | 'forbidden' | 'not-found',
  { until, attempt, cause }: Waiting,
  scheduler: SchedulerLike,
): readonly WatchEvent<unknown>[] {
  const status: SourceStatus = { state, until: wallTimeAt(scheduler, until), attempt, cause };
  return [errorEvent(cause), statusEvent(status)];
}

interface Waiting {
  readonly until: number;
  readonly attempt: number;
  readonly cause: RxInformersError<'RXI_HUB'>;
}

function requestOf(resource: Resource<unknown>, namespace: string, options: Options): HubRequest {
  const { group, version, plural } = resource;
  const { labelSelector = '', fieldSelector = '' } = options;
  return {
    resource: { group, version, plural },
    namespaces: [namespace],
    labelSelector: formatLabelSelector(labelSelector),
    fieldSelector,
    isWhole: transformOf(options) !== undefined,
  };
}

/** Returns the function for whole objects; `undefined` if the page keeps them as they are. */
function transformOf({ transform, metadataOnly = false }: Options): ((object: never) => unknown) | undefined {
  const own = transform === listWatchDefaults.transform ? undefined : transform;
  if (!metadataOnly) return own;
  return ({ apiVersion, kind, metadata }: KubernetesObject) => {
    const partial = { apiVersion, kind, metadata };
    return own === undefined ? partial : own(partial);
  };
}
