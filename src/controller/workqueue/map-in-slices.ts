import { Observable, type OperatorFunction, type SchedulerLike } from 'rxjs';
import { SlicedTasks } from '../../informer/sliced-tasks.js';
import type { Steps } from '../../store/steps.js';

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
      function* emit(value: In): Steps<() => void> {
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
