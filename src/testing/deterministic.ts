import { setImmediate as nextTurn } from 'node:timers/promises';
import { VirtualTimeScheduler } from 'rxjs';
import { millisecondsOf } from './api-server/faults/server-fault.js';

/**
 * A `VirtualTimeScheduler` whose time passes only when a test says so. `now()` returns the time, in
 * milliseconds since 1970. `virtualClock` creates one.
 */
export interface VirtualClock extends VirtualTimeScheduler {
  /** The number of timers that wait. 0 shows that nothing was left running. */
  readonly timers: number;
  /**
   * Runs everything that is due in the next `milliseconds`, in order, each at its own time. What these
   * callbacks schedule within that time runs too. The clock then stands at the end of it.
   *
   * @throws RangeError if `milliseconds` is negative or not finite
   * @throws Error after 100,000 timers at one moment, because one of them repeats itself without a wait
   * @throws what a callback throws; the clock stands at that moment, and the other timers stay
   */
  advance(milliseconds: number): void;
  /**
   * Does what `advance` does, and lets promises settle before each time at which something is due, and at
   * the end. For `async` code: a promise settles in real time, which `advance` does not wait for.
   *
   * Each of these times costs one turn of the event loop.
   */
  advanceAsync(milliseconds: number): Promise<void>;
  /**
   * Passes time without running anything, as a callback does that blocks the event loop. What was due
   * meanwhile runs afterwards, late.
   */
  block(milliseconds: number): void;
  /**
   * Runs timers until none waits. An informer that is connected always has one: use `advance` for it.
   *
   * @throws Error after 100,000 timers, because one of them repeats itself
   */
  flush(): void;
}

export interface VirtualClockOptions {
  /** The time at which the clock starts, in milliseconds since 1970. Default: 0. */
  readonly now?: number | undefined;
}

/**
 * Creates a scheduler in virtual time: hours of timeouts, backoff and resyncs take milliseconds, and a test
 * sees the same order of events in every run. Pass it wherever a `scheduler` is taken, to rxjs's operators too.
 *
 * **Guarantees**: time never goes back. Timers run in the order of their time, and those of one time in the
 * order in which they were scheduled. Nothing runs unless `advance`, `advanceAsync` or `flush` is called.
 *
 * **Does not guarantee**: that promises settle in `advance` and `flush`. Code that awaits needs `advanceAsync`.
 *
 * @example
 * const clock = virtualClock();
 * const server = createInMemoryApiServer({ scheduler: clock });
 * const cache = informer(server.client, pods);
 * cache.connect();
 * server.apply(aPod({ name: 'web-1' }));
 * clock.advance(1_000);
 * console.log(cache.list().length); // 1
 */
export function virtualClock({ now = 0 }: VirtualClockOptions = {}): VirtualClock {
  return new Clock(now);
}

/** So many timers in one `flush`, or at one moment, are one that repeats itself. */
const mostTimers = 100_000;

class Clock extends VirtualTimeScheduler implements VirtualClock {
  #isRunning = false;

  constructor(now: number) {
    super();
    this.frame = now;
  }

  get timers(): number {
    return this.actions.length;
  }

  advance(milliseconds: number): void {
    const end = this.frame + millisecondsOf('milliseconds', milliseconds);
    this.#run('advance', () => {
      for (let [ran, moment] = [0, this.frame]; this.#nextDue <= end; ran++) {
        if (this.#nextDue > moment) [ran, moment] = [0, this.#nextDue];
        if (ran === mostTimers) {
          throw new Error(`advance() ran ${mostTimers} timers at ${moment} ms: a timer repeats itself without a wait`);
        }
        this.#runNext();
      }
    });
    this.#standAt(end);
  }

  async advanceAsync(milliseconds: number): Promise<void> {
    const end = this.frame + millisecondsOf('milliseconds', milliseconds);
    await nextTurn();
    for (let due = this.#nextDue; due <= end; due = this.#nextDue) {
      this.advance(Math.max(0, due - this.frame));
      await nextTurn();
    }
    this.#standAt(end);
  }

  block(milliseconds: number): void {
    this.#standAt(this.frame + millisecondsOf('milliseconds', milliseconds));
  }

  override flush(): void {
    this.#run('flush', () => {
      for (let ran = 0; this.#nextDue <= this.maxFrames; ran++) {
        if (ran === mostTimers) {
          throw new Error(`flush() ran ${mostTimers} timers: a timer repeats itself; use advance(milliseconds)`);
        }
        this.#runNext();
      }
    });
  }

  /** The time at which the next timer is due; `NaN`, which is not before any time, if none waits. */
  get #nextDue(): number {
    return this.actions[0]?.delay ?? NaN;
  }

  /** Runs the next timer at its time, or now if that has passed. */
  #runNext(): void {
    const action = this.actions.shift();
    if (!action) return;
    this.#standAt(action.delay);
    const error = action.execute(action.state, action.delay) as Error | undefined;
    if (error) throw error;
  }

  /** Runs timers. A callback that does the same would pass the time of its own caller. */
  #run(method: string, timers: () => void): void {
    if (this.#isRunning) {
      throw new Error(`${method}() was called from a callback that runs on this clock; use block(milliseconds)`);
    }
    this.#isRunning = true;
    try {
      timers();
    } finally {
      this.#isRunning = false;
    }
  }

  #standAt(time: number): void {
    this.frame = Math.max(this.frame, time);
  }
}

/**
 * Random numbers in [0, 1) that a seed repeats (mulberry32), for every `random` option of this library.
 *
 * @example
 * const server = createInMemoryApiServer({ random: randomFromSeed(42) });
 */
export function randomFromSeed(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
