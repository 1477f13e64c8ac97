import { defer, map, ReplaySubject, share, type Observable } from 'rxjs';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { membership } from './membership.js';
import { checkedShardOptions, membershipConfig, type ShardOptions } from './shard-options.js';
import { asFirst, type ShardState } from './shard-state.js';

/**
 * Makes this process one of the replicas that share the keys of a controller, and tells which keys are its own.
 *
 * Each replica has a Lease with the label of the group. Keys are hashed into 1024 slots; each slot falls to one of the replicas that
 * live, by rendezvous hashing, so that who joins or leaves moves about an n-th of the keys. Whoever follows the membership begins
 * work on what is `gained`, ends work on what is `lost` (`whileOwned`, `ownedKeys`), and may say with `waitUntil` for how long it
 * takes: only then the new owner begins.
 *
 * One membership, however many subscribers: it begins with the first (who is told at once that nothing is owned yet), and each later
 * one is told the state first. When the last one leaves, the Lease is released and deleted, and others take over at once: end
 * the work first.
 *
 * **Why no two replicas own a key at once.** What counts is not who should own a slot, of which replicas may think differently for a
 * while, but what they claim in their Leases.
 *
 * 1. A replica owns a slot only after it has written a claim to it, and has then seen that write come back through its watch of the
 *    group. The watch shows writes in their order: everything before the claim has been seen too. Of two replicas that claim a slot,
 *    one wrote later; that one sees the other's claim, and waits.
 * 2. A claim is withdrawn by a write that is sent after the work is over (`waitUntil`, `releaseTimeout`). An update names the version that
 *    it replaces, so one that was delayed on its way changes nothing.
 * 3. Whoever does not renew in `renewDeadline`, counted from when the last renewal that succeeded was sent, gives up everything, and begins
 *    anew with 1, with a later write. Its claims count for the others for `leaseDuration` after they saw it change last (L3: by their own
 *    clocks), and until a write of their own, sent after that, has come back: a watch that has stopped proves nobody dead.
 * 4. A Lease that is deleted keeps its claims for as long, unless it was released first; one that cannot be read claims everything.
 *
 * **Guarantees**: at most one replica's state owns a key at any time, whatever memberships they see, whatever fails, and however much their
 * clocks differ, as long as one runs no more than `leaseDuration / renewDeadline` times as fast as another; keys of a replica that died
 * have an owner again after about `leaseDuration` and a `retryPeriod`, after a broken network it is at most `renewDeadline` and
 * `releaseTimeout` more; no slot moves between two replicas that stay; it never ends or errors by itself: what goes wrong is told in
 * `errors`.
 * **Does not guarantee**: fencing: a process that is suspended for longer than its lease, or work that does not heed its signal, may
 * still write when another one owns the key (let writes fail on conflict: by `resourceVersion`, as `edit` does). Nor anything
 * about a replica that starts just after somebody else deleted the Lease of one that lives.
 *
 * The option `shard` of `listWatch` is another thing: there each replica *reads* a fixed part of all objects, by uid, and saves the
 * memory and the traffic of the rest; who is which part is configured, and while the number changes an object may be seen by two
 * replicas or by none. Here each replica reads everything, which is why it can take over at once, and *works* on a part that moves. Use
 * one of them.
 *
 * **Errors**: a `RangeError` at once for options that make no sense. **Needs** the rights to get, list, watch, create, update and delete
 * Leases in the namespace of the group.
 *
 * @example
 * import { informer, listWatch, pods, type KubeClient } from 'rx-informers';
 * import { ownedKeys, shard$, whileOwned, workqueue } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const podName: string;
 * declare const reconcile: (key: string, signal: AbortSignal) => Promise<void>;
 *
 * const podInformer = informer(listWatch(client, pods));
 * const mine$ = shard$(client, { group: { namespace: 'web', name: 'pod-labeller' }, identity: podName });
 * ownedKeys(podInformer, mine$)
 *   .pipe(workqueue((key, { signal }) => whileOwned(mine$, { key, signal }, (abort) => reconcile(key, abort))))
 *   .subscribe();
 */
export function shard$(client: KubeClient, options: ShardOptions): Observable<ShardState> {
  const checked = checkedShardOptions(options);
  // Each time that it is joined anew it is another incarnation.
  const shared$ = defer(() => membership(client, membershipConfig(checked), checked)).pipe(
    share({ connector: () => new ReplaySubject<ShardState>(1) }),
  );
  return shared$.pipe(map((state, index) => (index === 0 ? asFirst(state) : state)));
}
