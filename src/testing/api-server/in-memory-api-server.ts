import { Subject, Subscription, asyncScheduler, type Observable, type SchedulerLike } from 'rxjs';
import type { Resource } from '../../kubernetes/resource.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { applyObjects, type Appliable, type ApplyObjectsOptions } from './apply-objects.js';
import {
  startNamespaceController,
  startPodTerminator,
  startDefinitionController,
} from './controllers/cluster-controllers.js';
import { startGarbageCollector } from './controllers/garbage-collector.js';
import { directClient } from './direct-client.js';
import { AccessControl, type ApiUser } from './exchange/access-control.js';
import type { ApiRequest, RequestHandler } from './exchange/exchange.js';
import { createFaultPlan, type FaultPlan } from './faults/fault-plan.js';
import type { RestartOptions } from './faults/server-fault.js';
import { metricsKinds } from './metrics-api.js';
import { createRequestHandler } from './request-handler.js';
import {
  builtInKinds,
  builtInResource,
  Catalog,
  fromDescriptor,
  storageKey,
  storageName,
} from './resources/catalog.js';
import type {
  ContainerUsage,
  ContainerUsageRequest,
  PodLog,
  PodLogRequest,
  ServerContext,
} from './storage/server-context.js';
import { Storage } from './storage/storage.js';
import type { StoredObject } from './storage/stored-object.js';

/** Options of {@link createInMemoryApiServer}. */
export interface InMemoryApiServerOptions {
  /** Served besides the built-in kinds. CustomResourceDefinitions can also follow later. */
  readonly resources?: readonly Resource<unknown>[] | undefined;
  /** Users by bearer token. Default: every request is allowed. With tokens, others receive 401. */
  readonly users?: Readonly<Record<string, ApiUser>> | undefined;
  /**
   * The rights of groups, by name. A user also has the rights of the groups of the user;
   * `system:masters` may do everything. Default: none.
   */
  readonly groups?: Readonly<Record<string, ApiUser['allow']>> | undefined;
  /** Supports `sendInitialEvents`. Default true; false is a server older than that feature. */
  readonly watchList?: boolean | undefined;
  /**
   * Compresses streaming lists and their watches for HTTP clients that accept gzip, and flushes
   * after each event, as Kubernetes does since 1.37. Default false.
   */
  readonly watchListCompression?: boolean | undefined;
  /** Milliseconds between two bookmarks of a watch; default 60,000, as in the real server. */
  readonly bookmarkInterval?: number | undefined;
  /**
   * Removes deleted pods after their grace period, as a kubelet does. Default true. If false,
   * deleted pods stay until a DELETE with a grace period of 0.
   */
  readonly kubelet?: boolean | undefined;
  /** Returns a log for `pods/log` (`kubectl logs`, also with `follow`). Default: empty. */
  readonly podLogs?: ((request: PodLogRequest) => PodLog) | undefined;
  /**
   * Returns the usage of a container, for pod and node metrics of metrics.k8s.io (a node is the sum
   * of its containers). `undefined`: not measured, its pod has no metrics. Default: not served.
   */
  readonly containerUsage?: ((request: ContainerUsageRequest) => ContainerUsage | undefined) | undefined;
  /** The server's clock and timers; default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** The random numbers for uids, generated names and timeouts; default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** A Kubernetes API server in this process; see `createInMemoryApiServer`. */
export interface InMemoryApiServer {
  /** A client with all rights. It has no socket and answers synchronously. */
  readonly client: KubeClient;
  /** Returns a client with the rights of a token. */
  clientFor(token: string): KubeClient;
  /** The stored objects. */
  readonly objects: ServerObjects;
  /** Returns the history of a resource, oldest first, up to 10,000 entries. */
  history<T = StoredObject>(resource: ResourceReference<T>): readonly HistoryEntry<T>[];
  /** Emits each request when it arrives. */
  readonly requests$: Observable<ApiRequest>;
  /**
   * Creates or replaces objects, including their status, and creates missing namespaces. Returns
   * the stored objects.
   *
   * @param objects an object, several objects, JSON text, or YAML text (several documents, lists),
   * which needs the package `yaml`; each object needs apiVersion, kind and name
   * @param options whether to keep the times and managers that the objects state
   * @throws `RXI_MISSING_PACKAGE` for YAML text if `yaml` is not installed
   */
  apply(objects: Appliable, options?: ApplyObjectsOptions): readonly StoredObject[];
  /** Removes an object at once, even with finalizers. Returns false if there is none. */
  remove(resource: ResourceReference, name: string, namespace?: string): boolean;
  /** Drops the history up to now. Watches and pages of earlier versions then receive 410. */
  compact(): void;
  /** Assigns faults to requests. */
  readonly faults: FaultPlan;
  /** Drops all connections, like a restart of the server. The objects stay. */
  restart(options?: RestartOptions): void;
  /** The resourceVersion of the latest write. */
  readonly resourceVersion: string;
  /** Sets the rights of a token, from the next request on. */
  grant(token: string, user: ApiUser): void;
  /** Removes a token. */
  revoke(token: string): void;
  /** Ends every watch and stops the server's timers. The objects can still be read. */
  stop(): void;
}

/** The server without transport. `createApiServer` adds HTTP. */
export interface ApiServerCore {
  readonly server: InMemoryApiServer;
  readonly handle: RequestHandler;
  readonly access: AccessControl;
  readonly storage: Storage;
}

const initialNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * Creates an API server in memory, without a socket. The server is synchronous. With a virtual
 * scheduler, it runs in virtual time.
 *
 * **Guarantees**: the server speaks the protocol of the real server (lists, pages, watches,
 * bookmarks, 410, conflicts, errors); every watch receives a write before the call that writes
 * returns. Unknown and duplicate fields of requests are dropped with a warning, dropped silently,
 * or refused, depending on `fieldValidation`. Custom resources get the defaults of the schema of
 * their definition. Values that the schema refuses are refused with the causes of the real server.
 * `server.apply` stores objects unchanged. **Does not guarantee**: rules in CEL, unless `apply` has
 * functions for them; defaults for built-in kinds; validation of their values beyond the types of
 * the fields; controllers (a Deployment creates no pods).
 *
 * @param options resources, users, bookmarks and the clock; see {@link InMemoryApiServerOptions}
 * @returns a server with a `client` for sources, and `apply` and `remove` for tests
 * @example
 * const server = createInMemoryApiServer();
 * server.apply({
 *   apiVersion: 'v1',
 *   kind: 'ConfigMap',
 *   metadata: { name: 'settings' },
 *   data: { mode: 'dark' },
 * });
 */
export function createInMemoryApiServer(options: InMemoryApiServerOptions = {}): InMemoryApiServer {
  return createApiServerCore(options).server;
}

export function createApiServerCore(options: InMemoryApiServerOptions): ApiServerCore {
  const context = createContext(options);
  const access = new AccessControl(options.users, options.groups);
  const subscriptions = new Subscription();
  subscriptions.add(startDefinitionController(context));
  subscriptions.add(startGarbageCollector(context));
  subscriptions.add(startNamespaceController(context));
  if (options.kubelet ?? true) subscriptions.add(startPodTerminator(context));
  const namespaces = initialNamespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  applyObjects(context, namespaces);

  const requests = new Subject<ApiRequest>();
  const compact = (): void => context.storage.compact();
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
    apply: (objects, options) => applyObjects(context, objects, options),
    remove: (resource, name, namespace = '') =>
      context.storage.resource(storageName(resource)).remove(storageKey(namespace, name)) !== undefined,
    compact,
    faults,
    restart,
    get resourceVersion() {
      return String(context.storage.resourceVersion);
    },
    grant: (token, user) => access.grant(token, user),
    revoke: (token) => access.revoke(token),
    stop: () => {
      subscriptions.unsubscribe();
      context.storage.close();
      requests.complete();
    },
  };
  return { server, handle, access, storage: context.storage };
}

function createContext(options: InMemoryApiServerOptions): ServerContext {
  const { resources = [], watchList = true, watchListCompression = false, bookmarkInterval = 60_000 } = options;
  const { scheduler = asyncScheduler, random = Math.random, podLogs = () => ({ lines: [] }) } = options;
  const { containerUsage } = options;
  const kinds = containerUsage === undefined ? builtInKinds : [...builtInKinds, ...metricsKinds];
  const catalog = new Catalog(kinds.map(builtInResource));
  for (const resource of resources) {
    if (catalog.find(resource.group, resource.version, resource.plural) === undefined)
      catalog.add(fromDescriptor(resource));
  }
  return {
    storage: new Storage(),
    catalog,
    scheduler,
    random,
    ruleFunctions: new Map(),
    settings: { watchList, watchListCompression, bookmarkInterval, podLogs, containerUsage },
  };
}

/** The resource of a call. Any resource descriptor can be passed. */
export type ResourceReference<T = unknown> = Pick<Resource<T>, 'group' | 'plural' | 'objectType'>;

/** Reads the objects of the embedded API server without a request. */
export interface ServerObjects {
  /** Returns the object, or `undefined` if there is no such object. */
  get<T = StoredObject>(resource: ResourceReference<T>, name: string, namespace?: string): T | undefined;
  /** Returns the objects of one or all namespaces, sorted by namespace and name. */
  list<T = StoredObject>(resource: ResourceReference<T>, namespace?: string): readonly T[];
}

function serverObjects({ storage }: ServerContext): ServerObjects {
  return {
    get: <T>(resource: ResourceReference<T>, name: string, namespace = '') =>
      storage.resource(storageName(resource)).get(storageKey(namespace, name)) as T | undefined,
    list: <T>(resource: ResourceReference<T>, namespace = '') =>
      Array.from(
        storage.resource(storageName(resource)).scan(namespace && `${namespace}/`),
        ([, object]) => object as T,
      ),
  };
}

/** One write in `server.history`. */
export interface HistoryEntry<T = StoredObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: T;
}

function serverHistory<T>({ storage }: ServerContext, resource: ResourceReference<T>): readonly HistoryEntry<T>[] {
  return storage
    .resource(storageName(resource))
    .history.all()
    .map(({ type, object }) => ({ type, object: object as T }));
}
