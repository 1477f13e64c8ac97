import type { LeaseError, RenewDeadlineError, TakenOverError } from '../lease/lease-errors.js';

/** Says whether this replica leads, and why not or why not any more. */
export type Leadership = Standby | Leading | Lost;

/** This replica does not lead, and competes. */
export interface Standby {
  readonly type: 'standby';
  /**
   * The holder of the lease as it was read last. Undefined if there is none, or if the lease was
   * not read yet. It may be this replica, if a write succeeded whose answer was lost.
   */
  readonly holder: string | undefined;
  /** Why the last attempt failed; undefined if it succeeded. */
  readonly error: LeaseError | undefined;
}

/** This replica leads, and is the only one. */
export interface Leading {
  readonly type: 'leading';
  readonly identity: string;
  /** Since when, as the time of day in milliseconds. It differs from one leadership to the next. */
  readonly since: number;
  /**
   * How often the lease changed its holder. Later leaders have a higher number, unless the lease
   * was deleted.
   */
  readonly transitions: number;
  /**
   * Why the last renewal failed; undefined if it succeeded. This replica leads until the renew
   * deadline, and tries again before it.
   */
  readonly error: LeaseError | undefined;
}

/**
 * This replica has just stopped leading; it competes again, and is on standby after its next
 * attempt.
 */
export interface Lost {
  readonly type: 'lost';
  readonly cause: LossCause;
  /** The holder of the lease as it was read last. */
  readonly holder: string | undefined;
  /** Since when this replica led, as the time of day in milliseconds. */
  readonly ledSince: number;
}

/**
 * Why leadership ended: the lease could not be renewed in time, or it names another holder or none.
 */
export type LossCause = RenewDeadlineError | TakenOverError;
