import { Observable, type OperatorFunction, type SchedulerLike, Subscription, VirtualTimeScheduler } from 'rxjs';
import { SlicedTasks, slice } from '../../scheduling/sliced-tasks.js';
import type { Slices } from '../../scheduling/slices.js';

const nothing = (): void => undefined;

/**
 * Emits the values that `project` yields for each input, and yields to the event loop after some
 * milliseconds.
 *
 * | in | out |
 * | --- | --- |
 * | a value | the values that `project` yields for it, except `undefined`: as many as fit into a slice at once, the remaining values in later tasks |
 * | a value while earlier values are still being emitted | the values that `project` yields for it, after the earlier values |
 * | completion, an error | completion or the error, after all earlier values |
 *
 * Unsubscribing stops the emission between two values. The iterable of `project` is advanced only
 * when its next value is due. If `project` throws, the result errors at once.
 */
export function mapInSlices<In, Out>(
  project: (value: In) => Iterable<Out | undefined>,
  scheduler: SchedulerLike,
): OperatorFunction<In, Out> {
  return (source$) =>
    new Observable((subscriber) => {
      const fail = (error: unknown): void => subscriber.error(error);
      const tasks = new SlicedTasks(scheduler, fail);
      function* emit(value: In): Slices<() => void> {
        for (const item of project(value)) {
          if (item !== undefined) subscriber.next(item);
          yield;
        }
        return nothing;
      }
      subscriber.add(() => tasks.clear());
      subscriber.add(
        source$.subscribe({
          next: (value) => tasks.run(() => emit(value)),
          error: (error: unknown) => tasks.inTurn(() => fail(error)),
          complete: () => tasks.inTurn(() => subscriber.complete()),
        }),
      );
    });
}

/**
 * Limits how long pieces of work occupy the event loop: call `mayContinue` before each. All pieces
 * before the next turn share a slice, in one call or in microtasks. A single piece is never
 * delayed. In virtual time nothing is interrupted: time stands still during work.
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
    super(() => this.#turn.unsubscribe());
    this.#isVirtual = scheduler instanceof VirtualTimeScheduler;
  }

  /** Returns true if more work may begin now; otherwise wait for `resume`. */
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
    // Schedule this now, so that timers that became due during the slice run first.
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
