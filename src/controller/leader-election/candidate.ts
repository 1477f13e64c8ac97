import { Subscription, timer, type Observable } from 'rxjs';
import { addDeadline, wallTime } from '../../time/clock.js';
import type { Lease } from '../../kubernetes/resources/everyday.js';
import { toLeaseError } from '../lease/lease-errors.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { CheckedLeaderOptions } from './election-config.js';
import type { ElectionJournal } from './election-journal.js';
import { initialState, type ElectionEffect, type ElectionInput, type ElectionState } from './election-state.js';
import { mostElapsed, type Moment } from '../lease/lease-record.js';
import { isSameLeadership, leadershipOf } from './leadership-of.js';
import type { Leadership } from './leadership.js';
import { step } from './step.js';

/** One replica that competes: carries out what `step` says, until it is unsubscribed. */
export class Candidate extends Subscription {
  #state: ElectionState = initialState;
  #request = Subscription.EMPTY;
  #attempt = Subscription.EMPTY;
  #isTelling = false;
  readonly #alarms = { deadline: Subscription.EMPTY, expired: Subscription.EMPTY };

  constructor(
    private readonly lease: LeaseClient,
    private readonly config: CheckedLeaderOptions,
    private readonly journal: ElectionJournal,
    private readonly tell: (leadership: Leadership) => void,
  ) {
    super();
    this.add(addDeadline(() => this.#heedDeadline()));
    this.add(() => {
      for (const timers of [this.#request, this.#attempt, ...Object.values(this.#alarms)]) timers.unsubscribe();
      this.journal.stopped(this.#state.role, this.#now());
    });
  }

  start(): void {
    this.journal.started();
    this.tell(leadershipOf(this.config, this.#state));
    if (!this.closed) this.#feed({ type: 'due', ...this.#now() });
  }

  /** What this replica leads by. */
  get leading(): Extract<ElectionState['role'], { readonly type: 'leading' }> | undefined {
    const { role } = this.#state;
    return role.type === 'leading' ? role : undefined;
  }

  /** Whether the lease may say that this replica holds it: also where leadership is in doubt, or where a write was given up half-way. */
  get mayHold(): boolean {
    const { role, activity } = this.#state;
    if (role.type === 'leading' || role.seen?.record.holder === this.config.identity) return true;
    return activity.type === 'requesting' && activity.request !== 'get';
  }

  #feed(input: ElectionInput): void {
    const before = this.#state;
    const { state, effects } = step(this.config, before, input);
    this.#state = state;
    const isLoss = before.role.type === 'leading' && state.role.type !== 'leading';
    this.#isTelling = true;
    // What must not outlive leadership ends before anything is written about its end.
    if (!isLoss) this.journal.follow(before, state, input);
    this.#tellChange(before, state);
    if (isLoss) this.journal.follow(before, state, input);
    this.#isTelling = false;
    // Whoever is told may leave. A request is the last effect, because its answer may come within the call.
    for (const effect of effects) if (!this.closed) this.#carryOut(effect);
    // A subscriber that was told may have blocked the event loop for too long.
    if (!this.closed) this.#heedDeadline();
  }

  /** Asked by all work that is about to begin, because the timer may be late. */
  #heedDeadline(): boolean {
    const { sinceRenewal } = this;
    if (sinceRenewal === undefined || sinceRenewal < this.config.renewDeadline) return true;
    // Subscribers that were not told yet that this replica leads must not be told of its end before.
    if (this.#isTelling) return false;
    this.#feed({ type: 'deadline', ...this.#now() });
    return true;
  }

  #tellChange(before: ElectionState, after: ElectionState): void {
    const leadership = leadershipOf(this.config, after);
    if (!isSameLeadership(leadershipOf(this.config, before), leadership)) this.tell(leadership);
  }

  #carryOut(effect: ElectionEffect): void {
    switch (effect.type) {
      case 'get':
        this.#ask(this.lease.get());
        return;
      case 'create':
        this.#ask(this.lease.create(effect.lease));
        return;
      case 'update':
        this.#ask(this.lease.update(effect.lease));
        return;
      case 'abort':
        this.#request.unsubscribe();
        return;
      case 'attempt-after':
        this.#attempt.unsubscribe();
        this.#attempt = this.#after(effect.wait * (1 + this.config.random() * effect.jitter), 'due');
        return;
      case 'set-alarm':
        this.#alarms[effect.alarm].unsubscribe();
        if (effect.wait !== undefined) this.#alarms[effect.alarm] = this.#after(effect.wait, effect.alarm);
        return;
      case 'slow-path':
        this.journal.slowPath();
        return;
      default:
        effect satisfies never;
    }
  }

  #ask(answer$: Observable<Lease>): void {
    // Added to nothing: a request that is answered within the call must not replace the one that follows it.
    const request = new Subscription();
    this.#request = request;
    request.add(
      answer$.subscribe({
        next: (lease) => {
          this.#feed({ type: 'answered', lease, ...this.#now() });
        },
        error: (error: unknown) => {
          this.#feed({ type: 'failed', error: toLeaseError(error), ...this.#now() });
        },
      }),
    );
  }

  #after(wait: number, type: 'due' | 'deadline' | 'expired'): Subscription {
    return timer(wait, this.config.scheduler).subscribe(() => {
      this.#feed({ type, ...this.#now() });
    });
  }

  #now(): Moment {
    return { at: this.config.scheduler.now(), time: wallTime(this.config.scheduler) };
  }

  /** How long ago the lease was renewed last, while this replica leads. */
  get sinceRenewal(): number | undefined {
    return this.leading && mostElapsed(this.leading.renewed, this.#now());
  }
}
