import { Subscription, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { slice } from '../../informer/sliced-tasks.js';

/**
 * Bounds how long consecutive pieces of work keep the event loop for themselves: ask before each.
 *
 * Pieces belong together until the event loop had a turn, whether they follow each other in one
 * call or by microtasks. A piece that comes alone is never delayed. Virtual time stands still while
 * work is done, so nothing is interrupted in it.
 */
export class TimeSlices extends Subscription {
  readonly #isVirtual: boolean;
  #endsAt: number | undefined;
  #isWaiting = false;
  #turn = Subscription.EMPTY;

  /** @param resume called in a later task after `mayContinue` has returned false */
  constructor(
    private readonly scheduler: SchedulerLike,
    private readonly resume: () => void,
  ) {
    super(() => {
      this.#turn.unsubscribe();
    });
    this.#isVirtual = scheduler instanceof VirtualTimeScheduler;
  }

  /** Returns true if one more piece of work may begin now. After false, wait for `resume`. */
  mayContinue(): boolean {
    if (this.#isVirtual) return true;
    if (this.#isWaiting) return false;
    const now = this.scheduler.now();
    if (this.#endsAt === undefined) {
      this.#endsAt = now + slice;
      this.#atNextTurn(() => undefined);
      return true;
    }
    if (now < this.#endsAt) return true;
    this.pause();
    return false;
  }

  /** Waits for the next turn of the event loop: no piece may begin before `resume` is called. */
  pause(): void {
    this.#isWaiting = true;
    // Scheduled now, so that what has become due during the slice goes first.
    this.#turn.unsubscribe();
    this.#atNextTurn(this.resume);
  }

  #atNextTurn(then: () => void): void {
    this.#turn = this.scheduler.schedule(() => {
      this.#endsAt = undefined;
      this.#isWaiting = false;
      then();
    });
  }
}
