import { merge, Observable, filter, map, tap, type SchedulerLike, type MonoTypeOperatorFunction } from 'rxjs';
import type { Collection } from '../../collections/collection.js';
import { internalChanges } from '../../collections/log-collection.js';
import { steady } from '../../scheduling/clock.js';
import { type KeyRequest, lowPriority, type QueueInput } from '../queue/queue-item.js';
import { changedKeys, type KeyReason } from '../workqueue/changed-keys.js';
import { mapInSlices } from '../workqueue/time-slices.js';
import type { MembershipState } from './membership-state.js';

/**
 * Emits the keys of a collection that this replica has to work on: owned keys whose object changed,
 * and keys that it has gained.
 *
 * | what happens | out |
 * | --- | --- |
 * | an object of an owned key changes | its key, as `changedKeys` emits it |
 * | an object of a key that is not owned changes | nothing |
 * | keys are gained | the gained keys, as `newlyOwnedKeys` emits them |
 * | keys are lost | nothing: `whileOwned` ends their runs |
 *
 * **Guarantees**: An owned key is emitted after it was gained, and after each later change of its
 * object. So no change is missed when keys move. **Does not guarantee**: that a key is emitted only
 * once. A queue merges repeated keys into one run.
 *
 * @param collection the informer whose keys are shared among the replicas
 * @param membership$ the stream that `membership$` returned
 * @param options the same options as for {@link newlyOwnedKeys}
 * @returns requests for a queue; their `reason` tells whether the object changed or the key was
 *   gained
 * @example
 * import { ownedKeys, membership$, whileOwned, workqueue } from 'rx-informers/controller';
 *
 * declare const podName: string;
 * declare const reconcile: (key: string, abort: AbortSignal) => Promise<void>;
 *
 * const mine$ = membership$(client, {
 *   group: { namespace: 'web', name: 'pod-warden' },
 *   identity: podName,
 * });
 * ownedKeys(podInformer, mine$).pipe(
 *   workqueue((key, { signal }) =>
 *     whileOwned(mine$, { key, signal }, (abort) => reconcile(key, abort)),
 *   ),
 * );
 */
export function ownedKeys(
  collection: Pick<Collection<unknown>, 'changes$' | 'snapshot'>,
  membership$: Observable<MembershipState>,
  options: NewlyOwnedKeysOptions = {},
): Observable<KeyRequest<string, KeyReason | GainedReason>> {
  return merge(
    newlyOwnedKeys(collection, membership$, options),
    internalChanges(collection).pipe(changedKeys(options), whereOwned(membership$)),
  );
}

/** The reason with which {@link newlyOwnedKeys} emits a key. */
export type GainedReason = 'gained';

/** Options of {@link newlyOwnedKeys} and {@link ownedKeys}. */
export interface NewlyOwnedKeysOptions {
  /** Ends slices (default `asyncScheduler`). With virtual time, there is one slice. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Remembered deleted keys of other replicas. If one is gained, it is emitted, because its former
 * owner may have lost it before it saw the deletion.
 */
const maxDeleted = 10_000;

/** The set of gained keys, and the keys to test against this set. */
type Gain = readonly [gained: MembershipState['gained'], keys: readonly string[]];

/**
 * Emits the keys of a collection that this replica has gained, as requests for a queue.
 *
 * | membership | out |
 * | --- | --- |
 * | the first state | the owned keys that the collection contains at that time |
 * | keys were gained | the gained keys that the collection contains or that were deleted before, with low priority (−100) and reason `gained` |
 * | keys were lost | nothing |
 *
 * If there are many keys, they are emitted in slices of a few milliseconds, so that they do not
 * block the event loop.
 *
 * Changes of objects are not emitted: `controller()` receives changes by itself, and {@link
 * ownedKeys} emits both gained keys and changes.
 *
 * **Guarantees**: A gained key is emitted if the collection contains it at that time. If its object
 * is added later, the collection emits a change. **Does not guarantee**: that a deleted key is
 * emitted if more than 10,000 other keys were deleted after it; with finalizers, no deletion is
 * missed. **Errors**: Errors of
 * the collection and of the membership are passed on.
 *
 * @param collection the informer whose keys are shared among the replicas
 * @param membership$ the stream that `membership$` returned
 * @param options the clock; see {@link NewlyOwnedKeysOptions}
 * @returns requests for a queue, one for each key
 * @example
 * import { newlyOwnedKeys, membership$, workqueue } from 'rx-informers/controller';
 *
 * declare const podName: string;
 * declare const reconcile: (key: string) => Promise<void>;
 *
 * const mine$ = membership$(client, {
 *   group: { namespace: 'web', name: 'pod-warden' },
 *   identity: podName,
 * });
 * newlyOwnedKeys(podInformer, mine$).pipe(workqueue(reconcile));
 */
export function newlyOwnedKeys(
  collection: Pick<Collection<unknown>, 'changes$' | 'snapshot'>,
  membership$: Observable<MembershipState>,
  { scheduler }: NewlyOwnedKeysOptions = {},
): Observable<KeyRequest<string, GainedReason>> {
  return new Observable((subscriber) => {
    const deleted = new Set<string>();
    let membership: MembershipState | undefined;
    const remember = (key: string): void => {
      deleted.delete(key);
      deleted.add(key);
      for (const oldest of deleted) {
        if (deleted.size <= maxDeleted) return;
        deleted.delete(oldest);
      }
    };
    subscriber.add(
      internalChanges(collection).subscribe({
        next: ({ changes }) => {
          for (const { type, key } of changes) {
            if (type === 'added') deleted.delete(key);
            else if (type === 'deleted' && membership?.owns(key) !== true) remember(key);
          }
        },
        error: (error: unknown) => subscriber.error(error),
      }),
    );
    function* gainedOf([gained, keys]: Gain): Iterable<KeyRequest<string, GainedReason> | undefined> {
      for (const key of keys) {
        // Testing a key that was not gained takes time too, so the slice may end here.
        if (!gained.has(key)) yield undefined;
        else {
          deleted.delete(key);
          yield { key, priority: lowPriority, reason: 'gained' };
        }
      }
    }
    const gains$ = membership$.pipe(
      tap((state) => {
        membership = state;
      }),
      filter(({ gained }) => gained.portion > 0),
      map(({ gained }): Gain => [gained, [...collection.snapshot.keys(), ...deleted]]),
    );
    subscriber.add(gains$.pipe(mapInSlices(gainedOf, steady(scheduler))).subscribe(subscriber));
  });
}

/**
 * Passes on only the keys, or requests for keys, that this replica owns at that time.
 *
 * | in | out |
 * | --- | --- |
 * | a key that is owned | the same key |
 * | any other key, or any key before the first state of the membership | nothing |
 *
 * A dropped key belongs to another replica, now or soon. If this replica gains the key later,
 * `whereOwned` does not emit it again; {@link ownedKeys} does.
 *
 * **Guarantees**: The membership is subscribed to before the source, and both are unsubscribed from
 * together. **Errors**: Errors of the source and of `membership$` are passed on. The stream that
 * `membership$` returns has no errors.
 *
 * @param membership$ the stream that `membership$` returned
 * @returns an operator on keys, or on requests for keys
 * @example
 * import { membership$, whereOwned, workqueue } from 'rx-informers/controller';
 * import type { Observable } from 'rxjs';
 *
 * declare const webhookKeys$: Observable<string>;
 * declare const podName: string;
 * declare const reconcile: (key: string) => Promise<void>;
 *
 * const mine$ = membership$(client, {
 *   group: { namespace: 'web', name: 'website' },
 *   identity: podName,
 * });
 * webhookKeys$.pipe(whereOwned(mine$), workqueue(reconcile));
 */
export function whereOwned<Input extends QueueInput>(
  membership$: Observable<MembershipState>,
): MonoTypeOperatorFunction<Input> {
  return (inputs$) =>
    new Observable((subscriber) => {
      let membership: MembershipState | undefined;
      // Subscribe to the membership first, because the source may emit on subscription.
      subscriber.add(
        membership$.subscribe({
          next: (state) => {
            membership = state;
          },
          error: (error: unknown) => subscriber.error(error),
        }),
      );
      subscriber.add(inputs$.pipe(filter((input) => membership?.owns(keyOf(input)) === true)).subscribe(subscriber));
    });
}

function keyOf(input: QueueInput): string {
  return typeof input === 'string' ? input : input.key;
}
