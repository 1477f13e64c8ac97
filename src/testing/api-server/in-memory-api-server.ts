import { Subject, Subscription, asyncScheduler, type Observable, type SchedulerLike } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { AccessControl, type ApiUser } from './access-control.js';
import { applyObjects, type Appliable } from './apply-objects.js';
import { startGarbageCollector } from './controllers/garbage-collector.js';
import {
  startNamespaceController,
  startPodTerminator,
  startDefinitionController,
} from './controllers/cluster-controllers.js';
import type { ApiRequest, RequestHandler } from './exchange.js';
import type { RestartOptions } from './faults/server-fault.js';
import { createFaultPlan, type FaultPlan } from './faults/fault-plan.js';
import { createRequestHandler } from './request-handler.js';
import { builtInKinds } from './resources/built-in-kinds.js';
import { builtInResource, Catalog, fromDescriptor, objectKey, storageName } from './resources/catalog.js';
import type { ServerContext } from './server-context.js';
import { directClient } from './serving/direct-client.js';
import { Storage } from './storage/storage.js';
import type { StoredObject } from './storage/stored-object.js';

export interface InMemoryApiServerOptions {
  /** Resources to serve beside the built-in kinds; CustomResourceDefinitions can also be posted later. */
  readonly resources?: readonly Resource<unknown>[] | undefined;
  /**
   * Who may do what, by bearer token. Default: no tokens, and everybody may do everything; with tokens, a request
   * without a known one is a 401.
   */
  readonly users?: Readonly<Record<string, ApiUser>> | undefined;
  /** Whether streaming lists (`sendInitialEvents`) are known; default true. False: a server older than that feature. */
  readonly watchList?: boolean | undefined;
  /** Whether `shardSelector` is known; default false, as the feature gate of Kubernetes 1.36 is. False: it is ignored. */
  readonly shardedListAndWatch?: boolean | undefined;
  /** How many events each resource remembers; default 10,000. Watches that need older ones get 410. */
  readonly historyLimit?: number | undefined;
  /** Milliseconds between two bookmarks of a watch; default 60,000, as the real server. */
  readonly bookmarkInterval?: number | undefined;
  /** Whether deleted pods go when their grace period is over; default true. False: they wait for a DELETE without grace, as without a kubelet. */
  readonly kubelet?: boolean | undefined;
  /** The server's clock and timers; default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Makes uids, generated names and random timeouts; default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** A Kubernetes API server in this process, reached through `client`; see `createInMemoryApiServer`. */
export interface InMemoryApiServer {
  /** A client that may do everything: no socket, answers within the call. */
  readonly client: KubeClient;
  /** The same with the rights of a token. */
  clientFor(token: string): KubeClient;
  /** What is there. */
  readonly objects: ServerObjects;
  /** What happened to a resource, oldest first, as far as it is remembered. */
  history<T = StoredObject>(resource: ResourceReference<T>): readonly HistoryEntry<T>[];
  /** Every request, as it comes in. */
  readonly requests$: Observable<ApiRequest>;
  /**
   * Creates or replaces objects with their status, and creates the namespaces they need. Returns them as stored.
   *
   * @param objects an object, several objects, JSON text, or YAML text (several documents, lists), which needs the package
   * `yaml`; each object needs apiVersion, kind and name
   * @throws MissingPackageError for YAML text if `yaml` is not installed
   */
  apply(objects: Appliable): readonly StoredObject[];
  /** Removes an object at once, whatever its finalizers; false where there is none. */
  remove(resource: ResourceReference, name: string, namespace?: string): boolean;
  /** Forgets the history up to now: watches and pages from before get 410. */
  compact(): void;
  /** What goes wrong, and when. */
  readonly faults: FaultPlan;
  /** Drops every connection, as a server that is restarted does; what it holds stays. */
  restart(options?: RestartOptions): void;
  /** The version that the latest write made. */
  readonly resourceVersion: string;
  /** Gives a token its rights, from the next request on. */
  grant(token: string, user: ApiUser): void;
  /** Makes a token unknown. */
  revoke(token: string): void;
  /** Ends every watch and stops the server's timers; what it holds can still be read. */
  stop(): void;
}

/** The server without its shells, for those who put one around it. */
export interface ApiServerCore {
  readonly server: InMemoryApiServer;
  readonly handle: RequestHandler;
  readonly access: AccessControl;
}

const initialNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * Starts an API server that exists only in memory: synchronous, and in virtual time where the scheduler is a test's.
 *
 * **Guarantees**: speaks the real server's protocol (lists, pages, watches, bookmarks, 410, conflicts, errors); a
 * write is announced to every watch before the call that made it returns.
 * Unknown and duplicate fields are dropped with a warning, refused or ignored, as `fieldValidation` says. This is for requests:
 * `server.apply` stores what it is given.
 * **Does not guarantee**: defaulting of the built-in kinds, and validation of their values beyond the types of the fields;
 * controllers (a Deployment makes no pods).
 *
 * @example
 * const server = createInMemoryApiServer();
 * server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'dark' } });
 */
export function createInMemoryApiServer(options: InMemoryApiServerOptions = {}): InMemoryApiServer {
  return createApiServerCore(options).server;
}

export function createApiServerCore(options: InMemoryApiServerOptions): ApiServerCore {
  const context = createContext(options);
  const access = new AccessControl(options.users);
  const life = new Subscription();
  life.add(startDefinitionController(context));
  life.add(startGarbageCollector(context));
  life.add(startNamespaceController(context));
  if (options.kubelet ?? true) life.add(startPodTerminator(context));
  const namespaces = initialNamespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  applyObjects(context, namespaces);

  const requests = new Subject<ApiRequest>();
  const compact = (): void => {
    context.storage.compact();
  };
  const { faults, restart, around } = createFaultPlan({
    catalog: context.catalog,
    scheduler: context.scheduler,
    compact,
  });
  const core = around(createRequestHandler(context, access));
  const handle: RequestHandler = (request) => {
    requests.next(request);
    return core(request);
  };
  const clock = { scheduler: options.scheduler, random: options.random };
  const server: InMemoryApiServer = {
    client: directClient(handle, clock),
    clientFor: (token) => directClient(handle, { ...clock, token }),
    objects: serverObjects(context),
    history: (resource) => serverHistory(context, resource),
    requests$: requests.asObservable(),
    apply: (objects) => applyObjects(context, objects),
    remove: (resource, name, namespace = '') =>
      context.storage.resource(storageName(resource)).remove(objectKey(namespace, name)) !== undefined,
    compact,
    faults,
    restart,
    get resourceVersion() {
      return String(context.storage.resourceVersion);
    },
    grant: (token, user) => {
      access.grant(token, user);
    },
    revoke: (token) => {
      access.revoke(token);
    },
    stop: () => {
      life.unsubscribe();
      context.storage.close();
      requests.complete();
    },
  };
  return { server, handle, access };
}

function createContext(options: InMemoryApiServerOptions): ServerContext {
  const { resources = [], watchList = true, historyLimit = 10_000, bookmarkInterval = 60_000 } = options;
  const { shardedListAndWatch = false } = options;
  const { scheduler = asyncScheduler, random = Math.random } = options;
  const catalog = new Catalog(builtInKinds.map(builtInResource));
  for (const resource of resources) {
    if (catalog.find(resource.group, resource.version, resource.plural) === undefined)
      catalog.add(fromDescriptor(resource));
  }
  return {
    storage: new Storage({ historyLimit }),
    catalog,
    scheduler,
    random,
    settings: { watchList, shardedListAndWatch, bookmarkInterval },
  };
}

/** Which resource is meant; any descriptor will do. */
export type ResourceReference<T = unknown> = Pick<Resource<T>, 'group' | 'plural' | 'objectType'>;

/** What the embedded API server holds, read without a request. */
export interface ServerObjects {
  /** The object, or undefined. */
  get<T = StoredObject>(resource: ResourceReference<T>, name: string, namespace?: string): T | undefined;
  /** Everything of a resource, sorted by namespace and name; only one namespace's where one is given. */
  list<T = StoredObject>(resource: ResourceReference<T>, namespace?: string): readonly T[];
}

export function serverObjects({ storage }: ServerContext): ServerObjects {
  return {
    get: <T>(resource: ResourceReference<T>, name: string, namespace = '') =>
      storage.resource(storageName(resource)).get(objectKey(namespace, name)) as T | undefined,
    list: <T>(resource: ResourceReference<T>, namespace = '') =>
      Array.from(
        storage.resource(storageName(resource)).scan(namespace && `${namespace}/`),
        ([, object]) => object as T,
      ),
  };
}

/** One write, as `server.history` tells it. */
export interface HistoryEntry<T = StoredObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

export function serverHistory<T>(
  { storage }: ServerContext,
  resource: ResourceReference<T>,
): readonly HistoryEntry<T>[] {
  return storage
    .resource(storageName(resource))
    .history.all()
    .map(({ type, object }) => ({ type, object: object as T }));
}
