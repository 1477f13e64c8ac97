import { Observable, type OperatorFunction, type SchedulerLike, Subscription, VirtualTimeScheduler } from 'rxjs';
import { SlicedTasks, slice } from '../../operators/sliced-tasks.js';
import type { Slices } from '../../store/slices.js';

const nothing = (): void => undefined;

/**
 * Emits what `project` yields for each value, and gives the event loop its turn after some milliseconds.
 *
 * | in | out |
 * | --- | --- |
 * | a value | what `project` yields for it, except `undefined`: what fits into a slice at once, the rest in later tasks |
 * | more values meanwhile | the same, after it: the order is kept |
 * | completion, an error | the same, after what came before it |
 *
 * Unsubscribing ends it in between. `project` is advanced as its values are emitted; what it throws is an error at once.
 */
export function mapInSlices<In, Out>(
  project: (value: In) => Iterable<Out | undefined>,
  scheduler: SchedulerLike,
): OperatorFunction<In, Out> {
  return (source$) =>
    new Observable((subscriber) => {
      const fail = (error: unknown): void => {
        subscriber.error(error);
      };
      const tasks = new SlicedTasks(scheduler, fail);
      function* emit(value: In): Slices<() => void> {
        for (const item of project(value)) {
          if (item !== undefined) subscriber.next(item);
          yield;
        }
        return nothing;
      }
      subscriber.add(() => {
        tasks.clear();
      });
      subscriber.add(
        source$.subscribe({
          next: (value) => {
            tasks.run(() => emit(value));
          },
          error: (error: unknown) => {
            tasks.inTurn(() => {
              fail(error);
            });
          },
          complete: () => {
            tasks.inTurn(() => {
              subscriber.complete();
            });
          },
        }),
      );
    });
}

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
