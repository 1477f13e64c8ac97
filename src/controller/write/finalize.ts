import { catchError, defer, map, of, switchMap, throwError, toArray, type Observable } from 'rxjs';
import type { KubernetesObject } from '../../kubernetes/object.js';
import { apiCall, type ApiCall } from '../api/api-call.js';
import type { ResourceClient } from '../api/resource-client.js';
import { RequeueAfter } from '../workqueue/requeue-after.js';
import { carryOver, OngoingWork, type ValueOf } from '../workqueue/work.js';
import { ensureFinalizer, hasFinalizer, isTerminating, removeFinalizer, type FinalizerOptions } from './finalizers.js';
import { ObjectDeletedError } from './object-deleted-error.js';
import { ObjectTerminatingError } from './object-terminating-error.js';

/** Options of `finalize`. */
export interface FinalizeOptions<T, Applied, CleanedUp> extends FinalizerOptions {
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
 * import { finalize, resourceClient } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const publish: (settings: ConfigMap) => Promise<void>;
 * declare const withdraw: (settings: ConfigMap) => Promise<void>;
 *
 * const reconcile = (settings: ConfigMap) =>
 *   finalize(resourceClient(client, configMaps), settings, {
 *     finalizer: 'example.com/published',
 *     apply: publish,
 *     cleanup: withdraw,
 *   });
 */
export function finalize<T extends object, Applied, CleanedUp>(
  client: ResourceClient<T>,
  object: T,
  options: FinalizeOptions<T, Applied, CleanedUp>,
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
