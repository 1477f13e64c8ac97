import { Observable, takeUntil, type MonoTypeOperatorFunction, type Subscription } from 'rxjs';

/**
 * Ends a source that says everything at once when `holder` has heard enough: a subscription that is still being made cannot be added to it, and
 * so not be ended by it.
 */
export function untilClosed<T>(holder: Subscription): MonoTypeOperatorFunction<T> {
  return takeUntil(
    new Observable<void>((closing) => {
      holder.add(() => {
        closing.next();
      });
    }),
  );
}
