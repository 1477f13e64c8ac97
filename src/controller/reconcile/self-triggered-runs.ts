import { type Subject, type MonoTypeOperatorFunction, Observable } from 'rxjs';
import { type OwnWrites } from './own-writes.js';
import type { QueueEvent } from './reconcile-event.js';
import type { Trigger } from './triggers.js';

/** The state of a key from the beginning of a run until the next run. */
interface KeyState {
  phase: 'running' | 'succeeded' | 'retried' | 'given-up';
  /**
   * Triggers during the run, kept until it ends: by then the server has responded to all of its
   * writes, so the triggers they caused can be recognised.
   */
  readonly waiting: Trigger[];
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
export interface KeyBackoff {
  /** Counts a failure of the key. Returns the wait before the next run, in milliseconds. */
  next(key: string): number;
  /** Forgets the failures of the key. */
  forget(key: string): void;
}

const noBackoff: KeyBackoff = { next: () => 0, forget: () => undefined };

/** The phase of a key after a run that has failed with this outcome. */
const phaseAfter = {
  retry: 'retried',
  terminal: 'given-up',
  'retries-exhausted': 'given-up',
  stopping: 'succeeded',
} as const;

/** Triggers kept during a run. If there are more, some must come from other writers. */
const maxWaiting = 64;

/** Free keys whose last writes are remembered, as events of these may still arrive. */
const maxFree = 1_000;

/** Runs in a row, triggered only by own writes, without a wait: steps of one piece of work. */
export const freeChain = 10;

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
    private readonly backoff: KeyBackoff = noBackoff,
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
      state.waiting.push(trigger);
      if (state.waiting.length <= maxWaiting) return [];
      state.hasNews = true;
      return state.waiting.splice(0);
    }
    return state ? this.#decide(state, trigger) : [trigger];
  }

  /** Records that a run begins or ends. Returns the triggers to queue now. */
  handled(event: QueueEvent<unknown>): readonly Trigger[] {
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
      if (this.#free.size <= maxFree) return;
      this.#forget(oldest);
    }
  }

  /** Returns the triggers that were kept, because no more will arrive. */
  flush(): readonly Trigger[] {
    return [...this.#keys.values()].flatMap(({ waiting }) => waiting.splice(0));
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
    this.#keys.set(key, { phase: 'running', waiting: [], hasNews: false, hasOwn: false, wait: 0, chain });
    if (chain === freeChain) this.runsInCircles(key);
  }

  #ended(key: string, phase: Exclude<KeyState['phase'], 'running'>): readonly Trigger[] {
    const state = this.#keys.get(key);
    if (!state) return [];
    state.phase = phase;
    if (phase === 'succeeded') this.backoff.forget(key);
    else if (this.writes.has(key)) state.wait = this.backoff.next(key);
    return state.waiting.splice(0).flatMap((trigger) => this.#decide(state, trigger));
  }

  #decide(state: KeyState, trigger: Trigger): readonly Trigger[] {
    const author = trigger.version === undefined ? 'other' : this.writes.authorOf(trigger.key, trigger.version);
    if (author === 'other') {
      state.hasNews = true;
      return [trigger];
    }
    const isOver = state.phase === 'given-up';
    if (state.phase === 'retried' || (isOver && (author === 'own' || state.hasOwn))) return [];
    state.hasOwn = true;
    const delay = isOver ? state.wait : waitInChain(state.chain + 1);
    return [delay > 0 ? { ...trigger, delay } : trigger];
  }
}

/** Emits the triggers that `own` returns, including those that it returns later. */
export function absorbOwnWrites(own: OwnTriggers, later$: Subject<Trigger>): MonoTypeOperatorFunction<Trigger> {
  return (triggers$) =>
    new Observable((subscriber) => {
      const pass = (triggers: readonly Trigger[]): void => {
        for (const trigger of triggers) subscriber.next(trigger);
      };
      subscriber.add(later$.subscribe(subscriber));
      subscriber.add(
        triggers$.subscribe({
          next: (trigger) => pass(own.take(trigger)),
          error: (error: unknown) => subscriber.error(error),
          complete: () => {
            pass(own.flush());
            subscriber.complete();
          },
        }),
      );
    });
}
