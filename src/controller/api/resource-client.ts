import { catchError, defer, map, of, tap, throwError, type Observable, type SchedulerLike } from 'rxjs';
import { splitMetaNamespaceKey } from '../../kubernetes/object.js';
import { steady, checkedDuration } from '../../time/clock.js';
import { resourcePath } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
import { schedulerOf, type KubeClient, type KubeRequest, requestJson } from '../../sources/client/kube-client.js';
import type { Logger } from '../logger.js';
import { apiCall, untilAborted, type ApiCall } from './api-call.js';
import {
  type ApplyOptions,
  type CallOptions,
  type DeleteCollectionOptions,
  type DeleteOptions,
  type ListOptions,
  type PatchOptions,
  type SelectionOptions,
  type WriteOptions,
  type AppliedObject,
  type NewObject,
  type Target,
  checkedCache,
} from './call-options.js';
import { isObjectNotFound } from './errors.js';
import {
  readPages,
  readWholeList,
  requestPage,
  type ReadPage,
  applyHeaders,
  checkedLimit,
  collectionPath,
  creationPath,
  defaultLimit,
  deleteBody,
  json,
  keyOf,
  objectBody,
  objectPath,
  patchHeaders,
  selectionQuery,
  answeredWithin,
} from './requests.js';
import { recordAnswer, type AnsweredCall, type WriteVerb } from './recording-client.js';
import { logWarnings } from './server-warnings.js';
import { unlessApplied, type Application } from './unless-applied.js';

/** Reads and writes objects of one resource. An informer is for lists that are read again and again. */
export interface ResourceClient<T> {
  readonly resource: Resource<T>;
  /** The connection underneath. */
  readonly client: KubeClient;
  /**
   * Returns the same client over another connection: a long-lived client inside a run becomes
   * `deploymentClient.via(client)`, with the `client` of the request, so that `controller({ client })` knows what the run wrote.
   */
  via(client: KubeClient): ResourceClient<T>;
  /** Where its timeouts come from, and the waits of `edit` and its like. */
  readonly scheduler: SchedulerLike;
  get(target: Target, options?: CallOptions): ApiCall<T>;
  /** Like `get`, but `undefined` if there is no such object; a kind that the server does not have is still an error. */
  getOrUndefined(target: Target, options?: CallOptions): ApiCall<T | undefined>;
  /**
   * Returns all objects that are selected, as they were at one version.
   *
   * The list is the most recent state, read from etcd in pages of `limit`. If it takes so long that its version expires (410), it is read
   * again as a whole, without a limit, as client-go does. All objects are held in memory, so are those of an informer: read a list that is
   * needed often from an informer.
   */
  list(options?: ListOptions): ApiCall<readonly T[]>;
  /**
   * Emits all objects that are selected, page by page, for lists that are too long for the memory.
   *
   * The next page is requested when the subscribers have handled a page; if they handle it asynchronously, they have to bound how
   * many pages wait. Unlike `list`, it does not start again if its version expires between two pages: the rest is read in the most
   * recent state. An object is emitted at most once then, too, but one that is created or deleted meanwhile may be missing.
   */
  list$(options?: ListOptions): Observable<readonly T[]>;
  create(object: NewObject<T>, options?: WriteOptions): ApiCall<T>;
  /** Replaces the object (PUT); a 409 where its `resourceVersion` is not the newest. */
  update(object: T, options?: WriteOptions): ApiCall<T>;
  patch(target: Target, patch: readonly object[] | object, options?: PatchOptions): ApiCall<T>;
  /**
   * Server-side apply; creates the object where there is none. Needs a `fieldManager`, here or of the client.
   * With the option `from`, a cache, nothing is sent that has been applied already.
   */
  apply(object: AppliedObject<T>, options?: ApplyOptions<T>): ApiCall<T>;
  /** Asks for the object to be deleted; with finalizers or a grace period it is still there when the call has ended. */
  delete(target: Target, options?: DeleteOptions): ApiCall<void>;
  /**
   * Asks for all objects that are selected to be deleted, in one request; without a selector, for all objects of the namespace.
   *
   * `preconditions` are tested for each object. If the call fails, some objects may have been deleted already. A run's key is not held
   * until the caches have observed these deletions: the server does not say which objects are gone and which are only terminating.
   */
  deleteCollection(options: DeleteCollectionOptions): ApiCall<void>;
}

/** Options of `resourceClient`. */
export interface ResourceClientOptions {
  /** Under which name the server notes who owns what this client writes; at most 128 characters. */
  readonly fieldManager?: string | undefined;
  /**
   * How long one request may take, in milliseconds (default 30,000); of a list, each page. Longer keeps a run waiting for a connection
   * that is dead.
   */
  readonly timeout?: number | undefined;
  /** The clock of the timeout, and of the waits of `edit`, `createOrUpdate` and `withFinalizer`. Default: that of the client. */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Receives the server's warnings (`Warning` headers: deprecated versions, unknown fields) as `warn`, each text once for each resource
   * and logger. Default: none; a run of `controller({ client, logger })` logs them by itself.
   */
  readonly logger?: Logger | undefined;
}

/**
 * Returns a client for the objects of one resource: what a controller reads and writes besides its caches.
 *
 * **Errors**, of each call: `StatusError` for what the server refuses (its `statusCode`, `reason` and field errors are in it), `ConnectionError`,
 * `CredentialsError`, `ResponseError`, `CallTimeoutError`; `InvalidKeyError`, `InvalidObjectError` and `ResourcePathError` for a target that cannot be addressed.
 * **Guarantees**: nothing is retried: a controller's queue does that, and `retryOnConflict`.
 *
 * @example
 * import { deployments, type KubeClient } from 'rx-informers';
 * import { resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 *
 * const deploymentClient = resourceClient(client, deployments, { fieldManager: 'website-operator' });
 * await deploymentClient.delete('web/shop', { propagationPolicy: 'Foreground' });
 * const shops = await deploymentClient.list({ namespace: 'web', labelSelector: 'app=shop' });
 */
export function resourceClient<T>(
  client: KubeClient,
  resource: Resource<T>,
  options: ResourceClientOptions = {},
): ResourceClient<T> {
  const { fieldManager, timeout = 30_000, logger } = options;
  const connection = logger ? logWarnings(client, logger) : client;
  const scheduler = steady(schedulerOf(client, options));
  checkedDuration('the timeout', timeout);
  const answerTo = <Answer>(
    toRequest: () => KubeRequest,
    read: (request: KubeRequest) => Observable<Answer> = (request) => requestJson(connection, request),
  ): Observable<Answer> =>
    defer(() => {
      const request = toRequest();
      return answeredWithin(request, read, timeout, scheduler);
    });
  const call = <Answer>(toRequest: () => KubeRequest, { signal }: CallOptions): ApiCall<Answer> =>
    apiCall(answerTo<Answer>(toRequest), signal);
  /** A call that writes, and reports its answer if the client records. */
  const write = <Answer>(
    verb: WriteVerb,
    target: Target,
    toRequest: () => KubeRequest,
    { signal, dryRun, waitForCache = true, uid }: WriteOptions & Pick<AnsweredCall, 'uid'>,
  ): ApiCall<Answer> => {
    const answered$ = answerTo<Answer>(toRequest);
    if (dryRun === true) return apiCall(answered$, signal);
    const record = (answer: Answer): void => {
      const known = verb === 'delete' ? splitMetaNamespaceKey(keyOf(target)) : {};
      recordAnswer(client, { verb, resource, target: known, uid, waitForCache }, answer);
    };
    return apiCall(answered$.pipe(tap(record)), signal);
  };
  const pathOf = (target: Target, subresource?: string): string => objectPath(resource, target, subresource);
  const writeQuery = (options: WriteOptions) => ({
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === true ? 'All' : undefined,
  });

  const get = (target: Target, options: CallOptions = {}): ApiCall<T> =>
    call(() => ({ method: 'GET', path: pathOf(target, options.subresource) }), options);
  const pageReader =
    (selection: SelectionOptions): ReadPage<T> =>
    (page) =>
      answerTo(
        () => {
          const path = resourcePath(resource, { namespace: selection.namespace });
          return { method: 'GET', path, query: { ...selectionQuery(selection), ...page } };
        },
        (request) => requestPage(connection, request, resource),
      );

  return {
    resource,
    client,
    via: (other) => resourceClient(other, resource, options),
    scheduler,
    get,
    getOrUndefined: (target, { signal, ...options } = {}) =>
      apiCall(
        defer(() => {
          const key = keyOf(target);
          return get(key, options).pipe(
            catchError((error: unknown) => (isObjectNotFound(error, key) ? of(undefined) : throwError(() => error))),
          );
        }),
        signal,
      ),
    list: ({ limit = defaultLimit, signal, ...selection } = {}) =>
      apiCall(readWholeList(pageReader(selection), checkedLimit(limit)), signal),
    list$: ({ limit = defaultLimit, signal, ...selection } = {}) =>
      untilAborted(readPages(pageReader(selection), checkedLimit(limit)), signal),
    create: (object, options = {}) =>
      write(
        'create',
        object,
        () => {
          const path = creationPath(resource, object.metadata, options.subresource);
          return {
            method: 'POST',
            path,
            query: writeQuery(options),
            headers: json,
            body: objectBody(resource, object),
          };
        },
        options,
      ),
    update: (object, options = {}) =>
      write(
        'update',
        object as Target,
        () => {
          const path = pathOf(object as Target, options.subresource);
          return {
            method: 'PUT',
            path,
            query: writeQuery(options),
            headers: json,
            body: objectBody(resource, object as object),
          };
        },
        options,
      ),
    patch: (target, patch, options = {}) =>
      write(
        'patch',
        target,
        () => {
          const type = options.type ?? (Array.isArray(patch) ? 'json' : 'merge');
          const path = pathOf(target, options.subresource);
          const body = JSON.stringify(patch);
          return { method: 'PATCH', path, query: writeQuery(options), headers: patchHeaders[type], body };
        },
        options,
      ),
    apply: (object, options = {}) => {
      const { subresource, force = true, dryRun } = options;
      const cache = checkedCache(options.from, resource);
      const request = (): KubeRequest => {
        const query = { ...writeQuery(options), force };
        const body = objectBody(resource, object);
        return { method: 'PATCH', path: pathOf(object, subresource), query, headers: applyHeaders, body };
      };
      const apply = (): ApiCall<T> => write('apply', object, request, options);
      if (cache === undefined || dryRun === true) return apply();
      const application = (): Application => ({
        key: keyOf(object),
        fieldManager: options.fieldManager ?? fieldManager,
        subresource,
        body: objectBody(resource, object),
      });
      return apiCall(
        defer(() => unlessApplied(cache, application(), apply)),
        options.signal,
      );
    },
    delete: (target, { signal, dryRun, waitForCache, ...options } = {}) => {
      const body = deleteBody({ dryRun, ...options });
      const request = (): KubeRequest => ({ method: 'DELETE', path: pathOf(target), headers: json, body });
      const recorded = { dryRun, waitForCache, uid: options.preconditions?.uid };
      return apiCall(write<unknown>('delete', target, request, recorded).pipe(map(() => undefined)), signal);
    },
    deleteCollection: ({ signal, namespace, labelSelector, fieldSelector, ...options }) => {
      const body = deleteBody(options);
      const request = (): KubeRequest => {
        const path = collectionPath(resource, { namespace }, 'the API server deletes in one namespace at a time');
        return { method: 'DELETE', path, query: selectionQuery({ labelSelector, fieldSelector }), headers: json, body };
      };
      return apiCall(answerTo(request).pipe(map(() => undefined)), signal);
    },
  };
}
