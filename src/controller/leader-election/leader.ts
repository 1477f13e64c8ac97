import { defer, Observable, of, ReplaySubject, share, Subscription, type Subscriber } from 'rxjs';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { leaseClient } from '../lease/lease-client.js';
import { Candidate } from './candidate.js';
import { checkedOptions, type LeaderOptions } from './election-config.js';
import type { Leadership } from './leadership.js';
import { LeaseExpiredError } from './lease-expired-error.js';
import { releaseLease, type Release } from './release.js';

/** What `leader$` gives: whether this replica leads, and what belongs to it. */
export interface LeaderElection extends Observable<Leadership> {
  /**
   * What became of the lease when the last subscriber left, as soon as that is known; then it completes. While there are subscribers it
   * waits for them to leave; before there was one it says `not-held`. It asks for nothing itself, and never fails.
   */
  readonly released$: Observable<Release>;
  /**
   * What is wrong with this replica, for a liveness probe (L7): a leader whose lease ran out more than `tolerance` milliseconds ago
   * (default 20,000, as client-go's) and who did not notice. Undefined is healthy, and everybody who does not lead is.
   */
  checkHealth(tolerance?: number): LeaseExpiredError | undefined;
}

/**
 * Leader election on a Lease, as client-go's `leaderelection` does it: of all replicas that compete for it, at most one leads.
 *
 * Emits the state at once (`standby`, or what it is by now), then each change: another holder was seen (L5), leadership was won or
 * `lost`, an attempt failed or the next one succeeded. Renewals that succeed are not told.
 *
 * | when | what happens |
 * | --- | --- |
 * | the first subscriber comes | an attempt at once, then one each 1 to 2.2 × `retryPeriod`, until the lease is won (L2) |
 * | leading | a renewal each `retryPeriod`, without a read while nobody else writes the lease (L4) |
 * | no renewal succeeded for `renewDeadline` | `lost`; the next attempt follows as on standby |
 * | the lease names another holder, or none | `lost` |
 * | the lease was deleted | the leader creates it again; others wait until what they saw last has run out |
 * | the lease is malformed, forbidden, or has no namespace | an `error` in the state, and another attempt |
 * | the last subscriber leaves | leadership ends at once; the lease is given back (L6) |
 *
 * ▲ client-go's `Run` ends with leadership, and the process is meant to exit. Here it competes again, because what must not outlive
 * leadership is unsubscribed (`whileLeading`) and what may (caches) stays warm. ▲ The deadline counts from when the last renewal that
 * succeeded was *sent*; client-go's counts from when its next renewal begins, and may overrun a `leaseDuration` near `renewDeadline`.
 * ▲ A lease that vanishes is not created by those who know that somebody held it, until that has run out. ▲ A holder without a
 * duration has the candidate's own. `strategy` and `preferredHolder` (coordinated leader election, a feature gate of the server) are
 * kept as they are, and not acted upon.
 *
 * Giving back: unsubscribing is synchronous, the request goes out within it and outlives it (in Node it keeps the process alive, at most
 * for `renewDeadline`), and `released$` tells when it is through. A process that calls `process.exit` waits for that first. Who
 * subscribes again meanwhile competes at once; the request is given up.
 *
 * **Guarantees**: one candidacy, however many subscribe; it never errors and never completes: only unsubscribing stops it; a leader
 * stops by its own clock or timer, whichever is earlier, before any other replica may begin; others wait by their timers alone, so
 * clocks may differ and be set (L3); nothing but the release is left after unsubscribing.
 * **Does not guarantee**: that a process whose event loop stands still longer than `leaseDuration - renewDeadline` stops in time, that
 * clocks may run at different speeds beyond that, or anything once somebody edits or deletes the lease by hand; there is no fencing.
 * **Errors**: a `RangeError` at once for options that make no sense (L1).
 *
 * @example
 * import { lastValueFrom } from 'rxjs';
 * import { configMaps, informer, listWatch, type KubeClient } from 'rx-informers';
 * import { keys, leader$, whileLeading, workqueue } from 'rx-informers/controller';
 *
 * declare const client: KubeClient;
 * declare const podName: string;
 *
 * const settings = informer(listWatch(client, configMaps));
 * const warm = settings.connect();
 * const leadership$ = leader$(client, { lease: { namespace: 'web', name: 'operator' }, identity: podName });
 * const reconciled$ = settings.changes$.pipe(
 *   keys(),
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
  const config = checkedOptions(options);
  const lease = leaseClient(client, config.lease, config);
  let candidate: Candidate | undefined;
  let releasing = Subscription.EMPTY;
  let ended = new ReplaySubject<Release>(1);
  of<Release>({ type: 'not-held' }).subscribe(ended);

  const release = ({ mayHold }: Candidate): Observable<Release> => {
    if (!mayHold) return of({ type: 'not-held' });
    return config.releaseOnUnsubscribe ? releaseLease(lease, config) : of({ type: 'kept' });
  };

  const compete = (subscriber: Subscriber<Leadership>): void => {
    // Of a release that is under way, none or all happens; what this candidate writes then makes a late one a conflict.
    if (releasing.closed) ended = new ReplaySubject(1);
    else releasing.unsubscribe();
    const running = new Candidate(lease, config, (leadership) => {
      subscriber.next(leadership);
    });
    candidate = running;
    subscriber.add(running);
    subscriber.add(() => {
      candidate = undefined;
      releasing = release(running).subscribe(ended);
    });
    running.start();
  };

  const leadership$ = new Observable(compete).pipe(share({ connector: () => new ReplaySubject(1) }));
  return Object.assign(leadership$, {
    released$: defer(() => ended),
    checkHealth: (tolerance = 20_000): LeaseExpiredError | undefined => {
      const age = candidate?.sinceRenewal;
      return age !== undefined && age > config.leaseDuration + tolerance
        ? new LeaseExpiredError(config.lease, config.identity, age)
        : undefined;
    },
  });
}
