import { merge, Observable, filter, map, tap, type SchedulerLike, type MonoTypeOperatorFunction } from 'rxjs';
import type { Collection } from '../../informer/collection.js';
import { changedKeys, type KeyReason } from '../workqueue/changed-keys.js';
import { type KeyRequest, lowPriority, type QueueInput } from '../queue/queue-item.js';
import type { MembershipState } from './membership-state.js';
import { steady } from '../../time/clock.js';
import { mapInSlices } from '../workqueue/time-slices.js';

/**
 * Emits the keys of a collection that this replica has to work on: those that changed and are its
 * own, and those that it has gained.
 *
 * | what happens | out |
 * | --- | --- |
 * | an object of an owned key changes | its key, as `changedKeys` emits it |
 * | an object of any other key changes | nothing |
 * | keys are gained | all of them that exist, as `gainedKeys` emits them |
 * | keys are lost | nothing: `whileOwned` ends their runs |
 *
 * **Guarantees**: a key that is owned is emitted after it was gained, and after each later change,
 * so nothing is missed when keys move.
 * **Does not guarantee**: that it is emitted once; a queue makes one run of it.
 *
 * @param membership$ the stream that `membership$` returned
 * @example
 * import { ownedKeys, membership$, whileOwned, workqueue } from 'rx-informers/controller';
 *
 * declare const podName: string;
 * declare const reconcile: (key: string, abort: AbortSignal) => Promise<void>;
 *
 * const mine$ = membership$(client, { group: { namespace: 'web', name: 'pod-warden' }, identity: podName });
 * ownedKeys(podInformer, mine$).pipe(
 *   workqueue((key, { signal }) => whileOwned(mine$, { key, signal }, (abort) => reconcile(key, abort))),
 * )
 */
export function ownedKeys(
  collection: Pick<Collection<unknown>, 'changes$' | 'snapshot'>,
  membership$: Observable<MembershipState>,
  options: GainedKeysOptions = {},
): Observable<KeyRequest<string, KeyReason | GainedReason>> {
  return merge(
    gainedKeys(collection, membership$, options),
    collection.changes$.pipe(changedKeys(options), whereOwned(membership$)),
  );
}

/** The reason with which `gainedKeys` emits a key. */
export type GainedReason = 'gained';

/** Options of `gainedKeys` and `ownedKeys`. */
export interface GainedKeysOptions {
  /**
   * How many deleted keys of other replicas are remembered (default 10,000). When one of them is
   * gained, it is emitted too, because its former owner may have lost it before it saw the
   * deletion. More costs memory; with 0, use finalizers.
   */
  readonly rememberDeleted?: number | undefined;
  /** The clock by which slices end (default `asyncScheduler`); virtual time is not sliced. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** A gain, and the keys that may be part of it. */
type Gain = readonly [gained: MembershipState['gained'], keys: readonly string[]];

/**
 * Emits the keys of a collection that this replica has gained, for a queue: it has to look at them
 * because they are now its own.
 *
 * | membership | out |
 * | --- | --- |
 * | the first state | the keys that are owned, of those that the collection holds by then |
 * | keys were gained | those of the collection, and those that were deleted before, with low priority (−100) and reason `gained` |
 * | keys were lost | nothing |
 *
 * Many keys are emitted in slices of some milliseconds; the event loop is free between two of them.
 *
 * It does not emit changes: `controller()` sees them by itself, and `ownedKeys` emits both.
 *
 * **Guarantees**: each key that the collection holds when it is gained is emitted; what is added
 * later is a change.
 * **Does not guarantee**: that a deleted key is emitted if more than `rememberDeleted` others were
 * deleted since.
 * **Errors**: none of its own.
 *
 * @param membership$ the stream that `membership$` returned
 * @example
 * import { gainedKeys, membership$, workqueue } from 'rx-informers/controller';
 *
 * declare const podName: string;
 * declare const reconcile: (key: string) => Promise<void>;
 *
 * const mine$ = membership$(client, { group: { namespace: 'web', name: 'pod-warden' }, identity: podName });
 * gainedKeys(podInformer, mine$).pipe(workqueue(reconcile))
 */
export function gainedKeys(
  collection: Pick<Collection<unknown>, 'changes$' | 'snapshot'>,
  membership$: Observable<MembershipState>,
  { rememberDeleted = 10_000, scheduler }: GainedKeysOptions = {},
): Observable<KeyRequest<string, GainedReason>> {
  if (!(rememberDeleted >= 0)) throw new RangeError(`rememberDeleted must be at least 0, not ${rememberDeleted}`);
  return new Observable((subscriber) => {
    const deleted = new Set<string>();
    let membership: MembershipState | undefined;
    const remember = (key: string): void => {
      deleted.delete(key);
      deleted.add(key);
      for (const oldest of deleted) {
        if (deleted.size <= rememberDeleted) return;
        deleted.delete(oldest);
      }
    };
    subscriber.add(
      collection.changes$.subscribe({
        next: ({ changes }) => {
          for (const { type, key } of changes) {
            if (type === 'added') deleted.delete(key);
            else if (type === 'deleted' && membership?.owns(key) !== true) remember(key);
          }
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
      }),
    );
    function* gainedOf([gained, keys]: Gain): Iterable<KeyRequest<string, GainedReason> | undefined> {
      for (const key of keys) {
        // A key of another replica takes time too.
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
 * Lets through only the keys, or requests for keys, that this replica owns when they come.
 *
 * | in | out |
 * | --- | --- |
 * | a key that is owned | the same |
 * | any other, or before the first state of the membership | nothing |
 *
 * A key that is dropped here is another replica's, or soon will be. It is not emitted again when it
 * is gained; `ownedKeys` does that.
 *
 * **Guarantees**: the membership is subscribed to before the source, and for as long.
 * **Errors**: those of the source, and those of a membership of your own; `membership$` has none.
 *
 * @param membership$ the stream that `membership$` returned
 * @example
 * import { membership$, whereOwned, workqueue } from 'rx-informers/controller';
 * import type { Observable } from 'rxjs';
 *
 * declare const webhookKeys$: Observable<string>;
 * declare const podName: string;
 * declare const reconcile: (key: string) => Promise<void>;
 *
 * const mine$ = membership$(client, { group: { namespace: 'web', name: 'website' }, identity: podName });
 * webhookKeys$.pipe(whereOwned(mine$), workqueue(reconcile))
 */
export function whereOwned<Input extends QueueInput>(
  membership$: Observable<MembershipState>,
): MonoTypeOperatorFunction<Input> {
  return (inputs$) =>
    new Observable((subscriber) => {
      let membership: MembershipState | undefined;
      // The membership first, for what the source emits on subscription.
      subscriber.add(
        membership$.subscribe({
          next: (state) => {
            membership = state;
          },
          error: (error: unknown) => {
            subscriber.error(error);
          },
        }),
      );
      subscriber.add(inputs$.pipe(filter((input) => membership?.owns(keyOf(input)) === true)).subscribe(subscriber));
    });
}

function keyOf(input: QueueInput): string {
  return typeof input === 'string' ? input : input.key;
}
