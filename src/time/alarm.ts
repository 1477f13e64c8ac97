import type { SchedulerLike, Subscription } from 'rxjs';

/**
 * The longest time that one timer of an alarm waits, in milliseconds: an alarm that is late because
 * timers stood still is late by no more than this (W5).
 */
export const heartbeat = 10_000;

/**
 * One timer, set to whatever moment is the next one. A moment that moves later, as the end of a
 * silence does with each chunk of a response, costs a comparison: the running timer is kept, and
 * looks at the clock again when it fires.
 */
export class Alarm {
  #at = Infinity;
  #firesAt = Infinity;
  #timer: Subscription | undefined;

  /** @param longest the longest time that one timer waits before it looks at the clock again */
  constructor(
    private readonly ring: () => void,
    private readonly scheduler: SchedulerLike,
    private readonly longest = heartbeat,
  ) {}

  /** Sets the alarm to another moment, in milliseconds of the scheduler; `undefined` or `Infinity` stops it. */
  set(at = Infinity): void {
    if (at === this.#at) return;
    this.#at = at;
    if (at < Infinity && this.#firesAt <= at) return;
    this.#timer?.unsubscribe();
    this.#firesAt = Infinity;
    if (at < Infinity) this.#wait();
  }

  #wait(): void {
    const now = this.scheduler.now();
    const wait = Math.min(Math.max(0, this.#at - now), this.longest);
    this.#firesAt = now + wait;
    this.#timer = this.scheduler.schedule(() => {
      this.#firesAt = Infinity;
      if (this.scheduler.now() < this.#at) {
        this.#wait();
        return;
      }
      this.#at = Infinity;
      this.ring();
    }, wait);
  }
}
