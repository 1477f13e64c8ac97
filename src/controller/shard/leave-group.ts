import { wallTime } from '../../time/steady.js';
import {
  catchError,
  concatMap,
  EMPTY,
  retry,
  throwError,
  timeout,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { Lease } from '../../kubernetes/resources/coordination.js';
import { isNotFound } from '../api/refusals.js';
import type { ResourceClient } from '../api/resource-client.js';
import { leaseKey, type MembershipConfig, type MembershipState } from './membership-state.js';
import { readShardLease, releasedLease } from './shard-lease.js';

/**
 * Takes this replica's Lease away: first it is written without a claim, so that whoever sees it go knows that nothing of it is owned
 * any more, then it is deleted (L6: with other tries until the renewal deadline, because a renewal may have been under way).
 *
 * Where it does not succeed, or where nobody runs any more who could do it, the Lease expires.
 */
export function leaveGroup(
  leaseClient: ResourceClient<Lease>,
  config: MembershipConfig,
  { sequence }: MembershipState,
  scheduler: SchedulerLike,
): void {
  if (sequence === 0) return;
  const { renewDeadline, retryPeriod } = config;
  leaseClient
    .get(leaseKey(config))
    .pipe(
      concatMap((lease) =>
        isOurs(config, lease)
          ? leaseClient.update(releasedLease(config, lease, sequence + 1, wallTime(scheduler)))
          : EMPTY,
      ),
      concatMap((released) => deleteUnchanged(leaseClient, released)),
      retry({
        delay: (error: unknown) => (isNotFound(error) ? throwError(() => error) : timer(retryPeriod, scheduler)),
      }),
      timeout({ each: renewDeadline, with: () => EMPTY, scheduler }),
      catchError(() => EMPTY),
    )
    .subscribe();
}

function isOurs({ incarnation }: MembershipConfig, lease: Lease): boolean {
  return readShardLease(lease).claim?.incarnation === incarnation;
}

/** Deletes a Lease, unless it has been written since it was read. */
export function deleteUnchanged(leaseClient: ResourceClient<Lease>, lease: Lease): Observable<void> {
  const { uid, resourceVersion } = lease.metadata;
  return leaseClient.delete(lease, { preconditions: { uid, resourceVersion } });
}
