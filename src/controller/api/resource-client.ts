import { defer, map, tap, timeout as timeoutOf, throwError, type Observable, type SchedulerLike } from 'rxjs';
import { apiVersionOf } from '../../kubernetes/api-version.js';
import { metaNamespaceKey, splitMetaNamespaceKey, type NamespacedName } from '../../kubernetes/key.js';
import { steady } from '../../time/steady.js';
import type { ObjectMeta } from '../../kubernetes/object.js';
import { resourcePath, ResourcePathError } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
import { checkedDuration } from '../../operators/checked-duration.js';
import type { KubeClient, KubeRequest } from '../../sources/client/kube-client.js';
import { requestJson } from '../../sources/client/request-json.js';
import { requestLine } from '../../sources/client/request-line.js';
import { apiCall, type ApiCall } from './api-call.js';
import type { ApplyOptions, CallOptions, DeleteOptions, PatchOptions, WriteOptions } from './call-options.js';
import { CallTimeoutError } from './call-timeout-error.js';
import type { AppliedObject, NewObject, Target } from './object-types.js';
import { recordAnswer, type AnsweredCall, type WriteVerb } from './recording-client.js';

/** Reads and writes single objects of one resource; lists are what informers are for. */
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
  create(object: NewObject<T>, options?: WriteOptions): ApiCall<T>;
  /** Replaces the object (PUT); a 409 where its `resourceVersion` is not the newest. */
  update(object: T, options?: WriteOptions): ApiCall<T>;
  patch(target: Target, patch: readonly object[] | object, options?: PatchOptions): ApiCall<T>;
  /** Server-side apply; creates the object where there is none. Needs a `fieldManager`, here or of the client. */
  apply(object: AppliedObject<T>, options?: ApplyOptions): ApiCall<T>;
  /** Asks for the object to be deleted; with finalizers or a grace period it is still there when the call has ended. */
  delete(target: Target, options?: DeleteOptions): ApiCall<void>;
}

/** Options of `resourceClient`. */
export interface ResourceClientOptions {
  /** Under which name the server notes who owns what this client writes; at most 128 characters. */
  readonly fieldManager?: string | undefined;
  /** How long a call may take, in milliseconds (default 30,000); longer keeps a run waiting for a connection that is dead. */
  readonly timeout?: number | undefined;
  /** The clock of the timeout, and of the waits of `edit`, `createOrUpdate` and `finalize` (default `asyncScheduler`); a test gives its own. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * A client for single objects of one resource: what a controller reads and writes besides its caches.
 *
 * **Errors**, of each call: `StatusError` for what the server refuses (its `code`, `reason` and field errors are in it), `ConnectionError`,
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
 */
export function resourceClient<T>(
  client: KubeClient,
  resource: Resource<T>,
  options: ResourceClientOptions = {},
): ResourceClient<T> {
  const { fieldManager, timeout = 30_000, scheduler: given } = options;
  const scheduler = steady(given);
  checkedDuration('the timeout', timeout);
  const call = <Answer>(toRequest: () => KubeRequest, { signal }: CallOptions): ApiCall<Answer> =>
    apiCall(
      defer(() => {
        const request = toRequest();
        return requestJson<Answer>(client, request).pipe(answeredWithin(request, timeout, scheduler));
      }),
      signal,
    );
  /** A call that writes, and reports its answer if the client records. */
  const write = <Answer>(
    verb: WriteVerb,
    target: Target,
    toRequest: () => KubeRequest,
    { signal, dryRun, waitForCache = true, uid }: WriteOptions & Pick<AnsweredCall, 'uid'>,
  ): ApiCall<Answer> => {
    const answered$ = call<Answer>(toRequest, {});
    if (dryRun === true) return apiCall(answered$, signal);
    const record = (answer: Answer): void => {
      const known = verb === 'delete' ? namespacedNameOf(target) : {};
      recordAnswer(client, { verb, resource, target: known, uid, waitForCache }, answer);
    };
    return apiCall(answered$.pipe(tap(record)), signal);
  };
  const objectPath = (target: Target, subresource?: string): string =>
    resourcePath(resource, { ...namespacedNameOf(target), subresource });
  const stamped = (object: object): string => JSON.stringify({ ...kindOf(resource), ...withoutUndefined(object) });
  const writeQuery = (options: WriteOptions) => ({
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === true ? 'All' : undefined,
  });

  return {
    resource,
    client,
    via: (other) => resourceClient(other, resource, options),
    scheduler,
    get: (target, options = {}) =>
      call(() => ({ method: 'GET', path: objectPath(target, options.subresource) }), options),
    create: (object, options = {}) =>
      write(
        'create',
        object,
        () => {
          const path = creationPath(resource, object.metadata, options.subresource);
          return { method: 'POST', path, query: writeQuery(options), headers: json, body: stamped(object) };
        },
        options,
      ),
    update: (object, options = {}) =>
      write(
        'update',
        object as Target,
        () => {
          const path = objectPath(object as Target, options.subresource);
          return { method: 'PUT', path, query: writeQuery(options), headers: json, body: stamped(object as object) };
        },
        options,
      ),
    patch: (target, patch, options = {}) =>
      write(
        'patch',
        target,
        () => {
          const type = options.type ?? (Array.isArray(patch) ? 'json' : 'merge');
          const path = objectPath(target, options.subresource);
          const body = JSON.stringify(patch);
          return { method: 'PATCH', path, query: writeQuery(options), headers: patchHeaders[type], body };
        },
        options,
      ),
    apply: (object, options = {}) =>
      write(
        'apply',
        object,
        () => {
          const path = objectPath(object, options.subresource);
          const query = { ...writeQuery(options), force: options.force ?? true };
          return { method: 'PATCH', path, query, headers: applyHeaders, body: stamped(object) };
        },
        options,
      ),
    delete: (target, { signal, dryRun, waitForCache, ...options } = {}) => {
      // The server reads the query only where there is no body.
      const dry = dryRun === true ? { dryRun: ['All'] } : {};
      const body = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...dry, ...options });
      const request = (): KubeRequest => ({ method: 'DELETE', path: objectPath(target), headers: json, body });
      const recorded = { dryRun, waitForCache, uid: options.preconditions?.uid };
      return apiCall(write<unknown>('delete', target, request, recorded).pipe(map(() => undefined)), signal);
    },
  };
}

const json = { 'content-type': 'application/json' };
// JSON is YAML, and the only media types that every server knows.
const applyHeaders = { 'content-type': 'application/apply-patch+yaml' };
const patchHeaders = {
  json: { 'content-type': 'application/json-patch+json' },
  merge: { 'content-type': 'application/merge-patch+json' },
  strategic: { 'content-type': 'application/strategic-merge-patch+json' },
} as const;

function answeredWithin<T>(request: KubeRequest, each: number, scheduler: SchedulerLike) {
  return (answer$: Observable<T>): Observable<T> =>
    answer$.pipe(
      timeoutOf({
        first: each,
        scheduler,
        with: () => throwError(() => new CallTimeoutError(requestLine(request), each)),
      }),
    );
}

function creationPath(resource: Resource<unknown>, { namespace, name }: ObjectMeta, subresource?: string): string {
  if (subresource !== undefined) return resourcePath(resource, { namespace, name, subresource });
  // Such a path leads to the objects of all namespaces, and the server's answer (405) does not say what is missing.
  if (resource.namespaced && !namespace) {
    throw new ResourcePathError(resource, { namespace, name }, 'one object is created in a namespace');
  }
  return resourcePath(resource, { namespace });
}

function namespacedNameOf(target: Target): NamespacedName {
  return splitMetaNamespaceKey(typeof target === 'string' ? target : metaNamespaceKey(target));
}

function kindOf({ group, version, kind }: Resource<unknown>): object {
  return { apiVersion: apiVersionOf({ group, version }), ...(kind === undefined ? {} : { kind }) };
}

/** `{ kind: undefined }` must not hide the kind that the resource says. */
function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
