import { defer, Observable, of, ReplaySubject, share, Subscription, tap, type Subscriber } from 'rxjs';
import { type RxInformersError } from '../../kubernetes/errors.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { leaseClient } from '../lease/lease-client.js';
import { expiredLease, healthTolerance } from '../lease/lease-errors.js';
import type { LeaseRelease } from '../lease/release-lease.js';
import { Candidate } from './candidate.js';
import { ElectionLog } from './election-log.js';
import { checkedLeaderOptions, type LeaderOptions } from './leader-options.js';
import type { Leadership } from './leadership.js';

/** A stream of the states of one candidate. Returned by {@link leader$}. */
export interface LeaderElection extends Observable<Leadership> {
  /**
   * Emits what became of the lease after the last subscriber has left, and completes; `not-held`
   * before the first one. Never sends a request, and never fails.
   */
  readonly released$: Observable<LeaseRelease>;
  /**
   * Returns an error if this replica believes that it leads although its lease has expired (L7).
   * Use it in a liveness probe.
   *
   * @param tolerance how many milliseconds ago the lease may have expired; default 20,000, as in
   *   client-go
   * @returns the error, or undefined if this replica is healthy or does not lead
   */
  checkHealth(tolerance?: number): RxInformersError<'RXI_LEASE_EXPIRED'> | undefined;
}

/**
 * Competes for a Lease, as client-go's `leaderelection` does. At most one of the competing replicas
 * leads at any time.
 *
 * Emits the current state to each new subscriber; the first state is `standby`. Then it emits each
 * change: another replica holds the lease (L5), this replica won or `lost` leadership, an attempt
 * failed, or an attempt succeeded after a failure. Successful renewals are not emitted.
 *
 * | when | what happens |
 * | --- | --- |
 * | the first subscriber comes | an attempt at once, then an attempt each 1 to 2.2 × `retryPeriod`,
 * until the lease is won (L2) |
 * | this replica leads | a renewal each `retryPeriod`; the lease is read first only after a failed
 * renewal (L4) |
 * | no renewal succeeded for `renewDeadline` | `lost`; then this replica competes again, as on
 * standby |
 * | the lease names another holder, or none | `lost` |
 * | the lease was deleted | the leader creates it again; other replicas wait until the lease that
 * they saw last has expired |
 * | the lease is malformed or forbidden, or its namespace does not exist | an `error` in the state,
 * and another attempt |
 * | the last subscriber leaves | leadership ends at once; the lease is released (L6) |
 *
 * With a `logger`, `leader$` logs which replica leads and since when, why leadership was lost, and
 * why the lease cannot be read or written. With a `recorder`, `leader$` records an event about the
 * Lease when this replica becomes leader or stops leading, as client-go does.
 *
 * Differences from client-go (▲):
 *
 * - client-go's `Run` returns when leadership ends, and the process is expected to exit. `leader$`
 *   competes again: {@link whileLeading} stops the work, and caches stay warm.
 * - The renew deadline counts from when the last successful renewal was *sent*. In client-go it
 *   counts from when the next renewal begins, so a leader may still lead when its lease has
 *   expired.
 * - If the lease is deleted, a replica that has seen the holder of the lease waits until the
 *   deleted lease would have expired. Then this replica creates a new lease.
 * - If a lease has a holder but no duration, the candidate uses its own `leaseDuration`.
 * - The fields `strategy` and `preferredHolder` are kept and have no effect. They belong to
 *   coordinated leader election, a feature gate of the server.
 *
 * When the last subscriber leaves, leadership ends synchronously, and the requests that release the
 * lease begin. In Node these requests keep the process alive for at most `renewDeadline`. Wait for
 * `released$` before you call `process.exit`. A new subscription competes at once and cancels a
 * release that is still under way.
 *
 * **Guarantees**: All subscribers share one candidacy. The stream never errors and never completes;
 * only unsubscribing stops it. A leader stops before another replica may start: it stops as soon as
 * its clock or its timer reaches the renew deadline. Other replicas use only their timers to wait,
 * so the clocks of replicas may differ and may be set (L3). After unsubscribing, only the release
 * is left.
 *
 * **Does not guarantee**: that a run in progress ends in time, if the event loop is blocked or the
 * process is suspended for longer than `leaseDuration - renewDeadline`. (No new run begins then,
 * because controllers and queues that have the `handOver` check the clock before each run, and
 * controllers before each write through the client of a run.) There
 * is also no guarantee if clocks drift apart by more than that difference, or after a person has
 * edited or deleted the lease. There is no fencing.
 *
 * @param client reads and writes the Lease; give it a connection of its own if a rate limit of
 *   other work could delay its requests
 * @param options the lease, the identity and the durations; see {@link LeaderOptions}
 * @returns a stream of the states of this candidate; pass it to {@link whileLeading}
 * @throws `RXI_INVALID_OPTION` at once, if an option is invalid or the durations cannot work
 *   together (L1)
 * @example
 * import { lastValueFrom } from 'rxjs';
 * import { configMaps, informer, type KubeClient } from 'rx-informers';
 * import { changedKeys, leader$, whileLeading, workqueue } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const podName: string;
 *
 * const settings = informer(client, configMaps);
 * const warm = settings.connect();
 * const leadership$ = leader$(client, {
 *   lease: { namespace: 'web', name: 'operator' },
 *   identity: podName,
 * });
 * const reconcile = (key: string) => console.log(key, settings.get(key)?.data);
 * const running = leadership$
 *   .pipe(
 *     whileLeading(({ handOver }) =>
 *       settings.changes$.pipe(changedKeys(), workqueue(reconcile, { handOver })),
 *     ),
 *   )
 *   .subscribe();
 *
 * async function shutDown() {
 *   running.unsubscribe();
 *   warm.unsubscribe();
 *   await lastValueFrom(leadership$.released$);
 * }
 */
export function leader$(client: KubeClient, options: LeaderOptions): LeaderElection {
  const config = checkedLeaderOptions(client, options);
  const lease = leaseClient(client, config.lease, config);
  let candidate: Candidate | undefined;
  let releasing = Subscription.EMPTY;
  let ended = new ReplaySubject<LeaseRelease>(1);
  of<LeaseRelease>({ type: 'not-held' }).subscribe(ended);

  const release = (left: Candidate): Observable<LeaseRelease> => {
    if (!left.mayHold) return of({ type: 'not-held' });
    return config.releaseOnUnsubscribe ? left.release() : of({ type: 'kept' });
  };

  const compete = (subscriber: Subscriber<Leadership>): void => {
    // The server may have processed a release that is under way, or not. If the release arrives
    // after a write of this candidate, the release fails with a conflict.
    if (releasing.closed) ended = new ReplaySubject(1);
    else releasing.unsubscribe();
    const log = new ElectionLog(config);
    const running = new Candidate(lease, config, log, (leadership) => subscriber.next(leadership));
    candidate = running;
    subscriber.add(running);
    subscriber.add(() => {
      candidate = undefined;
      releasing = release(running)
        .pipe(tap((outcome) => log.released(outcome)))
        .subscribe(ended);
    });
    running.start();
  };

  const leadership$ = new Observable(compete).pipe(share({ connector: () => new ReplaySubject(1) }));
  return Object.assign(leadership$, {
    released$: defer(() => ended),
    checkHealth: (tolerance = healthTolerance) =>
      expiredLease(config.lease, config, candidate?.sinceRenewal, tolerance),
  });
}
