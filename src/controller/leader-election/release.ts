import { wallTime } from '../../time/clock.js';
import { catchError, defer, map, of, retry, switchMap, throwError, timeout, timer, type Observable } from 'rxjs';
import { releasedLease, readLease } from '../lease/lease-record.js';
import type { LeaseClient } from '../lease/lease-client.js';
import { isConflict, isNotFound } from '../api/errors.js';
import { toLeaseError, type LeaseError } from '../lease/lease-errors.js';
import type { Release } from '../lease/release.js';
import type { CheckedLeaderOptions } from './election-config.js';

/** client-go's `retry.DefaultBackoff`: a renewal that was given up half-way may have made another version meanwhile. */
const conflictWaits = [10, 50, 250] as const;

/**
 * Gives the lease back if the server says that `identity` holds it; looks again after a conflict (L6). Emits once and never fails.
 */
export function releaseLease(
  lease: LeaseClient,
  { identity, renewDeadline, scheduler }: CheckedLeaderOptions,
): Observable<Release> {
  return defer(() => lease.get()).pipe(
    switchMap((current): Observable<Release> => {
      if (readLease(current).holder !== identity) return of({ type: 'not-held' });
      return lease.update(releasedLease(current, wallTime(scheduler))).pipe(map(() => ({ type: 'released' })));
    }),
    retry({
      delay: (error: LeaseError, attempt) => {
        const wait = isConflict(error) ? conflictWaits[attempt - 1] : undefined;
        return wait === undefined ? throwError(() => error) : timer(wait, scheduler);
      },
    }),
    catchError((cause: unknown): Observable<Release> => {
      const error = toLeaseError(cause);
      return of(isNotFound(error) ? { type: 'not-held' } : { type: 'failed', error });
    }),
    timeout({ first: renewDeadline, scheduler, with: () => of<Release>({ type: 'failed', error: undefined }) }),
  );
}
