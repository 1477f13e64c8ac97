import type { Lease } from '../../kubernetes/resources/everyday.js';
import type { NewObject } from '../api/call-options.js';
import type { LeaseError } from '../lease/lease-errors.js';
import type { LeaseObservation, Moment } from '../lease/lease-record.js';
import type { LossCause } from './leadership.js';

/** What one replica knows: what it is, and what it waits for. */
export interface ElectionState {
  readonly role: Role;
  readonly activity: Activity;
}

export type Role = StandbyRole | LeadingRole;

export interface StandbyRole {
  readonly type: 'standby';
  /** The lease as it was seen last; undefined while it was not, and once it is known to be gone. */
  readonly seen: SeenLease | undefined;
  /** Why the last attempt failed. */
  readonly error: LeaseError | undefined;
  /** Leadership that was lost, until the next attempt has ended. */
  readonly lost: { readonly cause: LossCause; readonly ledSince: number } | undefined;
}

/** A lease that somebody may hold. */
export interface SeenLease extends LeaseObservation {
  /** Whether it has said the same for as long as its holder may keep it, so that it may be taken (L3). */
  readonly isExpired: boolean;
}

export interface LeadingRole {
  readonly type: 'leading';
  /** The lease as this replica wrote it last: what the fast path renews without a read (L4). */
  readonly lease: Lease;
  /** The time of day, for display. */
  readonly since: number;
  readonly transitions: number;
  /** When the last write that succeeded was sent: others saw it no earlier. */
  readonly renewed: Moment;
  readonly error: LeaseError | undefined;
}

export type Activity =
  | { readonly type: 'waiting' }
  /** One request is under way; `renew` is the fast path, `update` follows a read. */
  | {
      readonly type: 'requesting';
      readonly request: 'get' | 'create' | 'update' | 'renew';
      readonly attemptedAt: number;
      readonly sent: Moment;
    };

/** What happens to a replica, and when. */
export type ElectionInput = Moment & Happening;

type Happening =
  /** It is time for an attempt. */
  | { readonly type: 'due' }
  | { readonly type: 'answered'; readonly lease: Lease }
  | { readonly type: 'failed'; readonly error: LeaseError }
  /** The renew deadline is over. */
  | { readonly type: 'deadline' }
  /** The lease that was seen has said the same for its whole duration. */
  | { readonly type: 'expired' };

/** What is to be done in the world, in this order. */
export type ElectionEffect =
  | { readonly type: 'get' }
  | { readonly type: 'create'; readonly lease: NewObject<Lease> }
  | { readonly type: 'update'; readonly lease: Lease }
  /** Gives up the request that is under way; it may have been carried out. */
  | { readonly type: 'abort' }
  /** The next attempt, after `wait` milliseconds, each lengthened at random by up to `jitter` of itself. */
  | { readonly type: 'attempt-after'; readonly wait: number; readonly jitter: number }
  /** Sets the alarm to `wait` milliseconds from now, in place of what it was set to; undefined stops it. */
  | { readonly type: 'set-alarm'; readonly alarm: 'deadline' | 'expired'; readonly wait: number | undefined }
  | { readonly type: 'slow-path' };

export interface ElectionStep {
  readonly state: ElectionState;
  readonly effects: readonly ElectionEffect[];
}

export const initialState: ElectionState = {
  role: { type: 'standby', seen: undefined, error: undefined, lost: undefined },
  activity: { type: 'waiting' },
};
