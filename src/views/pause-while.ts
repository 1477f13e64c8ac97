import {
  type MonoTypeOperatorFunction,
  Observable,
  defer,
  distinctUntilChanged,
  fromEvent,
  map,
  of,
  startWith,
  takeUntil,
  type Subscription,
} from 'rxjs';
import { ChangeAccumulator } from '../store/merge-change-sets.js';
import type { ChangeSet } from '../store/change.js';

/**
 * Holds back values while `paused$` is true, and emits the latest one when that ends: a hidden tab
 * draws nothing, and catches up with one value. See docs/fewer-emissions.md for the alternatives.
 *
 * | | while not paused | while paused |
 * | --- | --- | --- |
 * | a value | passes | is kept instead of the one before |
 * | completion | passes | waits, after what is kept |
 * | an error | passes | passes at once; what is kept is dropped |
 *
 * It is not paused before `paused$` has said so, and not any more when that completes: nothing is held for ever.
 *
 * **Guarantees**: holds one value; one emission when the pause ends, none if nothing came; the source stays subscribed to, so a cache keeps up.
 * **Does not guarantee**: that values between are seen (`pauseChangesWhile` adds up changes).
 * **Errors**: those of the source and of `paused$`.
 *
 * @example
 * podInformer.list$().pipe(pauseWhile(tabHidden$()), coalesceFrames()).subscribe((pods) => console.log(pods.length));
 */
export function pauseWhile<T>(paused$: Observable<boolean>): MonoTypeOperatorFunction<T> {
  return holdWhile(paused$, () => new Latest<T>());
}

class Latest<T> implements Pending<T> {
  #held: { readonly value: T } | undefined;

  get hasNews(): boolean {
    return this.#held !== undefined;
  }

  add(value: T): void {
    this.#held = { value };
  }

  take(): T {
    const { value } = this.#held as { readonly value: T };
    this.#held = undefined;
    return value;
  }
}

/**
 * Gathers change sets while `paused$` says so, and gives them as one when that ends, merged by the table of `mergeChangeSets`. Otherwise like
 * `pauseWhile`.
 *
 * **Guarantees**: applying what comes out leaves the same content as applying everything; holds at most one pending entry a key, however
 * long the pause (G11); one emission when it ends, none where everything has cancelled out.
 * **Errors**: those of the source and of `paused$`.
 *
 * @example
 * podInformer.changes$.pipe(pauseChangesWhile(tabHidden$())).subscribe(({ changes }) => console.log(changes.length));
 */
export function pauseChangesWhile<T>(paused$: Observable<boolean>): MonoTypeOperatorFunction<ChangeSet<T>> {
  return holdWhile(paused$, () => new ChangeAccumulator<T>());
}

/** As much of a page's `document` as it takes to know whether anybody sees it. */
export interface VisibilityTarget {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
}

/**
 * Whether the tab is hidden: now, and again whenever that changes.
 *
 * Where there is no document (in Node, in a worker), it says `false` and completes.
 *
 * **Guarantees**: one listener for each subscription, gone with it.
 *
 * @param document default the page's own
 * @example
 * tabHidden$().subscribe((isHidden) => console.log(isHidden ? 'nobody is looking' : 'somebody is'));
 */
export function tabHidden$(document?: VisibilityTarget): Observable<boolean> {
  return defer(() => {
    const target = document ?? (globalThis as { readonly document?: VisibilityTarget }).document;
    if (!target) return of(false);
    return fromEvent(target, 'visibilitychange').pipe(
      startWith(undefined),
      map(() => target.visibilityState === 'hidden'),
      distinctUntilChanged(),
    );
  });
}

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
