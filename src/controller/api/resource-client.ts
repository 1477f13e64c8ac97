import {
  asyncScheduler,
  defer,
  map,
  timeout as timeoutOf,
  throwError,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { apiVersionOf } from '../../kubernetes/api-version.js';
import { metaNamespaceKey, splitMetaNamespaceKey, type NamespacedName } from '../../kubernetes/key.js';
import { resourcePath } from '../../kubernetes/resource-path.js';
import type { Resource } from '../../kubernetes/resource.js';
import { checkedDuration } from '../../operators/checked-duration.js';
import type { KubeClient, KubeRequest } from '../../sources/client/kube-client.js';
import { requestJson } from '../../sources/client/request-json.js';
import { requestLine } from '../../sources/client/request-line.js';
import { apiCall, type ApiCall } from './api-call.js';
import { CallTimeoutError } from './call-timeout-error.js';
import type { AppliedObject, NewObject, Target } from './object-types.js';

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call; a run's `signal` belongs here. */
  readonly signal?: AbortSignal | undefined;
  /** A part of the object that has a path of its own, for example `status` or `scale`. */
  readonly subresource?: string | undefined;
}

/** Options of calls that change something. */
export interface WriteOptions extends CallOptions {
  /** Under which name the server notes who owns the changed fields (default: the client's, or what the server makes of the user agent). */
  readonly fieldManager?: string | undefined;
  /** True: the server checks the write and answers as if it had done it. */
  readonly dryRun?: boolean | undefined;
}

/** Options of `patch`. */
export interface PatchOptions extends WriteOptions {
  /** What kind of patch it is (default: `json` for an array, `merge` for an object); `strategic` only for built-in kinds. */
  readonly type?: 'json' | 'merge' | 'strategic' | undefined;
}

/** Options of `apply`. */
export interface ApplyOptions extends WriteOptions {
  /** Whether fields that others own are taken over (default true, as the Kubernetes documentation recommends to controllers); false: a 409. */
  readonly force?: boolean | undefined;
}

/** Options of `delete`. */
export interface DeleteOptions extends Omit<WriteOptions, 'fieldManager' | 'subresource'> {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  /** Seconds; 0 is now. */
  readonly gracePeriodSeconds?: number | undefined;
  /** The delete is a 409 where the object is another one (`uid`) or another version of it (`resourceVersion`). */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

/** Reads and writes single objects of one resource; lists are what informers are for. */
export interface ResourceClient<T> {
  readonly resource: Resource<T>;
  /** The connection underneath. */
  readonly client: KubeClient;
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
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * A client for single objects of one resource: what a controller reads and writes besides its caches.
 *
 * **Errors**, of each call: `StatusError` for what the server refuses (its `code`, `reason` and field errors are in it), `ConnectionError`,
 * `CredentialsError`, `ResponseError`, `CallTimeoutError`; `InvalidKeyError` and `ResourcePathError` for a target that cannot be addressed.
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
  { fieldManager, timeout = 30_000, scheduler = asyncScheduler }: ResourceClientOptions = {},
): ResourceClient<T> {
  checkedDuration('the timeout', timeout);
  const call = <Answer>(toRequest: () => KubeRequest, { signal }: CallOptions): ApiCall<Answer> =>
    apiCall(
      defer(() => {
        const request = toRequest();
        return requestJson<Answer>(client, request).pipe(answeredWithin(request, timeout, scheduler));
      }),
      signal,
    );
  const objectPath = (target: Target, subresource?: string): string =>
    resourcePath(resource, { ...namespacedNameOf(target), subresource });
  const stamped = (object: object): string => JSON.stringify({ ...kindOf(resource), ...withoutUndefined(object) });
  const writeQuery = (options: WriteOptions) => ({
    fieldManager: options.fieldManager ?? fieldManager,
    dryRun: options.dryRun === true ? 'All' : undefined,
  });

  return {
    resource,
    client,
    get: (target, options = {}) =>
      call(() => ({ method: 'GET', path: objectPath(target, options.subresource) }), options),
    create: (object, options = {}) =>
      call(() => {
        const { namespace, name } = object.metadata as { readonly namespace?: string; readonly name?: string };
        const path = resourcePath(
          resource,
          options.subresource === undefined ? { namespace } : { namespace, name, subresource: options.subresource },
        );
        return { method: 'POST', path, query: writeQuery(options), headers: json, body: stamped(object) };
      }, options),
    update: (object, options = {}) =>
      call(() => {
        const path = objectPath(object as Target, options.subresource);
        return { method: 'PUT', path, query: writeQuery(options), headers: json, body: stamped(object as object) };
      }, options),
    patch: (target, patch, options = {}) =>
      call(() => {
        const type = options.type ?? (Array.isArray(patch) ? 'json' : 'merge');
        const path = objectPath(target, options.subresource);
        const body = JSON.stringify(patch);
        return { method: 'PATCH', path, query: writeQuery(options), headers: patchHeaders[type], body };
      }, options),
    apply: (object, options = {}) =>
      call(() => {
        const path = objectPath(object, options.subresource);
        const query = { ...writeQuery(options), force: options.force ?? true };
        return { method: 'PATCH', path, query, headers: applyHeaders, body: stamped(object) };
      }, options),
    delete: (target, { signal, dryRun, ...options } = {}) => {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
      const query = { dryRun: dryRun === true ? 'All' : undefined };
      const request = (): KubeRequest => ({
        method: 'DELETE',
        path: objectPath(target),
        query,
        headers: json,
        body: JSON.stringify(body),
      });
      return apiCall(call<unknown>(request, {}).pipe(map(() => undefined)), signal);
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
