import { catchError, defer, map, type Observable, of, type SchedulerLike, throwError } from 'rxjs';
import { type KubernetesStatus, resourceVersionOf } from '../../kubernetes/object.js';
import type { Resource } from '../../kubernetes/resource.js';
import type { LabelSelector } from '../../kubernetes/selector.js';
import { checkedDuration, steady } from '../../scheduling/clock.js';
import { type KubeClient, type KubeRequest, schedulerOf } from '../../sources/client/kube-client.js';
import { listWatchDefaults } from '../../sources/list-watch-options.js';
import { checkClient, checkResource, checkedChoice } from '../../sources/model/checked-options.js';
import type { Logger } from '../logger.js';
import { apiCall, type ApiCall, untilAborted } from './api-call.js';
import {
  type AppliedObject,
  type ApplyOptions,
  type CallOptions,
  checkedCache,
  type DeleteCollectionOptions,
  type DeleteOptions,
  type ListOptions,
  type NewObject,
  type PatchOptions,
  type Target,
  type WriteOptions,
} from './call-options.js';
import { isObjectNotFound } from './errors.js';
import { readPages, readWholeList } from './read-pages.js';
import { noVersion } from './reported-writes.js';
import {
  applyHeaders,
  checkedLimit,
  collectionPath,
  creationPath,
  deleteBody,
  deletionQuery,
  json,
  keyOf,
  objectBody,
  objectPath,
  patchHeaders,
  versionRequiredBy,
  writeQuery,
} from './request-parts.js';
import { Calls } from './resource-calls.js';
import { logWarnings } from './server-warnings.js';
import type { Eviction, IssuedToken, Scale, TokenRequest } from './subresources.js';
import { type Application, unlessApplied } from './unless-applied.js';

/** Reads and writes one resource by sending requests. For frequent reads, use an informer. */
export interface ResourceClient<T> {
  readonly resource: Resource<T>;
  /** The client that sends the requests. */
  readonly client: KubeClient;
  /** Returns a copy that sends its requests through `client`, as `clientOf` of a run does. */
  via(client: KubeClient): ResourceClient<T>;
  /** The clock of the timeouts, and of the waits in `edit` and similar functions. */
  readonly scheduler: SchedulerLike;
  get(target: Target, options: CallOptions & { readonly subresource: 'scale' }): ApiCall<Scale>;
  get(target: Target, options?: CallOptions): ApiCall<T>;
  /** Like `get`, but emits `undefined` for a missing object. Fails if the kind is unknown. */
  getOrUndefined(target: Target, options?: CallOptions): ApiCall<T | undefined>;
  /**
   * Reads all selected objects, all as of one `resourceVersion`.
   *
   * The objects are in the most recent state, read from etcd in pages of `limit` objects. If the
   * version expires between two pages (410), the whole list is read again without a limit, as in
   * client-go. All objects are kept in memory. For a list that is needed often, use an informer.
   */
  list<S extends LabelSelector>(options?: ListOptions<S>): ApiCall<readonly T[]>;
  /**
   * Reads all selected objects and emits them page by page, for lists that do not fit into memory.
   *
   * The next page is requested when the subscriber has returned from `next`. A subscriber that
   * handles pages asynchronously must limit how many pages wait. If the version expires between two
   * pages, the remaining objects are read in the most recent state; only `list` starts again. Even
   * then, an object is emitted at most once. An object that is created or deleted in the meantime
   * may be missing.
   */
  list$<S extends LabelSelector>(options?: ListOptions<S>): Observable<readonly T[]>;
  /** Evicts a pod. Fails with a 429 while a PodDisruptionBudget forbids it. */
  create(eviction: Eviction, options: WriteOptions & { readonly subresource: 'eviction' }): ApiCall<KubernetesStatus>;
  /** Requests a token of a ServiceAccount. */
  create(request: TokenRequest, options: WriteOptions & { readonly subresource: 'token' }): ApiCall<IssuedToken>;
  create(object: NewObject<T>, options?: WriteOptions): ApiCall<T>;
  /** Replaces the number of replicas. */
  update(scale: Scale, options: WriteOptions & { readonly subresource: 'scale' }): ApiCall<Scale>;
  /** Replaces the object (PUT). Fails with 409 if its `resourceVersion` is not the latest. */
  update(object: T, options?: WriteOptions): ApiCall<T>;
  patch(
    target: Target,
    patch: readonly object[] | object,
    options: PatchOptions & { readonly subresource: 'scale' },
  ): ApiCall<Scale>;
  patch(target: Target, patch: readonly object[] | object, options?: PatchOptions): ApiCall<T>;
  /**
   * Applies an object (server-side apply), or creates it. Requires a `fieldManager`, here or in the
   * client. With a cache as `from`, calls that would change nothing are not sent.
   */
  apply(object: AppliedObject<T>, options?: ApplyOptions<T>): ApiCall<T>;
  /** Deletes the object. With finalizers or a grace period, it still exists afterwards. */
  delete(target: Target, options?: DeleteOptions): ApiCall<void>;
  /**
   * Deletes all selected objects in one request. Without a selector, deletes all objects of the
   * namespace. If an option `labelSelector` or `fieldSelector` is passed that selects everything
   * (`''`, `{}`, `undefined`), the call fails with `RXI_INVALID_OPTION` and deletes nothing, unless
   * `all` is true.
   *
   * `preconditions` are checked for each object. If the call fails, some objects may have been
   * deleted already, and the next run of a key does not wait for them.
   */
  deleteCollection<S extends LabelSelector>(options: DeleteCollectionOptions<S>): ApiCall<void>;
}

/** Options of {@link resourceClient}. */
export interface ResourceClientOptions {
  /** Recorded with the fields that this client writes; at most 128 characters. Default: none. */
  readonly fieldManager?: string | undefined;
  /**
   * The timeout of one request in milliseconds (default 30,000). In a list, each page is one
   * request. With a longer timeout, a run waits longer for a dead connection.
   */
  readonly timeout?: number | undefined;
  /** The clock of timeouts and other waits. Default: the scheduler of the client. */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Receives the `Warning` headers of the server, for example about deprecated versions or unknown
   * fields, as `warn` lines (default: none): each text once for each resource and logger. A run of
   * `controller({ client, logger })` logs them without this option.
   */
  readonly logger?: Logger | undefined;
}

/**
 * Creates a client that reads and writes the objects of one resource by sending requests.
 *
 * **Guarantees**: A call is never retried. The queue of a controller retries, and so does {@link
 * retryOnConflict}.
 *
 * **Errors** of each call: If the server refuses the call, a `StatusError` with `statusCode`,
 * `reason` and field errors. If the call gets no valid response, `RXI_CONNECTION`,
 * `RXI_CREDENTIALS`, `RXI_RESPONSE` or `RXI_CALL_TIMEOUT`. If the path of the target cannot
 * be built: `RXI_INVALID_KEY`, `RXI_INVALID_OBJECT` or `RXI_RESOURCE_PATH`.
 *
 * @param client the connection to the API server
 * @param resource the resource, for example `deployments`
 * @param options the defaults of all calls; see {@link ResourceClientOptions}
 * @returns a client whose methods return an {@link ApiCall}; nothing is sent before a call is
 *   awaited or subscribed to
 * @throws `RXI_INVALID_OPTION` if `timeout` is not a duration
 * @example
 * import { deployments, type KubeClient } from 'rx-informers';
 * import { resourceClient } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 *
 * const deploymentClient = resourceClient(client, deployments, {
 *   fieldManager: 'website-operator',
 * });
 * await deploymentClient.delete('web/shop', { propagationPolicy: 'Foreground' });
 * const shops = await deploymentClient.list({ namespace: 'web', labelSelector: 'app=shop' });
 */
export function resourceClient<T>(
  client: KubeClient,
  resource: Resource<T>,
  options: ResourceClientOptions = {},
): ResourceClient<T> {
  const { fieldManager, timeout = 30_000, logger } = options;
  checkClient(client);
  checkResource(resource);
  checkedDuration('timeout', timeout);
  const scheduler = steady(schedulerOf(client, options));
  const calls = new Calls(logger ? logWarnings(client, logger) : client, { resource, timeout, scheduler });
  const pathOf = (target: Target, subresource?: string): string => objectPath(resource, target, subresource);
  // The overloads of `ResourceClient` have the types of the answers.
  const get = (target: Target, options: CallOptions = {}): ApiCall<never> =>
    calls.call('get', target, () => ({ method: 'GET', path: pathOf(target, options.subresource) }), options);

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
    list: ({ limit = listWatchDefaults.pageSize, signal, ...selection } = {}) =>
      apiCall(readWholeList(calls.pages<T>(selection), checkedLimit(limit)), signal),
    list$: ({ limit = listWatchDefaults.pageSize, signal, ...selection } = {}) =>
      untilAborted(readPages(calls.pages<T>(selection), checkedLimit(limit)), signal),
    create: (object: NewObject<T> | Eviction | TokenRequest, options: WriteOptions = {}): ApiCall<never> =>
      calls.write(
        'create',
        object,
        () => ({
          method: 'POST',
          path: creationPath(resource, object.metadata, options.subresource),
          query: writeQuery(options, fieldManager),
          headers: json,
          body: objectBody(resource, object, options.subresource),
        }),
        options,
        { requiredVersion: options.subresource === undefined ? noVersion : undefined },
      ),
    update: (object: T | Scale, options: WriteOptions = {}): ApiCall<never> =>
      calls.write(
        'update',
        object as Target,
        () => ({
          method: 'PUT',
          path: pathOf(object as Target, options.subresource),
          query: writeQuery(options, fieldManager),
          headers: json,
          body: objectBody(resource, object as object, options.subresource),
        }),
        options,
        { requiredVersion: resourceVersionOf(object) },
      ),
    patch: (target: Target, patch: readonly object[] | object, options: PatchOptions = {}): ApiCall<never> => {
      const { type = Array.isArray(patch) ? 'json' : 'merge' } = options;
      checkedChoice('type', type, 'json', 'merge', 'strategic');
      return calls.write(
        'patch',
        target,
        () => ({
          method: 'PATCH',
          path: pathOf(target, options.subresource),
          query: writeQuery(options, fieldManager),
          headers: patchHeaders[type],
          body: JSON.stringify(patch),
        }),
        options,
        { requiredVersion: versionRequiredBy(patch) },
      );
    },
    apply: (object, options = {}) => {
      const { subresource, force = true, dryRun } = options;
      const cache = checkedCache(options.from, resource);
      const request = (): KubeRequest => {
        const query = { ...writeQuery(options, fieldManager), force };
        const body = objectBody(resource, object, subresource);
        return { method: 'PATCH', path: pathOf(object, subresource), query, headers: applyHeaders, body };
      };
      const apply = (): ApiCall<T> =>
        calls.write('apply', object, request, options, { requiredVersion: resourceVersionOf(object) });
      if (cache === undefined || dryRun === true) return apply();
      const application = (): Application => ({
        key: keyOf(object),
        fieldManager: options.fieldManager ?? fieldManager,
        subresource,
        body: objectBody(resource, object, subresource),
      });
      return apiCall(
        defer(() => unlessApplied(cache, application(), apply)),
        options.signal,
        calls.describe('apply', object),
      );
    },
    delete: (target, { signal, dryRun, waitForCache, ...options } = {}) => {
      const body = deleteBody({ dryRun, ...options });
      const request = (): KubeRequest => ({ method: 'DELETE', path: pathOf(target), headers: json, body });
      const { uid, resourceVersion: requiredVersion } = options.preconditions ?? {};
      const deleted$ = calls.write<unknown>(
        'delete',
        target,
        request,
        { dryRun, waitForCache },
        { uid, requiredVersion },
      );
      return apiCall(deleted$.pipe(map(() => undefined)), signal, calls.describe('delete', target));
    },
    deleteCollection: (deletion) => {
      const { signal, namespace, waitForCache = true, ...rest } = deletion as DeleteCollectionOptions;
      const { labelSelector, fieldSelector, all, ...options } = rest;
      const body = deleteBody(options);
      const request = (): KubeRequest => {
        const path = collectionPath(
          resource,
          { namespace },
          'pass a namespace, because the API server deletes in one namespace at a time',
        );
        return { method: 'DELETE', path, query: deletionQuery(deletion), headers: json, body };
      };
      const deleted$ = calls.deleteCollection(request, { waitForCache, isDryRun: options.dryRun === true });
      return apiCall(deleted$.pipe(map(() => undefined)), signal);
    },
  };
}
