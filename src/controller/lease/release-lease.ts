import {
  catchError,
  concat,
  defer,
  ignoreElements,
  of,
  retry,
  switchMap,
  throwError,
  timeout,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { Lease } from '../../kubernetes/resources/everyday.js';
import { isNotFound } from '../../requests/resource-client/errors.js';
import type { LeaseClient } from './lease-client.js';
import type { LeaseError } from './lease-errors.js';
import type { LeaseClaim } from './lease-record.js';

/** What became of the Lease when a replica stopped competing for it. */
export type LeaseRelease =
  /** The Lease was released. Another replica takes over with its next attempt. */
  | { readonly type: 'released' }
  /** This replica did not hold the Lease. */
  | { readonly type: 'not-held' }
  /** Kept on purpose (`releaseOnUnsubscribe: false`). Others wait until it has expired. */
  | { readonly type: 'kept' }
  /** Not released; others wait until it expires. `error` is undefined if there was no response. */
  | { readonly type: 'failed'; readonly error: LeaseError | undefined };

/** What became of a member's Lease. It is never kept on purpose. */
export type MembershipRelease = Exclude<LeaseRelease, { readonly type: 'kept' }>;

/** The rules for releasing a Lease. They differ between `leader$` and `membership$`. */
export interface ReleaseRules {
  readonly renewDeadline: number;
  readonly scheduler: SchedulerLike;
  isOurs(lease: Lease): boolean;
  /** Returns the Lease without its holder. */
  released(lease: Lease): Lease;
  /** True if the Lease is deleted after it was released. */
  readonly isDeleted: boolean;
  /** Returns the milliseconds to wait before the next try; undefined to give up. */
  retryAfter(error: LeaseError, attempt: number): number | undefined;
}

/**
 * Releases the Lease if the server has this replica as its holder: reads it, writes it without a
 * holder, and deletes it if `rules.isDeleted`. Retries as `rules.retryAfter` says, as a renewal may
 * still be under way (L6), until `renewDeadline`. Emits once, never fails.
 */
export function releaseLease(client: LeaseClient, rules: ReleaseRules): Observable<MembershipRelease> {
  const { renewDeadline, scheduler } = rules;
  let isReleased = false;
  let lastError: LeaseError | undefined;
  const end = (): MembershipRelease => (isReleased ? { type: 'released' } : { type: 'failed', error: lastError });
  return defer(() => client.get()).pipe(
    switchMap((lease): Observable<MembershipRelease> => {
      if (!rules.isOurs(lease)) return of(isReleased ? end() : { type: 'not-held' });
      return client.update(rules.released(lease)).pipe(
        switchMap((released) => {
          isReleased = true;
          const deleted$ = rules.isDeleted ? client.delete(released).pipe(ignoreElements()) : of();
          return concat(deleted$, of(end()));
        }),
      );
    }),
    retry({
      delay: (error: LeaseError, attempt) => {
        lastError = error;
        const wait = rules.retryAfter(error, attempt);
        return wait === undefined ? throwError(() => error) : timer(wait, scheduler);
      },
    }),
    catchError((error: unknown) =>
      of<MembershipRelease>(isNotFound(error) && !isReleased ? { type: 'not-held' } : end()),
    ),
    timeout({ first: renewDeadline, scheduler, with: () => of(end()) }),
  );
}

/** Removes the holder. If the claim counts transitions, sets the duration to one second (L6). */
export function releasedLease(lease: Lease, { countsTransitions }: LeaseClaim): Lease {
  const { renewTime } = lease.spec ?? {};
  const oneSecond = countsTransitions && { leaseDurationSeconds: 1, acquireTime: renewTime };
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', ...oneSecond } };
}
