import { defer, map, of, ReplaySubject, share, tap, type Observable } from 'rxjs';
import { type RxInformersError } from '../../kubernetes/errors.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { expiredLease, healthTolerance } from '../lease/lease-errors.js';
import type { MembershipRelease } from '../lease/release-lease.js';
import { MembershipLog } from './membership-log.js';
import { checkedMembershipOptions, type MembershipOptions } from './membership-options.js';
import { asFirst, type MembershipState } from './membership-state.js';
import { runMembership } from './run-membership.js';

/** A stream of the states of one membership. Returned by {@link membership$}. */
export interface Membership extends Observable<MembershipState> {
  /**
   * Emits what became of the Lease after the last subscriber has left, and completes; `not-held`
   * before the first one. Never sends a request, and never fails.
   */
  readonly released$: Observable<MembershipRelease>;
  /**
   * Returns an error if this replica believes that it holds its Lease although the Lease has
   * expired. Use it in a liveness probe.
   *
   * @param tolerance how many milliseconds ago the Lease may have expired; default 20,000
   * @returns the error, or undefined if this replica is healthy or holds no Lease
   */
  checkHealth(tolerance?: number): RxInformersError<'RXI_LEASE_EXPIRED'> | undefined;
}

/**
 * Makes this process one of the replicas that share the keys of a controller, and emits which keys
 * it owns.
 *
 * Each replica has a Lease with the label of the group. Keys are hashed into 1024 slots. Each slot
 * belongs to one of the live replicas, chosen by rendezvous hashing. If one of n replicas joins or
 * leaves, only about an n-th of the keys move. Start work on keys that are `gained`, and end work
 * on keys that are `lost`; {@link ownedKeys} and {@link whileOwned} do this. `waitUntil` withholds
 * lost keys from their new owner until the work on them has ended.
 *
 * All subscribers share one membership. It starts with the first subscriber, whose first state owns
 * nothing. A later subscriber first receives the current state. When the last subscriber leaves,
 * the Lease is released and deleted, and other replicas take over at once. Therefore end the work
 * first. Wait for `released$` before you call `process.exit`.
 *
 * The `status` of a state tells why this replica does not own its share, for example because it is
 * not allowed to write Leases. A `logger` receives the members, the number of owned slots, the
 * reason if no slots are owned, and failures at growing intervals.
 *
 * **Why no two replicas own a key at once.** Replicas may disagree for a while about which replica
 * should own a slot. So ownership depends on the claims in their Leases.
 *
 * 1. A replica owns a slot only after it has written a claim to the slot, and its watch of the
 *    group has shown that write. The watch shows writes in order, so it has shown all earlier
 *    writes too. If two replicas claim the same slot, one of them wrote its claim later. This
 *    replica sees the claim of the other replica and waits.
 * 2. A replica withdraws a claim by a write that it sends after its work has ended (`waitUntil`,
 *    `releaseTimeout`). Each update names the version that it replaces. So an update that arrives
 *    late, after another update, fails.
 * 3. A replica gives up all keys if no renewal succeeds within `renewDeadline`, counted from when
 *    the last successful renewal was sent. The replica starts again at step 1, with a new write.
 *    Other replicas respect its claims for `leaseDuration` after they last saw its Lease change, by
 *    their own clocks (L3). After this time, each of them also waits until its watch shows a write
 *    that it sent after this time, because a watch that has stopped does not prove that a replica
 *    is dead.
 * 4. The claims of a deleted Lease are respected for `leaseDuration`, too, unless the Lease was
 *    released first. A Lease that cannot be read counts as a claim to all slots.
 *
 * **Guarantees**: At any time, at most one replica owns a key. This holds even if the replicas see
 * different members, if requests fail, and if their clocks show different times, as long as no
 * clock runs more than `leaseDuration / renewDeadline` times as fast as another clock. The keys of
 * a replica that died have an owner again after about `leaseDuration` plus one `retryPeriod`. After
 * a network failure, this may take longer, by at most `renewDeadline` plus `releaseTimeout`. No
 * slot moves between two replicas that both stay. The stream never completes and never errors:
 * errors are reported in `errors`, and lasting conditions in `status`.
 *
 * **Does not guarantee**: fencing. If a process is suspended for longer than its lease, or if work
 * ignores its signal, it may still write when another replica owns the key. Send the
 * `resourceVersion` with each write, as {@link edit} does, so that such a write fails with a
 * conflict. There is also no guarantee for a replica that starts just after a person has deleted
 * the Lease of a live replica.
 *
 * Only the work is divided. Each replica reads all objects, so that it can take over at once.
 *
 * **RBAC**: the process must be allowed to get, list, watch, create, update and delete Leases in
 * the namespace of the group.
 *
 * @param client reads, watches and writes the Leases of the group
 * @param options the group, the identity and the durations; see {@link MembershipOptions}
 * @returns a stream of states; pass it to {@link whileOwned} and {@link ownedKeys}
 * @throws `RXI_INVALID_OPTION` at once, if an option is invalid or the durations cannot work
 *   together
 * @example
 * import { informer, listWatch, pods, type KubeClient } from 'rx-informers';
 * import { ownedKeys, membership$, whileOwned, workqueue } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const podName: string;
 * declare const reconcile: (key: string, signal: AbortSignal) => Promise<void>;
 *
 * const podInformer = informer(client, pods);
 * const mine$ = membership$(client, {
 *   group: { namespace: 'web', name: 'pod-labeller' },
 *   identity: podName,
 * });
 * ownedKeys(podInformer, mine$)
 *   .pipe(
 *     workqueue((key, { signal }) =>
 *       whileOwned(mine$, { key, signal }, (abort) => reconcile(key, abort)),
 *     ),
 *   )
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
    const released = (release: MembershipRelease): void => log.released(release);
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
