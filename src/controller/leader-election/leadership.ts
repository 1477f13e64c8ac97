import type { LeaseError } from '../lease/lease-error.js';
import type { RenewDeadlineError } from './renew-deadline-error.js';
import type { TakenOverError } from './taken-over-error.js';

/** Whether this replica leads, and what is known besides. */
export type Leadership = Standby | Leading | Lost;

/** This replica does not lead, and competes. */
export interface Standby {
  readonly type: 'standby';
  /** Who holds the lease, as it was seen last; undefined for nobody, and while it was not seen yet. It may be this replica, not sure of it yet. */
  readonly holder: string | undefined;
  /** Why the last attempt failed; undefined where it did not. */
  readonly error: LeaseError | undefined;
}

/** This replica leads, and is the only one. */
export interface Leading {
  readonly type: 'leading';
  readonly identity: string;
  /** Since when, in milliseconds of the scheduler; it tells one leadership from the next. */
  readonly since: number;
  /** How often the lease went from one holder to another; later leaders have a higher number, unless the lease was deleted. */
  readonly transitions: number;
  /** Why the last renewal failed; undefined where it did not. The next one may succeed; until the deadline this replica leads. */
  readonly error: LeaseError | undefined;
}

/** This replica has just stopped leading; it competes again, and is on standby after its next attempt. */
export interface Lost {
  readonly type: 'lost';
  readonly cause: LossCause;
  /** Who holds the lease, as it was seen last. */
  readonly holder: string | undefined;
  /** Since when it had led, in milliseconds of the scheduler. */
  readonly ledSince: number;
}

/** Why leadership ended: the lease could not be renewed in time, or says that somebody else, or nobody, holds it. */
export type LossCause = RenewDeadlineError | TakenOverError;
