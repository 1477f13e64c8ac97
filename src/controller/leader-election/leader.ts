import { defer, Observable, of, ReplaySubject, share, Subscription, tap, type Subscriber } from 'rxjs';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { leaseClient, type Release } from '../lease/lease-client.js';
import { expiredLease, healthTolerance, type LeaseExpiredError } from '../lease/lease-errors.js';
import { Candidate } from './candidate.js';
import { ElectionLog } from './election-log.js';
import { checkedLeaderOptions, type LeaderOptions } from './leader-options.js';
import type { Leadership } from './leadership.js';

/** Emits whether this replica leads. Returned by `leader$`. */
export interface LeaderElection extends Observable<Leadership> {
  /**
   * Emits what became of the lease when the last subscriber left, as soon as that is known, and
   * completes. While there are subscribers it waits for them to leave. Before the first one it
   * emits `not-held`. It sends no request itself, and never fails.
   */
  readonly released$: Observable<Release>;
  /**
   * Returns what is wrong with this replica, for a liveness probe (L7): it believes that it leads,
   * but its lease expired more than `tolerance` milliseconds ago (default 20,000, as in client-go).
   * Returns undefined if it is healthy, or does not lead.
   */
  checkHealth(tolerance?: number): LeaseExpiredError | undefined;
}

/**
 * Competes for a Lease, as client-go's `leaderelection` does: of all replicas that compete for it,
 * at most one leads.
 *
 * Emits the current state to each new subscriber (`standby` at first), then each change: another
 * replica holds the lease (L5), leadership was won or `lost`, an attempt failed, or the next one
 * succeeded. It does not emit for a renewal that succeeds.
 *
 * | when | what happens |
 * | --- | --- |
 * | the first subscriber comes | an attempt at once, then one each 1 to 2.2 × `retryPeriod`, until the lease is won (L2) |
 * | leading | a renewal each `retryPeriod`, without a read while no other client writes the lease (L4) |
 * | no renewal succeeded for `renewDeadline` | `lost`; the next attempt follows as on standby |
 * | the lease names another holder, or none | `lost` |
 * | the lease was deleted | the leader creates it again; other replicas wait until the lease that they saw last has expired |
 * | the lease is malformed or forbidden, or its namespace does not exist | an `error` in the state, and another attempt |
 * | the last subscriber leaves | leadership ends at once; the lease is released (L6) |
 *
 * With a `logger` it logs who leads and since when, why leadership was lost, and why the lease
 * cannot be read or written. With a `recorder` it records events about the Lease, as client-go
 * does: that the identity became leader, or stopped leading.
 *
 * Differences from client-go (▲):
 *
 * - `Run` ends with leadership, and the process is meant to exit. This replica competes again:
 *   `whileLeading` stops the work, and caches stay warm.
 * - The deadline counts from when the last renewal that succeeded was *sent*. In client-go it
 *   counts from when the next renewal begins, and may end after the lease.
 * - If the lease is deleted, a replica that knew its holder waits until that lease would have
 *   expired before it creates one.
 * - If a lease has a holder but no duration, the candidate's own duration counts.
 * - `strategy` and `preferredHolder` (coordinated leader election, a feature gate of the server)
 *   are kept, and have no effect.
 *
 * Unsubscribing is synchronous. It sends the request that releases the lease. In Node that request
 * keeps the process alive, for at most `renewDeadline`. Wait for `released$` before you call
 * `process.exit`. A new subscription competes at once, and gives up a release that is still under
 * way.
 *
 * **Guarantees**: one candidacy, however many subscribe. It never errors and never completes; only
 * unsubscribing stops it. A leader stops by its own clock or timer, whichever is earlier, before
 * another replica may start. Other replicas wait by their timers alone, so clocks may differ and be
 * set (L3). After unsubscribing nothing is left but the release.
 * **Does not guarantee**: that a run which is in progress ends in time, if the event loop is
 * blocked or the process suspended for longer than `leaseDuration - renewDeadline` (no other run
 * begins: each asks the clock, as `whileLeading` says); anything for clocks that differ in speed by
 * more than that; anything once a person edits or deletes the lease. There is no fencing.
 * **Errors**: a `RangeError` at once for options that make no sense (L1).
 *
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
 * const leadership$ = leader$(client, { lease: { namespace: 'web', name: 'operator' }, identity: podName });
 * const reconciled$ = settings.changes$.pipe(
 *   changedKeys(),
 *   workqueue((key) => console.log('reconciling', key, settings.get(key)?.data)),
 * );
 * const running = leadership$.pipe(whileLeading(reconciled$)).subscribe();
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
  let ended = new ReplaySubject<Release>(1);
  of<Release>({ type: 'not-held' }).subscribe(ended);

  const release = (left: Candidate): Observable<Release> => {
    if (!left.mayHold) return of({ type: 'not-held' });
    return config.releaseOnUnsubscribe ? left.release() : of({ type: 'kept' });
  };

  const compete = (subscriber: Subscriber<Leadership>): void => {
    // A release that is under way happens or not; what this candidate writes makes a late one a
    // conflict.
    if (releasing.closed) ended = new ReplaySubject(1);
    else releasing.unsubscribe();
    const log = new ElectionLog(config);
    const running = new Candidate(lease, config, log, (leadership) => {
      subscriber.next(leadership);
    });
    candidate = running;
    subscriber.add(running);
    subscriber.add(() => {
      candidate = undefined;
      releasing = release(running)
        .pipe(
          tap((outcome) => {
            log.released(outcome);
          }),
        )
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
