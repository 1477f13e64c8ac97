import { Subscription, type Observable } from 'rxjs';
import { isConflict } from '../../requests/resource-client/errors.js';
import { wallTime } from '../../scheduling/clock.js';
import { runProtocol, type ProtocolRun } from '../../scheduling/run-protocol.js';
import { requestLease, type LeaseClient } from '../lease/lease-client.js';
import { leaseAlarm, type LeaseAnswer } from '../lease/lease-protocol.js';
import { hasPassed, maxElapsed, writtenLease, type ClockTimes } from '../lease/lease-record.js';
import { releasedLease, releaseLease, type LeaseRelease } from '../lease/release-lease.js';
import { WrittenByReplica } from '../lease/written-versions.js';
import type { ElectionLog } from './election-log.js';
import type { CheckedLeaderOptions } from './leader-options.js';
import {
  claimOf,
  initialElection,
  isSameLeadership,
  leadershipOf,
  step,
  type Effect,
  type Leadership,
  type State,
} from './leadership.js';

type CandidateEvent = LeaseAnswer | { readonly type: 'alarm' };

/** Runs a competing replica: executes the effects of `step` until it is unsubscribed. */
export class Candidate extends Subscription {
  readonly #run: ProtocolRun<State, CandidateEvent>;
  readonly #written = new WrittenByReplica();
  #request = Subscription.EMPTY;

  constructor(
    private readonly lease: LeaseClient,
    private readonly config: CheckedLeaderOptions,
    private readonly log: ElectionLog,
    private readonly publish: (leadership: Leadership) => void,
  ) {
    super();
    const { scheduler, random } = config;
    const written = this.#written;
    const stepConfig = { ...config, leave: written.leave, endIfOverdue: () => this.#endIfOverdue() };
    this.#run = runProtocol<State, CandidateEvent, Effect>({
      initial: initialElection,
      step: (state, input) =>
        step(stepConfig, state, { ...input, ...this.#now(), random: random(), written: written.versions }),
      carryOut: (effect) => this.#carryOut(effect),
      alarm: ({ holder }) => ({ at: leaseAlarm(config, holder), input: { type: 'alarm' } }),
      scheduler,
    });
    this.add(this.#run);
    this.add(() => {
      this.#request.unsubscribe();
      this.log.stopped(this.#run.state, this.#now());
    });
  }

  start(): void {
    this.log.started();
    this.publish(leadershipOf(this.config, this.#run.state));
    this.#run.feed({ type: 'alarm' });
  }

  /** Milliseconds since the last successful renewal; undefined if this replica does not lead. */
  get sinceRenewal(): number | undefined {
    const { renewed } = this.#run.state.holder;
    return renewed && maxElapsed(renewed, this.#now());
  }

  /** Releases the lease if this replica may hold it. Emits once. */
  release(): Observable<LeaseRelease> {
    const { lease, config } = this;
    return releaseLease(lease, {
      ...config,
      isDeleted: false,
      released: (wasHolder) => {
        const claim = claimOf(config, wasHolder, this.#written.versions);
        const time = wallTime(config.scheduler);
        return releasedLease(
          writtenLease(config.lease, claim, { known: wasHolder, isRenewal: true, time }) as typeof wasHolder,
          claim,
        );
      },
      retryAfter: (error, attempt) => (isConflict(error) ? conflictWaits[attempt - 1] : undefined),
    });
  }

  /** True if the lease may name this replica: also after a loss, or a write without a response. */
  get mayHold(): boolean {
    const { holder, leading } = this.#run.state;
    if (leading !== undefined || holder.seen?.record.holder === this.config.identity) return true;
    return holder.request !== undefined && holder.request.operation !== 'read';
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'tell':
        this.#follow(effect.before, effect.after);
        return;
      case 'abort':
        this.#request.unsubscribe();
        return;
      case 'slow-path':
        this.log.slowPath();
        return;
      case 'read':
      case 'create':
      case 'update':
        this.#request = requestLease(this.lease, effect).subscribe((answer) => this.#run.feed(answer));
        return;
      default:
        effect satisfies never;
    }
  }

  #follow(before: State, after: State): void {
    const isLoss = before.leading !== undefined && after.leading === undefined;
    // On a loss, notify subscribers before the loss is logged, so that their work stops first.
    if (!isLoss) this.log.follow(before, after, this.#now());
    const leadership = leadershipOf(this.config, after);
    if (!isSameLeadership(leadershipOf(this.config, before), leadership)) this.publish(leadership);
    if (isLoss) this.log.follow(before, after, this.#now());
    // A subscriber may have blocked the event loop past the renew deadline.
    if (this.#isOverdue()) this.#run.feed({ type: 'alarm' });
  }

  /**
   * Ends leadership after the renew deadline; called before work, as the timer may be late. Returns
   * false if leadership cannot end within this call.
   */
  #endIfOverdue(): boolean {
    if (this.closed || !this.#isOverdue()) return true;
    // If subscribers are being notified right now, this input is queued, and leadership ends later.
    this.#run.feed({ type: 'alarm' });
    return !this.#isOverdue();
  }

  #isOverdue(): boolean {
    const { renewed } = this.#run.state.holder;
    return renewed !== undefined && hasPassed(this.config.renewDeadline, renewed, this.#now());
  }

  #now(): ClockTimes {
    return { at: this.config.scheduler.now(), time: wallTime(this.config.scheduler) };
  }
}

/**
 * The waits before a release is retried after a conflict, as in client-go's `retry.DefaultBackoff`.
 * Conflicts occur because an aborted renewal may still have written a new version of the Lease.
 */
const conflictWaits = [10, 50, 250] as const;
