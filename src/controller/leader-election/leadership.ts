import type { RxInformersError } from '../../kubernetes/errors.js';
import type { Lease } from '../../kubernetes/resources/everyday.js';
import { type LeaseError, takenOverError } from '../lease/lease-errors.js';
import { jitterFactor } from '../lease/lease-options.js';
import {
  ask,
  initialHolder,
  step as holderStep,
  type Effect as HolderEffect,
  type Input,
  type State as HolderState,
  type Step as HolderStep,
  type AttemptEnd,
  type HolderConfig,
} from '../lease/lease-protocol.js';
import { readLease, type LeaseClaim } from '../lease/lease-record.js';
import {
  highest,
  nothingWritten,
  writtenAnnotation,
  writtenIn,
  type HandOver,
  type WrittenVersions,
} from '../lease/written-versions.js';

/** The state of a candidate: it is on standby, leads, or has just lost leadership. */
export type Leadership =
  /** This replica does not lead. It competes for the lease. */
  | {
      readonly type: 'standby';
      /**
       * The holder that was read last; undefined: none, or not read. It may be this replica itself,
       * if a write succeeded but its response was lost.
       */
      readonly holder: string | undefined;
      /** Why the last attempt failed; undefined if it succeeded. */
      readonly error: LeaseError | undefined;
    }
  /** This replica leads, and is the only one. */
  | {
      readonly type: 'leading';
      readonly identity: string;
      /** When it began: the time of day in milliseconds. Each leadership has another value. */
      readonly since: number;
      /** How often the holder changed: higher for later leaders, unless the lease was deleted. */
      readonly transitions: number;
      /** Why the last renewal failed. The replica leads on until the renew deadline. */
      readonly error: LeaseError | undefined;
      /** Passed on by {@link whileLeading} and `controller({ client })`; needs both. */
      readonly handOver?: HandOver | undefined;
    }
  /** This replica has just stopped leading. Its state changes after its next attempt. */
  | {
      readonly type: 'lost';
      readonly cause: LossCause;
      /** The holder of the lease when it was last read. */
      readonly holder: string | undefined;
      /** When the lost leadership began, as the time of day in milliseconds. */
      readonly ledSince: number;
    };

/** The state of the replica that leads. */
export type Leading = Extract<Leadership, { readonly type: 'leading' }>;

/** The lease could not be renewed in time, or no longer names this replica. */
type LossCause = RxInformersError<'RXI_RENEW_DEADLINE'> | RxInformersError<'RXI_TAKEN_OVER'>;

/** The state of one candidate: how it holds the Lease, and whether it leads. */
export interface State {
  readonly holder: HolderState;
  /** The current leadership; undefined on standby. */
  readonly leading: CurrentLeadership | undefined;
  /** Leadership that was lost, until the next attempt has ended. */
  readonly lost: { readonly cause: LossCause; readonly ledSince: number } | undefined;
}

/** The Lease by which this replica leads, and the time of day at which leadership began. */
export interface CurrentLeadership {
  readonly lease: Lease;
  readonly since: number;
  readonly transitions: number;
  readonly handOver: HandOver;
}

/** An input, and the versions that this replica leaves to the next leader. */
export type ElectionInput = Input & { readonly written?: WrittenVersions };

export type Effect = HolderEffect | { readonly type: 'tell'; readonly before: State; readonly after: State };

export interface Step {
  readonly state: State;
  /** If one of the effects is a request, it is the last effect. */
  readonly effects: readonly Effect[];
}

export const initialElection: State = { holder: initialHolder, leading: undefined, lost: undefined };

/**
 * Returns the next state of a candidate, which leads while it holds the Lease, and the effects.
 * Pure. ▲ client-go's `Run` returns when leadership is lost; this candidate competes again.
 */
export function step(config: ElectionConfig, state: State, input: ElectionInput): Step {
  const answered = holderStep(config, state.holder, input);
  const after = answered.state === state.holder ? state : follow(config, state, answered, input.time);
  const { state: holder, effects } = ask(config, after.holder, input, () =>
    claimOf(config, after.holder.known, input.written),
  );
  const published: readonly Effect[] = after === state ? [] : [{ type: 'tell', before: state, after }];
  return {
    state: holder === after.holder ? after : { ...after, holder },
    effects: [...published, ...answered.effects, ...effects],
  };
}

/** Returns what a candidate writes into the Lease. Versions that earlier leaders left are kept. */
export function claimOf(config: ElectionConfig, known: Lease | undefined, written = nothingWritten): LeaseClaim {
  const annotations = writtenAnnotation(highest(writtenIn(known), written));
  return { ...config, annotations, countsTransitions: true };
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
          leading: {
            lease: outcome.lease,
            since: leading?.since ?? time,
            transitions,
            handOver: leading?.handOver ?? handOverFrom(outcome.lease, config),
          },
          lost: undefined,
        };
      }
      case 'lost':
        // A contested Lease that was deleted is created again; leadership is not lost.
        if (outcome.cause.code === 'RXI_LEASE_DELETED' || leading === undefined) return after;
        return { holder, leading: undefined, lost: { cause: outcome.cause, ledSince: leading.since } };
      case 'taken': {
        if (leading === undefined) return after;
        const cause = takenOverError(config.lease, config.identity, outcome.holder || undefined);
        return { holder, leading: undefined, lost: { cause, ledSince: leading.since } };
      }
      case 'failed':
        return after;
      default:
        return outcome satisfies never;
    }
  }, next);
}

function handOverFrom(lease: Lease, { leave = () => undefined, endIfOverdue }: ElectionConfig): HandOver {
  const versions = writtenIn(lease);
  return { received: () => versions, leave, endIfOverdue };
}

export function hasAttemptEnded(before: HolderState, after: HolderState): boolean {
  return before.attempt !== undefined && after.attempt === undefined;
}

/** Returns the value that is emitted to subscribers for a state. */
export function leadershipOf({ identity }: ElectionConfig, { holder, leading, lost }: State): Leadership {
  if (leading !== undefined) {
    const { since, transitions, handOver } = leading;
    return { type: 'leading', identity, since, transitions, error: holder.error, handOver };
  }
  const name = holder.seen?.record.holder === '' ? undefined : holder.seen?.record.holder;
  if (lost !== undefined) return { type: 'lost', holder: name, ...lost };
  return { type: 'standby', holder: name, error: holder.error };
}

/** True if two values are equal field by field, so that the second need not be emitted. */
export function isSameLeadership(a: Leadership, b: Leadership): boolean {
  const fieldsOfA = Object.entries(a);
  const fieldsOfB = new Map<string, unknown>(Object.entries(b));
  return fieldsOfA.length === fieldsOfB.size && fieldsOfA.every(([name, value]) => value === fieldsOfB.get(name));
}

export interface ElectionConfig extends HolderConfig {
  /** Adds versions to those that this replica leaves to the next leader. */
  readonly leave?: HandOver['leave'] | undefined;
  readonly endIfOverdue?: HandOver['endIfOverdue'];
}

/** Returns the rules of an election: the replica that the Lease names as its holder leads. */
export function electionRules(identity: string, retryPeriod: number) {
  return {
    isContested: true,
    isOurs: (lease) => readLease(lease).holder === identity,
    // A candidate waits 1 to 2.2 retry periods. A leader waits 1 retry period (L2).
    nextAttemptAt: ({ result, startedAt, at, random }: AttemptEnd) => {
      if (result === 'not-held') return at + retryPeriod * (1 + random * jitterFactor);
      return result === 'renewed' ? at + retryPeriod : Math.max(at, startedAt + retryPeriod);
    },
  } satisfies Partial<HolderConfig>;
}
