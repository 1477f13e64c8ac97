import { filter, map, Observable, tap, type SchedulerLike } from 'rxjs';
import type { Collection } from '../../informer/collection.js';
import { steady } from '../../time/steady.js';
import { lowPriority, type KeyRequest } from '../queue/queue-item.js';
import { mapInSlices } from '../workqueue/time-slices.js';
import type { MembershipState } from './membership-state.js';

/** Why a key comes from `gainedKeys`. */
export type GainedReason = 'gained';

/** Options of `gainedKeys` and `ownedKeys`. */
export interface GainedKeysOptions {
  /**
   * How many keys of others that were deleted are remembered (default 10,000). When one of them is gained, it runs too, because its
   * former owner may have lost it before he saw the deletion. More is memory; with 0, finalizers have to see to it.
   */
  readonly rememberDeleted?: number | undefined;
  /** The clock by which slices end (default `asyncScheduler`); virtual time is not sliced. */
  readonly scheduler?: SchedulerLike | undefined;
}

/** What was gained, and the keys that may be among it. */
type Gain = readonly [gained: MembershipState['gained'], keys: readonly string[]];

/**
 * The keys of a collection that this replica has gained, for a queue: what it has to look at because it is now its own.
 *
 * | membership | out |
 * | --- | --- |
 * | the first value | the keys that are owned, of what the collection holds by then |
 * | keys were gained | those of the collection, and those that were deleted before, with low priority (−100) and reason `gained` |
 * | keys were lost | nothing |
 *
 * Many keys are emitted in slices of some milliseconds; the event loop is free between two of them.
 *
 * Changes are not its business: `controller()` sees them by itself, `ownedKeys` has both.
 *
 * **Guarantees**: whatever the collection holds when its key is gained comes out; what comes in later is a change.
 * **Does not guarantee**: that a deleted key comes out when more than `rememberDeleted` others were deleted since.
 * **Errors**: none of its own.
 *
 * @param membership$ made by `membership$`
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
        // To find out that a key is another replica's is a piece of work too.
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
