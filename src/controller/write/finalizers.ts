import { catchError, defer, map, type Observable, of, switchMap, throwError, toArray } from 'rxjs';
import { isRxInformersError, RxInformersError } from '../../kubernetes/errors.js';
import { metaNamespaceKey } from '../../kubernetes/keys.js';
import { type AnyKubernetesObject, withKind } from '../../kubernetes/object.js';
import { apiCall, type ApiCall } from '../../requests/resource-client/api-call.js';
import type { ResourceClient } from '../../requests/resource-client/resource-client.js';
import { edit, type EditOptions } from '../../requests/write/edit.js';
import type { Recipe } from '../../requests/write/recipe.js';
import { RequeueAfter } from '../workqueue/outcome.js';
import { OngoingWork, withSettled, type ValueOf, type Work } from '../workqueue/with-settled.js';

/** Options of `withFinalizer`. */
export interface WithFinalizerOptions<T, Applied, CleanedUp> extends FinalizerOptions {
  /** A qualified name, for example `websites.example.com/cleanup`. */
  readonly finalizer: string;
  /** Runs unless the object is being deleted. May return anything that `reconcile` may. */
  readonly apply: (object: T) => Applied;
  /** Runs before the object may be removed. Must be idempotent. */
  readonly cleanup: (object: T) => CleanedUp;
}

/**
 * Runs `apply` while an object exists, and `cleanup` before it may be removed (kube-rs's
 * `finalizer`).
 *
 * | finalizer | being deleted | what happens |
 * | --- | --- | --- |
 * | no | no | the finalizer is added, then `apply` runs on the server's response |
 * | yes | no | `apply` runs |
 * | yes | yes | `cleanup` runs, then the finalizer is removed |
 * | no | yes | nothing |
 *
 * **Guarantees**: `apply` never runs before the finalizer is stored, so nothing that it creates is
 * left behind. The finalizer stays if `cleanup` fails, or if it returns `requeueAfter`, which means
 * that it is not finished. **Does not guarantee**: that `cleanup` runs only once, or that the
 * object is gone afterwards, because it may have other finalizers. **Errors**: the errors of
 * `apply` and `cleanup`, unchanged, and the errors of `edit`. It is not an error if the object is
 * gone before the finalizer is added or removed.
 *
 * @param client the client of the kind, made by {@link resourceClient}
 * @param object the object from the cache
 * @param options the finalizer, `apply` and `cleanup`; see {@link WithFinalizerOptions}
 * @returns an Observable that emits the last value of `apply` or `cleanup`, or `undefined` if there
 *   is none. If the values include results of `requeueAfter`, it emits the result with the shortest
 *   delay
 * @example
 * import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
 * import { withFinalizer } from 'rx-informers/controller';
 * import { resourceClient } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 * declare const publish: (settings: ConfigMap) => Promise<void>;
 * declare const withdraw: (settings: ConfigMap) => Promise<void>;
 *
 * const reconcile = (settings: ConfigMap) =>
 *   withFinalizer(resourceClient(client, configMaps), settings, {
 *     finalizer: 'example.com/published',
 *     apply: publish,
 *     cleanup: withdraw,
 *   });
 */
export function withFinalizer<T extends object, Applied, CleanedUp>(
  client: ResourceClient<T>,
  object: T,
  options: WithFinalizerOptions<T, Applied, CleanedUp>,
): ApiCall<ValueOf<Applied> | ValueOf<CleanedUp> | undefined> & Pick<Work<unknown>, 'settled$'> {
  const { finalizer, apply, cleanup, signal, ...editing } = options;
  const ongoing = new OngoingWork();
  const outcomeOf = (work: () => unknown): Observable<unknown> => outcome(defer(() => ongoing.begin(work)));
  const applied = (object: T): Observable<unknown> => outcomeOf(() => apply(object));
  const cleanedUp = (object: T): Observable<unknown> =>
    outcomeOf(() => cleanup(object)).pipe(
      switchMap((result) =>
        result instanceof RequeueAfter
          ? of(result)
          : removeFinalizer(client, object, finalizer, editing).pipe(map(() => result)),
      ),
    );
  const carriedOut = (): Observable<unknown> => {
    switch (stageOf(object, finalizer)) {
      case 'add':
        return ensureFinalizer(client, object, finalizer, editing).pipe(
          catchError((error: unknown) => (isTooLate(error) ? of(undefined) : throwError(() => error))),
          switchMap((current) => {
            if (current === undefined) return of(undefined);
            // If `object` is stale, the object on the server may already have the finalizer and a
            // deletionTimestamp.
            return isTerminating(current) ? cleanedUp(current) : applied(current);
          }),
        );
      case 'apply':
        return applied(object);
      case 'clean-up':
        return cleanedUp(object);
      case 'leave':
        return of(undefined);
    }
  };
  const results$ = defer(carriedOut) as Observable<ValueOf<Applied> | ValueOf<CleanedUp> | undefined>;
  return withSettled(apiCall(results$, signal), ongoing.settled$);
}

function stageOf(object: AnyKubernetesObject, finalizer: string): 'add' | 'apply' | 'clean-up' | 'leave' {
  if (isTerminating(object)) return hasFinalizer(object, finalizer) ? 'clean-up' : 'leave';
  return hasFinalizer(object, finalizer) ? 'apply' : 'add';
}

/** Emits the last value; a value with the earliest `requeueAfter` takes precedence. */
function outcome(values$: Observable<unknown>): Observable<unknown> {
  return values$.pipe(
    toArray(),
    map((values) => {
      const [first, ...others] = values.filter((value) => value instanceof RequeueAfter);
      if (first === undefined) return values.at(-1);
      return others.reduce((earliest, requeue) => (requeue.delay < earliest.delay ? requeue : earliest), first);
    }),
  );
}

/** True if the object is terminating or gone: `apply` did not run, so nothing is to clean up. */
function isTooLate(error: unknown): boolean {
  return isRxInformersError(error, 'RXI_OBJECT_TERMINATING') || isRxInformersError(error, 'RXI_OBJECT_DELETED');
}

/** Options of `ensureFinalizer` and `removeFinalizer`. */
export type FinalizerOptions = Omit<EditOptions, 'subresource'>;

/**
 * Returns true if an object has this finalizer.
 *
 * @param object the object
 * @param finalizer the qualified name of the finalizer
 * @returns true if the object has it, even while the object is being deleted
 */
export function hasFinalizer(object: AnyKubernetesObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/**
 * Returns true if the deletion of the object was requested. The object exists until its last
 * finalizer is removed.
 *
 * @param object the object
 * @returns true if the object has a `deletionTimestamp`
 */
export function isTerminating(object: AnyKubernetesObject): boolean {
  return (object as Finalized).metadata?.deletionTimestamp !== undefined;
}

/**
 * Adds a finalizer, so that the object is not removed before the finalizer is removed. Nothing is
 * sent if the object has the finalizer already.
 *
 * **Guarantees**: a finalizer that another writer adds at the same time is never lost, because the
 * edit tests the version of the object. **Errors**: `RXI_OBJECT_TERMINATING` if the object is being
 * deleted, because the server accepts no new finalizers then; otherwise the errors of `edit`.
 *
 * @param client the client of the kind, made by {@link resourceClient}
 * @param object the object from the cache; it may be stale
 * @param finalizer a qualified name, for example `websites.example.com/cleanup`
 * @param options the same options as for {@link edit}
 * @returns a call with the object that has the finalizer
 * @example
 * import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
 * import { ensureFinalizer } from 'rx-informers/controller';
 * import { resourceClient } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 * declare const settings: ConfigMap;
 *
 * await ensureFinalizer(resourceClient(client, configMaps), settings, 'example.com/cleanup');
 */
export function ensureFinalizer<T extends object>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
  options: FinalizerOptions = {},
): ApiCall<T> {
  const add = (draft: MutableFinalized): void => {
    if (hasFinalizer(draft, finalizer)) return;
    if (isTerminating(draft)) throw objectTerminatingError(metaNamespaceKey(draft), finalizer, client.resource.kind);
    const { metadata } = draft;
    metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
  };
  return apiCall(
    edit(client, object, add as unknown as Recipe<T>, options).pipe(
      catchError((error: unknown) => throwError(() => terminationIn(error))),
    ),
  );
}

/**
 * Removes a finalizer. Nothing is sent if the object does not have the finalizer. If the object is
 * gone (404, or another object has its name), the call succeeds.
 *
 * **Guarantees**: a finalizer that another writer adds or removes at the same time is left as it
 * is. **Errors**: the errors of `edit`, except `RXI_OBJECT_DELETED`.
 *
 * @param client the client of the kind, made by {@link resourceClient}
 * @param object the object from the cache; it may be stale
 * @param finalizer the qualified name of the finalizer
 * @param options the same options as for {@link edit}
 * @returns a call with the object without the finalizer, or `undefined` if the object is gone
 * @example
 * import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
 * import { removeFinalizer } from 'rx-informers/controller';
 * import { resourceClient } from 'rx-informers/requests';
 *
 * declare const client: KubeClient;
 * declare const settings: ConfigMap;
 *
 * await removeFinalizer(resourceClient(client, configMaps), settings, 'example.com/cleanup');
 */
export function removeFinalizer<T extends object>(
  client: ResourceClient<T>,
  object: T,
  finalizer: string,
  options: FinalizerOptions = {},
): ApiCall<T | undefined> {
  const remove = ({ metadata }: MutableFinalized): void => {
    if (!metadata.finalizers?.includes(finalizer)) return;
    const others = metadata.finalizers.filter((name) => name !== finalizer);
    if (others.length > 0) metadata.finalizers = others;
    else delete metadata.finalizers;
  };
  return apiCall(
    edit(client, object, remove as unknown as Recipe<T>, options).pipe(
      catchError((error: unknown) =>
        isRxInformersError(error, 'RXI_OBJECT_DELETED') ? of(undefined) : throwError(() => error),
      ),
    ),
  );
}

interface Finalized {
  readonly metadata?: { readonly deletionTimestamp?: string };
}

/** The draft of an object that is known to have an identity. */
interface MutableFinalized {
  readonly metadata: { readonly name: string; readonly namespace?: string; finalizers?: string[] };
}

/** Unwraps an `RXI_OBJECT_TERMINATING`. `add` throws it, so `edit` wraps it in an `RXI_RECIPE`. */
function terminationIn(error: unknown): unknown {
  return isRxInformersError(error, 'RXI_RECIPE') && isRxInformersError(error.cause, 'RXI_OBJECT_TERMINATING')
    ? error.cause
    : error;
}

function objectTerminatingError(
  key: string,
  finalizer: string,
  kind?: string,
): RxInformersError<'RXI_OBJECT_TERMINATING'> {
  const message = `cannot add finalizer ${finalizer} to ${withKind(key, kind)}, because it is being deleted; run its cleanup`;
  return new RxInformersError('RXI_OBJECT_TERMINATING', message, { key, finalizer });
}
