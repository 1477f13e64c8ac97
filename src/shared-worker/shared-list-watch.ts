import {
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  map,
  NEVER,
  of,
  retry,
  switchMap,
  take,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { ReceivedFeed } from '../feeds/received-feed.js';
import { registryOver, type InformerRegistry, type InformerRegistryOptions } from '../informer/informer-registry.js';
import { type RxInformersError, invalidOptionError } from '../kubernetes/errors.js';
import type { Resource } from '../kubernetes/resource.js';
import { formatLabelSelector } from '../kubernetes/selector.js';
import { steady } from '../scheduling/clock.js';
import { randomOf, schedulerOf, type KubeClient } from '../sources/client/kube-client.js';
import { latestSource, withContact } from '../sources/latest-source.js';
import {
  listWatchDefaults,
  protocolOptions,
  selectionFor,
  type ListWatchOptions,
} from '../sources/list-watch-options.js';
import type { listWatch } from '../sources/list-watch.js';
import {
  Contacts,
  sourceWithKnownObjects,
  sourceWith,
  type KnownObjects,
  type ResourceSource,
  type Source,
} from '../sources/model/source.js';
import { toBatch, type WatchEvent, type WatchEventBatch } from '../sources/model/watch-event.js';
import type { PastRequest, SharedRequest } from './messages.js';
import {
  workerLink,
  type WorkerLinkState,
  type Session,
  type SharedConnection,
  type SharedWorkerLike,
} from './worker-link.js';

/** Options of {@link sharedListWatch}. */
export interface SharedListWatchOptions {
  /**
   * Identifies the build, for example by a commit. Default `''`. A worker with another `version` is
   * not used: after a deployment, tabs of the previous build may still run their worker.
   */
  readonly version?: string | undefined;
  /**
   * Identifies the user who is signed in, for example by a name or by the hash of a session. It
   * must differ whenever the credentials of the worker's client differ: a worker has the objects of
   * one identity only. When a page with another identity connects, the worker drops all objects,
   * and no longer serves the earlier pages. Pass `''` if the page has no users, for example behind
   * `kubectl proxy`.
   */
  readonly identity: string;
  /**
   * Creates the source of each informer of a page that cannot use the worker. Default: `listWatch`,
   * whose code is loaded only then.
   */
  readonly ownListWatch?: typeof listWatch | undefined;
  /** The clock of heartbeats. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** A part of the past of the objects that `listWatch` reads with these options. */
export interface SharedPastRequest
  extends PastRequest, Pick<ListWatchOptions<unknown>, 'labelSelector' | 'fieldSelector'> {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
}

/** The page's side of a cache that all tabs share. */
export interface SharedListWatch {
  /** Creates a source on the shared cache, like `listWatch`. Pass it to `informerRegistry`. */
  readonly listWatch: typeof listWatch;
  /**
   * Requests a part of what the worker has recorded of the objects of a request, emits it as text,
   * and completes.
   *
   * While the page connects to the worker, the request waits. If the worker is lost, the request is
   * sent to the next worker. The text is empty if the worker records nothing for this request, or
   * if the page reads from the API server itself.
   *
   * @param request the options with which the page reads the objects, and the part to read
   * @example
   * import { pods } from 'rx-informers';
   * import type { SharedListWatch } from 'rx-informers/shared-worker';
   *
   * declare const shared: SharedListWatch;
   *
   * const text$ = shared.past(pods, { before: Date.now(), size: 256 * 1024 });
   * text$.subscribe((text) => console.log(text.length));
   */
  readonly past: (resource: Resource<unknown>, request: SharedPastRequest) => Observable<string>;
  /** Emits the current connection of the page, and each later state of the connection. */
  readonly connection$: Observable<SharedConnection>;
  /** The current value of `connection$`. */
  readonly connection: SharedConnection;
}

/**
 * Reads from a cache in a SharedWorker instead of from the API server. All tabs of an origin share
 * this cache, so ten tabs need one watch for each kind instead of ten.
 *
 * The `listWatch` of the result creates ordinary sources. An informer over such a source has its
 * own indexes, queries and options.
 *
 * | event | what the page receives |
 * | --- | --- |
 * | the first content | messages of about 128 KB: `STATUS` with the progress, then `LISTED` when all have arrived |
 * | a commit of the worker's informer | one batch, with only the fields that differ |
 * | a relist in the worker | `LISTED`; only changed and deleted objects are sent |
 * | a status or an error | the status or error of the worker's informer, with class, code and fields |
 * | the worker receives anything from the API server | `BOOKMARK`, at most 2 s later |
 * | the page is busy | commits wait in the worker and arrive as one batch; more than 500 changes are conflated |
 * | there are no shared workers, or the worker fails, is lost or has another version or identity | an `ERROR` with an `RXI_SHARED_WORKER`, then the events of `listWatch(client, …)`; its code is loaded only in this case |
 *
 * The page chooses the resource, `namespace`, selectors and `metadataOnly`. Other options of
 * `listWatch`, such as `watchTimeout`, apply only to the page's own connections; for the worker,
 * they are options of `serveInformers`. `transform` is called in the page for each object,
 * including its `managedFields`. If `transform` fails for an object, it is called again when the
 * object changes. A page with a `transform` does not share an informer with a page without one.
 *
 * The objects are copies of the objects in the worker. They are plain JSON, and the page's informer
 * freezes them like all objects. The objects of one page share equal parts, as with `listWatch`.
 * With `shareAcrossObjects: false`, only the versions of one object share parts.
 *
 * **Guarantees**: the guarantees of `listWatch` about order, completeness and teardown hold. All
 * sources of a page share one port. The port is open while any of these sources is subscribed to.
 *
 * **Does not guarantee**: that `metrics` hooks are called for requests of the worker. Your own
 * requests, such as writes, do not go through the worker.
 *
 * @param connect creates the worker. It is called when the first source is subscribed to, and again
 *   after the worker was lost
 * @param options the version of the page's script, the identity of the user, and the clock
 * @returns an object whose `listWatch` replaces `listWatch` of `rx-informers`
 * @throws `RXI_INVALID_OPTION` without an `identity`
 * @example
 * import { fetchClient, informerRegistry } from 'rx-informers';
 * import { sharedListWatch } from 'rx-informers/shared-worker';
 *
 * const shared = sharedListWatch(
 *   () => new SharedWorker(new URL('./worker.js', document.baseURI), { type: 'module' }),
 *   { identity: '' }, // a page without users
 * );
 * const registry = informerRegistry(fetchClient(), { listWatch: shared.listWatch });
 */
export function sharedListWatch(connect: () => SharedWorkerLike, options: SharedListWatchOptions): SharedListWatch {
  const identity = checkedIdentity(options);
  const { version = '', scheduler = asyncScheduler, ownListWatch = loadedLater } = options;
  const { link$, connection$ } = workerLink(connect, { version, identity, scheduler: steady(scheduler) });
  return {
    listWatch: (client: KubeClient, resource: Resource<unknown>, options: Options = {}) =>
      sharedSource({ link$, ownListWatch }, client, resource, options),
    past: (resource, { before, size, namespace = listWatchDefaults.namespace, ...selection }) => {
      const request = requestOf(resource, { ...selection, namespace });
      return link$.pipe(
        switchMap((link) => {
          if (link.state === 'connecting') return NEVER;
          return link.state === 'own' ? of('') : link.session.past({ request, before, size });
        }),
        take(1),
      );
    },
    connection$: connection$.asObservable(),
    get connection() {
      return connection$.value;
    },
  };
}

/** Returns the identity. Throws in JavaScript, where it may be missing. */
function checkedIdentity(options: Partial<SharedListWatchOptions> | undefined): string {
  const identity = options?.identity;
  if (typeof identity === 'string') return identity;
  const expected = "a string that differs for each user who signs in, or '' if the page has no users";
  throw invalidOptionError('identity', identity, expected);
}

/**
 * Creates a registry whose informers read from a shared cache.
 *
 * Compared with `informerRegistry`, it does not load the code that lists and watches (14 KB
 * compressed) until the page has to read from the API server itself.
 *
 * @param client the client for a page that reads from the API server itself
 * @param shared the result of `sharedListWatch`, or any object with a `listWatch`
 * @param options defaults of all informers
 * @returns a registry, for example for `InformersProvider`
 * @example
 * import { fetchClient } from 'rx-informers';
 * import { sharedListWatch, sharedRegistry } from 'rx-informers/shared-worker';
 *
 * const shared = sharedListWatch(
 *   () => new SharedWorker(new URL('./worker.js', document.baseURI), { type: 'module' }),
 *   { identity: '' }, // a page without users
 * );
 * const registry = sharedRegistry(fetchClient(), shared);
 */
export function sharedRegistry(
  client: KubeClient,
  shared: Pick<SharedListWatch, 'listWatch'>,
  options: Omit<InformerRegistryOptions, 'listWatch'> = {},
): InformerRegistry {
  return registryOver(client, { ...options, listWatch: shared.listWatch });
}

type Options = ListWatchOptions<unknown, boolean, unknown>;

/** How the sources of a page read. */
interface Ways {
  readonly link$: Observable<WorkerLinkState>;
  readonly ownListWatch: typeof listWatch;
}

function sharedSource(
  ways: Ways,
  client: KubeClient,
  resource: Resource<unknown>,
  options: Options,
): ResourceSource<unknown> {
  protocolOptions(options);
  const { namespace = listWatchDefaults.namespace } = options;
  const clock = { scheduler: schedulerOf(client, options), random: randomOf(client, options) };
  const ofNamespace = (name: string): ResourceSource<unknown> =>
    sourceOfNamespace(ways, client, resource, { ...options, namespace: name });
  const source$ =
    typeof namespace === 'string' ? ofNamespace(namespace) : namespace.merge(namespace, ofNamespace, clock.scheduler);
  const { withKnownObjects, contact } = source$;
  return sourceWith(source$, {
    resource,
    client,
    selection: selectionFor(resource, options),
    withKnownObjects,
    contact,
    ...clock,
  });
}

function sourceOfNamespace(
  ways: Ways,
  client: KubeClient,
  resource: Resource<unknown>,
  options: Options & { readonly namespace: string },
  known?: KnownObjects<unknown>,
): ResourceSource<unknown> {
  const own = ways.ownListWatch(client, resource, options);
  const request = requestOf(resource, options);
  const contacts = new Contacts();
  const source$ = ways.link$.pipe(
    switchMap((link): Source<unknown> => {
      switch (link.state) {
        case 'shared':
          return readFeed(link.session, request, options, contacts, schedulerOf(client, options));
        case 'connecting':
          return link.cause === undefined ? EMPTY : of([errorOf(link.cause), reconnecting(link.cause)]);
        case 'own':
          return concat(
            of([errorOf(link.cause)]),
            withContact(known ? sourceWithKnownObjects(own, known) : own, contacts),
          );
      }
    }),
    map(toBatch),
  );
  return sourceWith(source$, {
    contact: contacts,
    withKnownObjects: (known) => sourceOfNamespace(ways, client, resource, options, known),
  });
}

let loadedListWatch: typeof listWatch | undefined;

/** Loads the code to list and watch once; retries every two seconds. */
function loadListWatch(scheduler: SchedulerLike): Observable<typeof listWatch> {
  return defer(async () => {
    loadedListWatch = (await import('../sources/list-watch.js')).listWatch;
    return loadedListWatch;
  }).pipe(retry({ delay: () => timer(2000, scheduler) }));
}

/** Loads the code to list and watch when the source is subscribed to. */
const loadedLater = ((client: KubeClient, resource: Resource<unknown>, options: Options) => {
  const scheduler = schedulerOf(client, options);
  const loaded$ = defer(() => (loadedListWatch ? of(loadedListWatch) : loadListWatch(scheduler)));
  return latestSource(loaded$.pipe(map((load): Source<unknown> => load(client, resource, options))), { scheduler });
}) as typeof listWatch;

function requestOf(resource: Resource<unknown>, options: Options & { readonly namespace: string }): SharedRequest {
  const { group, version, plural, kind, namespaced } = resource;
  const { namespace, labelSelector = '', fieldSelector = '', metadataOnly = false } = options;
  return {
    resource: { group, version, plural, namespaced, ...(kind !== undefined && { kind }) },
    namespace,
    labelSelector: formatLabelSelector(labelSelector),
    fieldSelector,
    metadataOnly,
    isWhole: transformOf(options) !== undefined,
  };
}

/** The default transform is called in the worker. */
function transformOf({ transform }: Options): ((object: never) => unknown) | undefined {
  return transform === listWatchDefaults.transform ? undefined : transform;
}

function readFeed(
  session: Session,
  request: SharedRequest,
  options: Options,
  contacts: Contacts,
  scheduler: SchedulerLike,
): Observable<WatchEventBatch<unknown>> {
  return defer(() => {
    const received = new ReceivedFeed<unknown>({
      transform: transformOf(options),
      shareAcrossObjects: options.shareAcrossObjects ?? listWatchDefaults.shareAcrossObjects,
    });
    return session.read(request, (message) => received.take(message), contacts, scheduler);
  });
}

function errorOf(error: RxInformersError<'RXI_SHARED_WORKER'>): WatchEvent<unknown> {
  return { type: 'ERROR', error };
}

function reconnecting(cause: RxInformersError<'RXI_SHARED_WORKER'>): WatchEvent<unknown> {
  return { type: 'STATUS', status: { state: 'reconnecting', cause } };
}
