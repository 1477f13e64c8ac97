import { asyncScheduler, VirtualTimeScheduler } from 'rxjs';
import { invalidOptionError } from '../kubernetes/errors.js';
import { nodeModule } from './optional-packages.js';

/**
 * A `VirtualTimeScheduler` whose time passes only when a test calls one of its methods. `now()`
 * returns the time, in milliseconds since 1970. `virtualClock` creates such a clock.
 */
export interface VirtualClock extends VirtualTimeScheduler {
  /** The number of waiting timers. 0 means that nothing was left running. */
  readonly timers: number;
  /**
   * Runs all timers that are due in the next `milliseconds`, in order, each at its own time. This
   * includes timers that are scheduled meanwhile. Afterwards, the clock shows the end of this time.
   *
   * @throws RangeError if `milliseconds` is negative or not finite
   * @throws Error after 100,000 timers at one moment, because a timer probably repeats itself
   *   without a wait
   * @throws the error of a callback; the clock stays at that moment, and the other timers remain
   */
  advance(milliseconds: number): void;
  /**
   * Like `advance`, but lets promises settle before each time at which a timer is due, and at the
   * end. Use it for `async` code, because `advance` does not wait for promises.
   *
   * Each time at which a timer is due costs one turn of the event loop.
   */
  advanceAsync(milliseconds: number): Promise<void>;
  /** Lets time pass as a blocked event loop does: timers that become due run late. */
  block(milliseconds: number): void;
  /**
   * Runs timers until none is left. A connected informer always has a timer, so use `advance` with
   * an informer.
   *
   * @throws Error after 100,000 timers, because a timer probably repeats itself forever
   */
  flush(): void;
}

/** Options of {@link virtualClock}. */
export interface VirtualClockOptions {
  /** The time at which the clock starts, in milliseconds since 1970. Default: 0. */
  readonly now?: number | undefined;
}

/**
 * Creates a scheduler in virtual time: hours of timeouts, backoff and resyncs take milliseconds,
 * and a test sees the same order of events in every run. Pass it as any option `scheduler`, and to
 * operators of rxjs.
 *
 * **Guarantees**: time never goes back. Timers run in the order of their times. Timers of the same
 * time run in the order in which they were scheduled. Nothing runs unless `advance`, `advanceAsync`
 * or `flush` is called.
 *
 * **Does not guarantee**: that promises settle in `advance` and `flush`. Code that awaits needs
 * `advanceAsync`.
 *
 * @param options the time at which the clock starts
 * @returns a scheduler, with `advance`, `advanceAsync` and `flush`
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

/** Timers in one `flush`, or at one moment, above which one is assumed to repeat itself. */
const maxTimers = 100_000;

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
        if (ran === maxTimers) {
          throw new Error(
            `advance() ran ${maxTimers} timers at ${moment} ms: a timer reschedules itself without delay`,
          );
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
        if (ran === maxTimers) {
          throw new Error(
            `flush() ran ${maxTimers} timers: a timer reschedules itself forever; use advance(milliseconds)`,
          );
        }
        this.#runNext();
      }
    });
  }

  /** When the next timer is due; `NaN`, with which each comparison is false, if there is none. */
  get #nextDue(): number {
    return this.actions[0]?.delay ?? NaN;
  }

  /** Runs the next timer at its time, or now if this time has passed. */
  #runNext(): void {
    const action = this.actions.shift();
    if (!action) return;
    this.#standAt(action.delay);
    const error = action.execute(action.state, action.delay) as Error | undefined;
    if (error) throw error;
  }

  /** Throws if it is called from a timer: the inner call would advance the outer one's time. */
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
 * Waits for one turn of the event loop, in which promises settle. In Node, it does not use global
 * timers, because a test runner may have replaced them by fake timers.
 */
async function nextTurn(): Promise<void> {
  const timers = nodeModule('timers/promises');
  if (timers !== undefined) return timers.setImmediate();
  return new Promise((resolve) => {
    asyncScheduler.schedule(() => resolve());
  });
}

/** Returns milliseconds; throws `RXI_INVALID_OPTION` if they are negative or not finite. */
export function millisecondsOf(name: string, value: number): number {
  if (value >= 0 && value < Infinity) return value;
  throw invalidOptionError(name, value, 'a finite number of at least 0 ms');
}

/**
 * Returns a generator of random numbers in [0, 1) that are determined by a seed (mulberry32). Pass
 * it as any option `random` of this library.
 *
 * @param seed any integer; the same seed repeats the same numbers
 * @returns a function like `Math.random`
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
