import { catchError, defer, map, of, switchMap, throwError, toArray, type Observable } from 'rxjs';
import { type KubernetesObject, metaNamespaceKey } from '../../kubernetes/object.js';
import { apiCall, type ApiCall } from '../api/api-call.js';
import type { ResourceClient } from '../api/resource-client.js';
import { RequeueAfter } from '../workqueue/outcome.js';
import { carryOver, OngoingWork, type ValueOf } from '../workqueue/run.js';
import { ObjectDeletedError, ObjectTerminatingError, RecipeError } from '../api/errors.js';
import { edit, type EditOptions } from './edit.js';
import type { Recipe } from './recipe.js';

/** Options of `withFinalizer`. */
export interface WithFinalizerOptions<T, Applied, CleanedUp> extends FinalizerOptions {
  /** A qualified name, for example `websites.example.com/cleanup`. */
  readonly finalizer: string;
  /** What is to be done while the object is wanted: a value, a promise, an Observable, an async iterable, or nothing. */
  readonly apply: (object: T) => Applied;
  /** What is to be done before the object may go; it must not mind being repeated. */
  readonly cleanup: (object: T) => CleanedUp;
}

/**
 * Does one thing while an object is wanted, and another one before it may go (kube-rs's `finalizer`).
 *
 * | finalizer | being deleted | what happens |
 * | --- | --- | --- |
 * | no | no | it is added, then `apply` runs on the server's answer |
 * | yes | no | `apply` |
 * | yes | yes | `cleanup`, then the finalizer is removed |
 * | no | yes | nothing |
 *
 * Gives what `apply` or `cleanup` gave last, or undefined; `requeueAfter`, wherever it was among their values (of several, the earliest).
 *
 * **Guarantees**: `apply` never runs before the finalizer is stored, so nothing that it makes is left behind; where `cleanup` fails, the finalizer stays;
 * so it does where `cleanup` gives `requeueAfter`: that says that it is not over.
 * **Does not guarantee**: that `cleanup` runs once; that the object is gone afterwards: others may hold it back.
 * **Errors**: those of `apply` and `cleanup` as they are, and those of `edit`; an object that is gone before the finalizer is added or removed is none.
 *
 * @param object as the cache has it
 * @example
 * import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
 * import { withFinalizer, resourceClient } from 'rx-informers/controller';
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
): ApiCall<ValueOf<Applied> | ValueOf<CleanedUp> | undefined> {
  const { finalizer, apply, cleanup, signal, ...editing } = options;
  const ongoing = new OngoingWork();
  const outcomeOf = (work: () => unknown): Observable<unknown> => outcome(defer(() => ongoing.begin(work).values$));
  const carriedOut = (): Observable<unknown> => {
    switch (stageOf(object, finalizer)) {
      case 'add':
        return ensureFinalizer(client, object, finalizer, editing).pipe(
          catchError((error: unknown) => (isTooLate(error) ? of(undefined) : throwError(() => error))),
          switchMap((held) => (held === undefined ? of(undefined) : outcomeOf(() => apply(held)))),
        );
      case 'apply':
        return outcomeOf(() => apply(object));
      case 'clean-up':
        return outcomeOf(() => cleanup(object)).pipe(
          switchMap((given) =>
            given instanceof RequeueAfter
              ? of(given)
              : removeFinalizer(client, object, finalizer, editing).pipe(map(() => given)),
          ),
        );
      case 'leave':
        return of(undefined);
    }
  };
  const given$ = defer(carriedOut) as Observable<ValueOf<Applied> | ValueOf<CleanedUp> | undefined>;
  return carryOver(apiCall(given$, signal), ongoing.over$);
}

function stageOf(object: KubernetesObject, finalizer: string): 'add' | 'apply' | 'clean-up' | 'leave' {
  if (isTerminating(object)) return hasFinalizer(object, finalizer) ? 'clean-up' : 'leave';
  return hasFinalizer(object, finalizer) ? 'apply' : 'add';
}

/** What was given last; the earliest wish to run again comes first. */
function outcome(values$: Observable<unknown>): Observable<unknown> {
  return values$.pipe(
    toArray(),
    map((values) => {
      const [first, ...others] = values.filter((value) => value instanceof RequeueAfter);
      if (first === undefined) return values.at(-1);
      return others.reduce((earliest, wish) => (wish.delay < earliest.delay ? wish : earliest), first);
    }),
  );
}

/** The object is on its way, or gone: without the finalizer nothing was made, and there is nothing to hold it for. */
function isTooLate(error: unknown): boolean {
  return error instanceof ObjectTerminatingError || error instanceof ObjectDeletedError;
}

/** Options of `ensureFinalizer` and `removeFinalizer`. */
export type FinalizerOptions = Omit<EditOptions, 'subresource'>;

/** Returns true if an object has this finalizer. */
export function hasFinalizer(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) ?? false;
}

/** Returns true if the deletion of the object was requested. It exists until its last finalizer is removed. */
export function isTerminating(object: KubernetesObject): boolean {
  return (object as Finalized).metadata?.deletionTimestamp !== undefined;
}

/**
 * Adds a finalizer, so that the object is not gone before it is removed; gives the object that has it.
 *
 * Nothing is sent where the object has it already.
 *
 * **Guarantees**: a finalizer that another writer adds at the same time is never lost (the edit is tested for the object's version).
 * **Errors**: `ObjectTerminatingError` where the object is being deleted: the server takes no new finalizers then; otherwise those of `edit`.
 *
 * @param finalizer a qualified name, for example `websites.example.com/cleanup`
 * @example
 * import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
 * import { ensureFinalizer, resourceClient } from 'rx-informers/controller';
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
    if (isTerminating(draft)) throw new ObjectTerminatingError(metaNamespaceKey(draft), finalizer);
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
 * Removes a finalizer; gives the object without it, or undefined where the object is gone.
 *
 * Nothing is sent where the object has no such finalizer. An object that is gone (404, or another one has its name) is success: there is
 * nothing left to be held back.
 *
 * **Guarantees**: a finalizer that another writer adds or removes at the same time is left as it is.
 * **Errors**: those of `edit`, but for `ObjectDeletedError`.
 *
 * @example
 * import { configMaps, type ConfigMap, type KubeClient } from 'rx-informers';
 * import { removeFinalizer, resourceClient } from 'rx-informers/controller';
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
      catchError((error: unknown) => (error instanceof ObjectDeletedError ? of(undefined) : throwError(() => error))),
    ),
  );
}

interface Finalized {
  readonly metadata?: { readonly deletionTimestamp?: string };
}

/** The draft of what has been found to have an identity. */
interface MutableFinalized {
  readonly metadata: { readonly name: string; readonly namespace?: string; finalizers?: string[] };
}

/** A recipe's own error stands behind a `RecipeError`; here the recipe is ours. */
function terminationIn(error: unknown): unknown {
  return error instanceof RecipeError && error.cause instanceof ObjectTerminatingError ? error.cause : error;
}
