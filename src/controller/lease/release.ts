import type { LeaseError } from './lease-errors.js';

/** What became of the lease when a replica left. */
export type Release =
  /** It was released: other replicas take over with their next attempt. */
  | { readonly type: 'released' }
  /** This replica did not hold it. */
  | { readonly type: 'not-held' }
  /**
   * It was kept on purpose (`releaseOnUnsubscribe: false`); other replicas wait until it has
   * expired.
   */
  | { readonly type: 'kept' }
  /**
   * It could not be released; other replicas wait until it has expired. `error` is undefined if
   * there was no answer in time.
   */
  | { readonly type: 'failed'; readonly error: LeaseError | undefined };

/** What became of the Lease when a replica left its group; the Lease of a replica is never kept. */
export type MembershipRelease = Exclude<Release, { readonly type: 'kept' }>;
