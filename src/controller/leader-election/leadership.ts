import type { Lease } from '../../kubernetes/resources/everyday.js';
import {
  ask,
  initialHolder,
  step as holderStep,
  type Effect as HolderEffect,
  type Input,
  type State as HolderState,
  type Step as HolderStep,
} from '../lease/holder.js';
import { TakenOverError, type LeaseError, type RenewDeadlineError } from '../lease/lease-errors.js';
import { readLease } from '../lease/lease-record.js';
import type { ElectionConfig } from './leader-options.js';

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

/**
 * What one candidate knows and does: its part in the Lease, and the leadership that follows from
 * it.
 */
export interface State {
  readonly holder: HolderState;
  /** Undefined on standby. */
  readonly leading: CurrentLeadership | undefined;
  /** Leadership that was lost, until the next attempt has ended. */
  readonly lost: { readonly cause: LossCause; readonly ledSince: number } | undefined;
}

/** By which Lease this replica leads, and since which time of day. */
export interface CurrentLeadership {
  readonly lease: Lease;
  readonly since: number;
  readonly transitions: number;
}

export type Effect = HolderEffect | { readonly type: 'tell'; readonly before: State; readonly after: State };

export interface Step {
  readonly state: State;
  /** A request is the last one. */
  readonly effects: readonly Effect[];
}

export const initialState: State = { holder: initialHolder, leading: undefined, lost: undefined };

/**
 * Returns the next state of a candidate, and what to do. It leads while it holds the Lease. Pure.
 *
 * ▲ client-go's `Run` ends when leadership is lost; this replica competes again.
 */
export function step(config: ElectionConfig, state: State, input: Input): Step {
  const answered = holderStep(config, state.holder, input);
  const after = answered.state === state.holder ? state : follow(config, state, answered, input.time);
  const { state: holder, effects } = ask(config, after.holder, input, () => ({ ...config, countsTransitions: true }));
  const told: readonly Effect[] = after === state ? [] : [{ type: 'tell', before: state, after }];
  return {
    state: holder === after.holder ? after : { ...after, holder },
    effects: [...told, ...answered.effects, ...effects],
  };
}

function follow(config: ElectionConfig, state: State, { state: holder, outcomes }: HolderStep, time: number): State {
  const { leading } = state;
  const next: State = { holder, leading, lost: hasAttemptEnded(state.holder, holder) ? undefined : state.lost };
  return outcomes.reduce<State>((after, outcome) => {
    switch (outcome.type) {
      case 'held': {
        const { transitions } = readLease(outcome.lease);
        return {
          holder,
          leading: { lease: outcome.lease, since: leading?.since ?? time, transitions },
          lost: undefined,
        };
      }
      case 'lost':
        // A contested Lease that is gone is created again, and not lost.
        if (outcome.cause.name === 'LeaseDeletedError' || leading === undefined) return after;
        return { holder, leading: undefined, lost: { cause: outcome.cause, ledSince: leading.since } };
      case 'taken': {
        if (leading === undefined) return after;
        const cause = new TakenOverError(config.lease, config.identity, outcome.holder || undefined);
        return { holder, leading: undefined, lost: { cause, ledSince: leading.since } };
      }
      case 'failed':
        return after;
      default:
        return outcome satisfies never;
    }
  }, next);
}

/** Returns true if the step from one state to the other ended an attempt. */
export function hasAttemptEnded(before: HolderState, after: HolderState): boolean {
  return before.attempt !== undefined && after.attempt === undefined;
}

/** Returns what a state says to subscribers. */
export function leadershipOf({ identity }: ElectionConfig, { holder, leading, lost }: State): Leadership {
  if (leading !== undefined) {
    const { since, transitions } = leading;
    return { type: 'leading', identity, since, transitions, error: holder.error };
  }
  const name = holder.seen?.record.holder === '' ? undefined : holder.seen?.record.holder;
  if (lost !== undefined) return { type: 'lost', holder: name, ...lost };
  return { type: 'standby', holder: name, error: holder.error };
}

/** Returns true if two leaderships say the same, so that the second need not be emitted. */
export function isSameLeadership(a: Leadership, b: Leadership): boolean {
  const fieldsOfA = Object.entries(a);
  const fieldsOfB = new Map<string, unknown>(Object.entries(b));
  return fieldsOfA.length === fieldsOfB.size && fieldsOfA.every(([name, value]) => value === fieldsOfB.get(name));
}
