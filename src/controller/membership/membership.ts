import { defer, map, of, ReplaySubject, share, tap, type Observable } from 'rxjs';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { MembershipRelease } from '../lease/lease-client.js';
import { expiredLease, healthTolerance, type LeaseExpiredError } from '../lease/lease-errors.js';
import { MembershipLog } from './membership-log.js';
import { checkedMembershipOptions, type MembershipOptions } from './membership-options.js';
import { asFirst, type MembershipState } from './membership-state.js';
import { runMembership } from './run-membership.js';

/** Emits which keys belong to this replica. Returned by `membership$`. */
export interface Membership extends Observable<MembershipState> {
  /**
   * Emits what became of the Lease when the last subscriber left, as soon as that is known, and
   * completes. While there are subscribers it waits for them to leave. Before the first one it
   * emits `not-held`. It sends no request itself, and never fails.
   */
  readonly released$: Observable<MembershipRelease>;
  /**
   * Returns what is wrong with this replica, for a liveness probe: its Lease expired more than
   * `tolerance` milliseconds ago (default 20,000), and it still believes that it owns keys. Returns
   * undefined if it is healthy, or holds no Lease.
   */
  checkHealth(tolerance?: number): LeaseExpiredError | undefined;
}

/**
 * Makes this process one of the replicas that share the keys of a controller, and emits which keys
 * are its own.
 *
 * Each replica has a Lease with the label of the group. Keys are hashed into 1024 slots. Each slot
 * belongs to one of the replicas that are alive, by rendezvous hashing, so that a replica that
 * joins or leaves moves about an n-th of the keys. Start work on keys that are `gained`, and end
 * work on keys that are `lost`: `whileOwned` and `ownedKeys` do. `waitUntil` keeps lost keys from
 * their new owner until the work on them is over.
 *
 * However many subscribe, there is one membership. It starts with the first subscriber, which
 * receives a state that owns nothing. Each later subscriber receives the current state first. When
 * the last one leaves, the Lease is released and deleted, and other replicas take over at once, so
 * end the work first. `released$` emits when that is done: wait for it before you call
 * `process.exit`.
 *
 * `status` of a state says why this replica does not own its share, for example because it has no
 * rights to write Leases. With a `logger` the same is logged: members, owned slots, why it owns
 * none, failures at growing intervals.
 *
 * **Why no two replicas own a key at once.** What counts is not which replica should own a slot,
 * because replicas may disagree for a while. What counts is what they claim in their Leases.
 *
 * 1. A replica owns a slot only after it has written a claim to it, and has then seen that write
 *    come back through its watch of the group. The watch shows writes in their order, so everything
 *    before the claim has been seen too. Of two replicas that claim a slot, one wrote later; that
 *    one sees the other's claim, and waits.
 * 2. A claim is withdrawn by a write that is sent after the work is over (`waitUntil`,
 *    `releaseTimeout`). An update names the version that it replaces, so an update that was delayed
 *    on its way changes nothing.
 * 3. A replica that does not renew within `renewDeadline`, counted from when the last renewal that
 *    succeeded was sent, gives up everything, and starts again with 1, with a later write. Its
 *    claims count for the others for `leaseDuration` after they saw it change last (L3: by their
 *    own clocks), and until a write of their own, sent after that, has come back: a watch that has
 *    stopped does not prove that a replica is dead.
 * 4. A Lease that is deleted keeps its claims for as long, unless it was released first. A Lease
 *    that cannot be read claims everything.
 *
 * **Guarantees**: at most one replica's state owns a key at any time, whatever memberships they
 * see, whatever fails, and however much their clocks differ, as long as no clock runs more than
 * `leaseDuration / renewDeadline` times as fast as another. Keys of a replica that died have an
 * owner again after about `leaseDuration` and a `retryPeriod`; after a broken network it is at most
 * `renewDeadline` and `releaseTimeout` more. No slot moves between two replicas that stay. The
 * stream never ends or errors by itself: what went wrong is in `errors`, and what lasts in
 * `status`.
 * **Does not guarantee**: fencing. A process that is suspended for longer than its lease, or work
 * that ignores its signal, may still write when another replica owns the key: let writes fail on
 * conflict by `resourceVersion`, as `edit` does. Nor anything for a replica that starts just after
 * the Lease of one that is alive was deleted by hand.
 *
 * The option `shard` of `listWatch` is another thing. There each replica *reads* a fixed part of
 * all objects, by uid, and saves the memory and the traffic of the rest; the parts are configured,
 * and while the number changes an object may be seen by two replicas or by none. Here each replica
 * reads everything, which is why it can take over at once, and *works* on a part that moves. Use
 * one of them.
 *
 * **Errors**: a `RangeError` at once for options that make no sense. **Needs** the rights to get,
 * list, watch, create, update and delete Leases in the namespace of the group.
 *
 * @example
 * import { informer, listWatch, pods, type KubeClient } from 'rx-informers';
 * import { ownedKeys, membership$, whileOwned, workqueue } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const podName: string;
 * declare const reconcile: (key: string, signal: AbortSignal) => Promise<void>;
 *
 * const podInformer = informer(client, pods);
 * const mine$ = membership$(client, { group: { namespace: 'web', name: 'pod-labeller' }, identity: podName });
 * ownedKeys(podInformer, mine$)
 *   .pipe(workqueue((key, { signal }) => whileOwned(mine$, { key, signal }, (abort) => reconcile(key, abort))))
 *   .subscribe();
 */
export function membership$(client: KubeClient, options: MembershipOptions): Membership {
  const checked = checkedMembershipOptions(client, options);
  const none = (): number | undefined => undefined;
  let sinceRenewal = none;
  let ended = new ReplaySubject<MembershipRelease>(1);
  of<MembershipRelease>({ type: 'not-held' }).subscribe(ended);

  const join = (): Observable<MembershipState> => {
    const log = new MembershipLog(checked);
    const ending = new ReplaySubject<MembershipRelease>(1);
    const released = (release: MembershipRelease): void => {
      log.released(release);
    };
    return runMembership(client, checked, {
      log,
      started: (since) => {
        sinceRenewal = since;
        ended = ending;
      },
      left: (release$) => {
        sinceRenewal = none;
        release$.pipe(tap(released)).subscribe(ending);
      },
    });
  };

  const shared$ = defer(join).pipe(share({ connector: () => new ReplaySubject<MembershipState>(1) }));
  const state$ = shared$.pipe(map((state, index) => (index === 0 ? asFirst(state) : state)));
  return Object.assign(state$, {
    released$: defer(() => ended),
    checkHealth: (tolerance = healthTolerance) => expiredLease(checked.lease, checked, sinceRenewal(), tolerance),
  });
}
