import { wallTime } from '../../time/clock.js';
import {
  catchError,
  concatMap,
  defer,
  endWith,
  ignoreElements,
  of,
  retry,
  throwError,
  timeout,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { Lease } from '../../kubernetes/resources/everyday.js';
import { isForbidden, isNotFound } from '../api/errors.js';
import type { ResourceClient } from '../api/resource-client.js';
import { toLeaseError, type LeaseError } from '../lease/lease-errors.js';
import type { MembershipRelease } from '../lease/release.js';
import { leaseKey, type MembershipConfig, type State } from './protocol.js';
import { readMemberLease, releasedLease } from './claim.js';

/**
 * Returns a stream that deletes this replica's Lease when it is subscribed to, and emits what
 * became of it. It never fails.
 *
 * First it writes the Lease without a claim, so that the other replicas know that nothing is owned
 * any more. Then it deletes it. It tries again until the renewal deadline, because a renewal may
 * have been under way (L6); a refusal ends it at once. If it does not succeed, the Lease expires.
 */
export function leaveGroup(
  leaseClient: ResourceClient<Lease>,
  config: MembershipConfig,
  { sequence, renewedSequence }: State,
  scheduler: SchedulerLike,
): Observable<MembershipRelease> {
  if (sequence === 0) return of({ type: 'not-held' });
  const { renewDeadline, retryPeriod } = config;
  let isWithdrawn = false;
  let lastError: LeaseError | undefined;
  const ended = (): MembershipRelease => (isWithdrawn ? { type: 'released' } : { type: 'failed', error: lastError });
  return defer(() => leaseClient.get(leaseKey(config))).pipe(
    concatMap((lease) => {
      if (!isOurs(config, lease)) return of<MembershipRelease>(isWithdrawn ? ended() : { type: 'not-held' });
      return leaseClient.update(releasedLease(config, lease, sequence + 1, wallTime(scheduler))).pipe(
        concatMap((released) => {
          isWithdrawn = true;
          return deleteUnchanged(leaseClient, released).pipe(ignoreElements(), endWith(ended()));
        }),
      );
    }),
    retry({
      delay: (error: unknown) => {
        lastError = toLeaseError(error);
        return isNotFound(error) || isForbidden(error) ? throwError(() => error) : timer(retryPeriod, scheduler);
      },
    }),
    timeout({ first: renewDeadline, with: () => of(ended()), scheduler }),
    catchError((error: unknown) => {
      const neverHeld = isNotFound(error) || (isForbidden(error) && renewedSequence === 0);
      return of<MembershipRelease>(neverHeld && !isWithdrawn ? { type: 'not-held' } : ended());
    }),
  );
}

function isOurs({ incarnation }: MembershipConfig, lease: Lease): boolean {
  return readMemberLease(lease).claim?.incarnation === incarnation;
}

/** Deletes a Lease, unless it has been written since it was read. */
export function deleteUnchanged(leaseClient: ResourceClient<Lease>, lease: Lease): Observable<void> {
  const { uid, resourceVersion } = lease.metadata;
  return leaseClient.delete(lease, { preconditions: { uid, resourceVersion } });
}
