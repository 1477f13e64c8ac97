import { Observable, type SchedulerLike, timer } from 'rxjs';
import type { UnobservedWait, UnobservedWrite } from './reconcile-event.js';

export interface HoldOptions {
  /** Milliseconds until a key may run again although a cache does not show a write. */
  readonly observeTimeout: number;
  readonly scheduler: SchedulerLike;
  readonly emit: (event: UnobservedWait) => void;
}

/** A write that one cache has to show. */
export interface AwaitedWrite {
  readonly write: UnobservedWrite;
  /** Completes when the cache shows the write. */
  readonly observed$: Observable<unknown>;
}

/** When `held` reports a key. A watch that keeps up shows a write within milliseconds. */
const grace = 10_000;

interface HoldHandlers<Wait> {
  /** Called when a write is observed, with those that are still awaited. */
  readonly observed?: (wait: Wait, left: ReadonlySet<Wait>) => void;
  /** Called when `observeTimeout` has passed, with the writes that are no longer awaited. */
  readonly gaveUp: (left: ReadonlySet<Wait>) => void;
}

/**
 * Completes when all writes are observed, or `observeTimeout` has passed. Reports a key that is
 * held for longer than `grace`, and its release.
 */
export function holdKey<Wait extends AwaitedWrite>(
  key: string,
  waits: readonly Wait[],
  { observeTimeout, scheduler, emit }: HoldOptions,
  handlers: HoldHandlers<Wait>,
): Observable<never> {
  return new Observable((subscriber) => {
    const pending = new Set(waits);
    const since = scheduler.now();
    let isReported = false;
    const report = (type: 'held' | 'released'): void => {
      isReported = true;
      const writes = Array.from(pending, ({ write }) => write);
      emit({ type, key, because: 'unobserved', heldFor: scheduler.now() - since, writes });
    };
    const release = (): void => {
      if (isReported || pending.size > 0) report('released');
      subscriber.complete();
    };

    if (grace < observeTimeout) subscriber.add(timer(grace, scheduler).subscribe(() => report('held')));
    if (observeTimeout !== Infinity) {
      const isTimeUp = timer(observeTimeout, scheduler).subscribe(() => {
        handlers.gaveUp(pending);
        release();
      });
      subscriber.add(isTimeUp);
    }
    for (const wait of waits) {
      const observed = (): void => {
        pending.delete(wait);
        handlers.observed?.(wait, pending);
        if (pending.size === 0) release();
      };
      subscriber.add(wait.observed$.subscribe({ complete: observed }));
    }
  });
}
