import type { SchedulerLike, Subscription } from 'rxjs';

/**
 * For how long a timer waits at most before the clock is looked at again (W5): a timer that is late
 * is late by no more than this.
 */
const heartbeat = 10_000;

/** One timer, set to whatever moment is the next one. */
export class Alarm {
  #at: number | undefined;
  #timer: Subscription | undefined;

  constructor(
    private readonly ring: () => void,
    private readonly scheduler: SchedulerLike,
  ) {}

  /** Sets the alarm to another moment, in milliseconds of the scheduler; `undefined` stops it. */
  set(at: number | undefined): void {
    if (at === this.#at) return;
    this.#timer?.unsubscribe();
    this.#at = at;
    if (at !== undefined) this.#wait(at);
  }

  #wait(at: number): void {
    const wait = Math.min(Math.max(0, at - this.scheduler.now()), heartbeat);
    this.#timer = this.scheduler.schedule(() => {
      if (this.scheduler.now() < at) {
        this.#wait(at);
        return;
      }
      this.#at = undefined;
      this.ring();
    }, wait);
  }
}
