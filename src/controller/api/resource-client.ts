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

/**
 * Reads and writes objects of one resource with requests. For lists that are read often, use an
 * informer.
 */
export interface ResourceClient<T> {
  readonly resource: Resource<T>;
  /** The client that sends the requests. */
  readonly client: KubeClient;
  /**
   * Returns the same resource client over another client. Inside a run, turn a long-lived client
   * into `deploymentClient.via(client)`, with the `client` of the request, so that `controller({
   * client })` knows the writes of the run.
   */
  via(client: KubeClient): ResourceClient<T>;
  /** The clock of its timeouts, and of the waits of `edit` and similar functions. */
  readonly scheduler: SchedulerLike;
  get(target: Target, options?: CallOptions): ApiCall<T>;
  /**
   * Returns what `get` returns, or `undefined` if there is no such object. A kind that the server
   * does not have is still an error.
   */
  getOrUndefined(target: Target, options?: CallOptions): ApiCall<T | undefined>;
  /**
   * Returns all selected objects, as they were at one version.
   *
   * The list is the most recent state, read from etcd in pages of `limit`. If its version expires
   * meanwhile (410), it is read again as a whole, without a limit, as client-go does. All objects
   * are held in memory. For a list that is needed often, use an informer.
   */
  list(options?: ListOptions): ApiCall<readonly T[]>;
  /**
   * Emits all selected objects page by page, for lists that are too long for the memory.
   *
   * The next page is requested when the subscriber has handled a page. A subscriber that handles it
   * asynchronously must bound how many pages wait. Unlike `list`, it does not start again if its
   * version expires between two pages: the rest is read in the most recent state. Even then an
   * object is emitted at most once, but an object that is created or deleted meanwhile may be
   * missing.
   */
  list$(options?: ListOptions): Observable<readonly T[]>;
  create(object: NewObject<T>, options?: WriteOptions): ApiCall<T>;
  /** Replaces the object (PUT). Fails with 409 if its `resourceVersion` is not the latest. */
  update(object: T, options?: WriteOptions): ApiCall<T>;
  patch(target: Target, patch: readonly object[] | object, options?: PatchOptions): ApiCall<T>;
  /**
   * Applies an object (server-side apply); creates it if it does not exist. Needs a `fieldManager`,
   * here or of the client. With the option `from`, a cache, nothing is sent that was applied
   * already.
   */
  apply(object: AppliedObject<T>, options?: ApplyOptions<T>): ApiCall<T>;
  /** Deletes the object. With finalizers or a grace period, it still exists when the call ends. */
  delete(target: Target, options?: DeleteOptions): ApiCall<void>;
  /**
   * Deletes all selected objects in one request; without a selector, all objects of the namespace.
   *
   * `preconditions` are tested for each object. If the call fails, some objects may have been
   * deleted already. The key of a run is not held until the caches have observed these deletions:
   * the server does not report which objects are gone and which are only terminating.
   */
  deleteCollection(options: DeleteCollectionOptions): ApiCall<void>;
}

/** Options of `resourceClient`. */
export interface ResourceClientOptions {
  /**
   * The name under which the server records the fields that this client writes; at most 128
   * characters. Default: none.
   */
  readonly fieldManager?: string | undefined;
  /**
   * The timeout of one request in milliseconds; for a list, of each page. Default 30,000. With a
   * longer one, a run waits longer for a dead connection.
   */
  readonly timeout?: number | undefined;
  /** The clock of the timeout, and of the waits of `edit`, `createOrUpdate` and `withFinalizer`. Default: that of the client. */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Receives the warnings of the server (`Warning` headers: deprecated versions, unknown fields) as
   * `warn`, each text once for each resource and logger. Default: none. A run of `controller({
   * client, logger })` logs them itself.
   */
  readonly logger?: Logger | undefined;
}

/**
 * Creates a client for the objects of one resource: what a controller reads and writes besides its
 * caches.
 *
 * **Guarantees**: nothing is retried. The queue of a controller retries, and so does
 * `retryOnConflict`. **Errors** of each call: `StatusError` if the server refuses it (with
 * `statusCode`, `reason` and field errors), `ConnectionError`, `CredentialsError`, `ResponseError`,
 * `CallTimeoutError`. `InvalidKeyError`, `InvalidObjectError` and `ResourcePathError` for a target
 * that has no path.
 *
 * @param client the connection to the API server
 * @param resource the resource, for example `deployments`
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
  /** Returns a call that writes, and reports its response if the client records. */
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
