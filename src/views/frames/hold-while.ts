import { Observable, type MonoTypeOperatorFunction } from 'rxjs';
import { untilClosed } from '../until-closed.js';

/** Adds values up into one that stands for all of them. */
export interface Pending<T> {
  readonly hasNews: boolean;
  add(value: T): void;
  /** What has been added up, which is then forgotten. */
  take(): T;
}

/**
 * Holds back what comes while it is paused, added up into one value, and lets it go when it is not.
 *
 * Written by hand because one subscription to `paused$` must stand before the source is subscribed to, so that what the source says at once
 * is held back already, and as long as it, so that a gate that is asked for each value does not cost a listener for each.
 */
export function holdWhile<T>(paused$: Observable<boolean>, empty: () => Pending<T>): MonoTypeOperatorFunction<T> {
  return (value$) =>
    new Observable((subscriber) => {
      const pending = empty();
      let isPaused = false;
      let isComplete = false;
      const settle = (): void => {
        if (isPaused) return;
        if (pending.hasNews) subscriber.next(pending.take());
        if (isComplete) subscriber.complete();
      };
      const error = (cause: unknown): void => {
        subscriber.error(cause);
      };
      subscriber.add(
        paused$.subscribe({
          next: (paused) => {
            isPaused = paused;
            settle();
          },
          error,
          complete: () => {
            isPaused = false;
            settle();
          },
        }),
      );
      subscriber.add(
        value$.pipe(untilClosed(subscriber)).subscribe({
          next: (value) => {
            pending.add(value);
            settle();
          },
          error,
          complete: () => {
            isComplete = true;
            settle();
          },
        }),
      );
    });
}
