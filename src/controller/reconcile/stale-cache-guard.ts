import { finalize, merge, Subject, tap, type MonoTypeOperatorFunction, type SchedulerLike, Observable } from 'rxjs';
import { silently } from '../../scheduling/safely.js';
import type { KubeClient, RecordedWrite } from '../../sources/client/kube-client.js';
import { recordingClient } from '../api/recording-client.js';
import type { Logger } from '../logger.js';
import type { QueueInternals } from '../workqueue/held-keys.js';
import { safeHooksOf, type checkedOptions } from '../workqueue/workqueue-options.js';
import { HandOverGuard } from './hand-over-guard.js';
import { holdUntilObserved, type ObserveWritesContext } from './observe-writes.js';
import { OwnWrites } from './own-writes.js';
import type { QueueEvent } from './reconcile-event.js';
import type { CachedSource } from './sources.js';
import type { Trigger } from './triggers.js';
import type { UnguardedRuns } from './unguarded-runs.js';

export interface StaleCacheGuardContext {
  readonly client: KubeClient;
  readonly caches: readonly CachedSource[];
  readonly observeTimeout: number;
  readonly scheduler: SchedulerLike;
  readonly logger: Logger;
  readonly unguarded: UnguardedRuns;
  readonly queueOptions: ReturnType<typeof checkedOptions>;
  readonly observed: ObserveWritesContext['observed'];
}

/** The hooks for the queue of one subscription of a controller. */
export interface GuardedRuns extends Pick<QueueInternals, 'holdAfter' | 'heldBefore'> {
  /** Drops triggers that only report the write of a failed key. */
  readonly triggers: MonoTypeOperatorFunction<Trigger>;
  /** Observes the events of the runs. */
  readonly events: <
    Event extends QueueEvent<unknown> | { readonly type: 'refused' },
  >() => MonoTypeOperatorFunction<Event>;
}

/**
 * Prevents a controller (one `controller(…)`) from acting on a cache without the writes of its own
 * runs. Outlives its subscriptions, as the caches may.
 */
export class StaleCacheGuard {
  readonly #writes: OwnWrites;
  readonly handOver: HandOverGuard;

  constructor(private readonly context: StaleCacheGuardContext) {
    this.#writes = new OwnWrites(() => context.scheduler.now());
    this.handOver = new HandOverGuard(context);
  }

  /** Returns the client of a run. All writes through it are writes of the key. */
  clientOf(client: KubeClient, key: string): KubeClient {
    const record = (write: RecordedWrite): void => {
      this.#writes.record(key, write);
      this.handOver.record(write);
    };
    return recordingClient(client, record, (request) => {
      this.context.unguarded.unrecordable(key, request);
    });
  }

  begin(tell: ObserveWritesContext['tell']): GuardedRuns {
    const { caches, observeTimeout, scheduler, logger, queueOptions, observed, unguarded } = this.context;
    const observing = { writes: this.#writes, caches, observeTimeout, scheduler, tell, observed };
    const later$ = new Subject<Trigger>();
    const runsInCircles = (key: string): void => {
      const message =
        'each run of this key writes a change that triggers the next run, so its runs are delayed; ' +
        'write only what differs (a timestamp in a status always does)';
      logger.warn({ key, runs: freeChain }, message);
    };
    const own = new OwnTriggers(this.#writes, runsInCircles, backoffOf(queueOptions));
    return {
      triggers: (triggers$) =>
        triggers$.pipe(
          absorbOwnWrites(own, later$),
          unguarded.checkedTriggers(() => own.runningKeys),
        ),
      events: () =>
        tap((event) => {
          if (event.type === 'refused') return;
          for (const trigger of own.happened(event)) later$.next(trigger);
        }),
      heldBefore: () => this.#writes.unobservedKeys,
      holdAfter: (key) => {
        const observed$ = holdUntilObserved(key, observing);
        const reached$ = this.handOver.holdAfter(key, tell);
        const until$ = observed$ && reached$ ? merge(observed$, reached$) : (observed$ ?? reached$);
        const freed = (): void => {
          own.freed(key);
        };
        if (until$) return until$.pipe(finalize(freed));
        freed();
        return undefined;
      },
    };
  }
}

/** The state of a key from the beginning of a run until the next run. */
interface KeyState {
  phase: 'running' | 'succeeded' | 'retried' | 'given-up';
  /**
   * Triggers during the run, kept until it ends: by then the server has responded to all of its
   * writes, so the triggers they caused can be recognised.
   */
  readonly behind: Trigger[];
  /** True if the next run has a trigger that was certainly caused by another writer. */
  hasNews: boolean;
  /** True if a write of the key's last run caused a trigger, perhaps besides another writer. */
  hasOwn: boolean;
  /** The wait before the next retry, in milliseconds, if the run has failed. */
  wait: number;
  /** The number of consecutive runs, up to this one, that only own writes have triggered. */
  readonly chain: number;
}

/** The waits of failed keys. */
export interface Backoff {
  /** Counts a failure of the key. Returns the wait before the next run, in milliseconds. */
  next(key: string): number;
  /** Forgets the failures of the key. */
  forget(key: string): void;
}

const noBackoff: Backoff = { next: () => 0, forget: () => undefined };

/** Returns waits like those of the queue, which reports the errors of the rate limiter. */
function backoffOf(options: StaleCacheGuardContext['queueOptions']): Backoff {
  const limiter = safeHooksOf(options, silently).rateLimiter();
  return {
    next: (key) =>
      Math.max(
        1,
        silently('rateLimiter.when', () => limiter.when(key, options.scheduler.now()), 1_000),
      ),
    forget: (key) => {
      limiter.forget(key);
    },
  };
}

/** The phase of a key after a run that has failed with this outcome. */
const phaseAfter = {
  retry: 'retried',
  terminal: 'given-up',
  'retries-exhausted': 'given-up',
  stopping: 'succeeded',
} as const;

/** Triggers kept during a run. If there are more, some must come from other writers. */
const mostBehind = 64;

/** Free keys whose last writes are remembered, as events of these may still arrive. */
const mostFree = 1_000;

/** Runs in a row, triggered only by own writes, without a wait: steps of one piece of work. */
const freeChain = 10;

const chainWait = 100;
const longestChainWait = 10_000;

/** Returns ms before a run that only own writes triggered, after `chain` such runs in a row. */
function waitInChain(chain: number): number {
  return Math.min(longestChainWait, Math.max(0, chain - freeChain) * chainWait);
}

/**
 * Decides what to do with triggers that come from the writes of a key's own last run. A trigger is
 * dropped only if the whole step that it reports is own, or if the run that follows anyway sees it.
 *
 * | the key | a trigger by an own write | by an own write, and perhaps another writer | by another writer |
 * | --- | --- | --- | --- |
 * | is running | is kept, and decided when the run ends | is kept | is kept, too, if it is a watch event; otherwise passes |
 * | has succeeded | passes; after ten such runs in a row, with growing delays | as an own write | passes |
 * | has failed, and is retried | is dropped, so that it does not end the wait | is dropped: the retry sees the change | passes |
 * | has failed, and is given up | is dropped | passes once, after the wait of the next retry | passes |
 * | is in none of these states | passes | passes | passes |
 *
 * Memory is held for running and failed keys, and for the last 1,000 other keys with writes.
 */
export class OwnTriggers {
  readonly #keys = new Map<string, KeyState>();
  /** The keys that may run again and have written in their last run, the oldest first. */
  readonly #free = new Set<string>();

  constructor(
    private readonly writes: OwnWrites,
    /** Called when only own writes have triggered the last `freeChain` runs of a key. */
    private readonly runsInCircles: (key: string) => void = () => undefined,
    private readonly backoff: Backoff = noBackoff,
  ) {}

  /** The number of keys in memory. */
  get size(): number {
    return this.#keys.size;
  }

  get runningKeys(): readonly string[] {
    return [...this.#keys].filter(([, { phase }]) => phase === 'running').map(([key]) => key);
  }

  /** Takes a trigger. Returns the triggers to queue now. */
  take(trigger: Trigger): readonly Trigger[] {
    const state = this.#keys.get(trigger.key);
    if (state?.phase === 'running' && trigger.version !== undefined) {
      state.behind.push(trigger);
      if (state.behind.length <= mostBehind) return [];
      state.hasNews = true;
      return state.behind.splice(0);
    }
    return state ? this.#decide(state, trigger) : [trigger];
  }

  /** Records that a run begins or ends. Returns the triggers to queue now. */
  happened(event: QueueEvent<unknown>): readonly Trigger[] {
    switch (event.type) {
      case 'started':
        this.#started(event.key);
        return [];
      case 'succeeded':
        return this.#ended(event.key, 'succeeded');
      case 'failed':
        return this.#ended(event.key, phaseAfter[event.outcome]);
      case 'skipped':
        return this.#ended(event.key, 'succeeded');
      case 'emitted':
      case 'held':
      case 'released':
      case 'dropped':
      case 'hook-failed':
        return [];
      default:
        return event satisfies never;
    }
  }

  /** A key may run again: its caches have its writes, and announce them now or after this round. */
  freed(key: string): void {
    const state = this.#keys.get(key);
    if (state?.phase !== 'succeeded') return;
    if (!this.writes.has(key)) {
      this.#keys.delete(key);
      return;
    }
    this.#free.add(key);
    for (const oldest of this.#free) {
      if (this.#free.size <= mostFree) return;
      this.#forget(oldest);
    }
  }

  /** Returns the triggers that were kept, because no more will arrive. */
  flush(): readonly Trigger[] {
    return [...this.#keys.values()].flatMap(({ behind }) => behind.splice(0));
  }

  #forget(key: string): void {
    this.#free.delete(key);
    this.#keys.delete(key);
    this.writes.forget(key);
  }

  #started(key: string): void {
    this.#free.delete(key);
    const last = this.#keys.get(key);
    const isOwnDoing = last !== undefined && last.hasOwn && !last.hasNews;
    const chain = isOwnDoing && last.phase === 'succeeded' ? last.chain + 1 : 0;
    if (last?.phase === 'given-up' && !isOwnDoing) this.backoff.forget(key);
    this.writes.forget(key);
    this.#keys.set(key, { phase: 'running', behind: [], hasNews: false, hasOwn: false, wait: 0, chain });
    if (chain === freeChain) this.runsInCircles(key);
  }

  #ended(key: string, phase: Exclude<KeyState['phase'], 'running'>): readonly Trigger[] {
    const state = this.#keys.get(key);
    if (!state) return [];
    state.phase = phase;
    if (phase === 'succeeded') this.backoff.forget(key);
    else if (this.writes.has(key)) state.wait = this.backoff.next(key);
    return state.behind.splice(0).flatMap((trigger) => this.#decide(state, trigger));
  }

  #decide(state: KeyState, trigger: Trigger): readonly Trigger[] {
    const author = trigger.version === undefined ? 'other' : this.writes.authorOf(trigger.key, trigger.version);
    if (author === 'other') {
      state.hasNews = true;
      return [trigger];
    }
    const isGivenUp = state.phase === 'given-up';
    if (state.phase === 'retried' || (isGivenUp && (author === 'own' || state.hasOwn))) return [];
    state.hasOwn = true;
    const delay = isGivenUp ? state.wait : waitInChain(state.chain + 1);
    return [delay > 0 ? { ...trigger, delay } : trigger];
  }
}

/** Emits the triggers that `own` returns, including those that it returns later. */
function absorbOwnWrites(own: OwnTriggers, later$: Subject<Trigger>): MonoTypeOperatorFunction<Trigger> {
  return (triggers$) =>
    new Observable((subscriber) => {
      const pass = (triggers: readonly Trigger[]): void => {
        for (const trigger of triggers) subscriber.next(trigger);
      };
      subscriber.add(later$.subscribe(subscriber));
      subscriber.add(
        triggers$.subscribe({
          next: (trigger) => {
            pass(own.take(trigger));
          },
          error: (error: unknown) => {
            subscriber.error(error);
          },
          complete: () => {
            pass(own.flush());
            subscriber.complete();
          },
        }),
      );
    });
}
