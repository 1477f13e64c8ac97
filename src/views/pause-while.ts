import {
  defer,
  distinctUntilChanged,
  fromEvent,
  map,
  type MonoTypeOperatorFunction,
  type NextObserver,
  Observable,
  of,
  startWith,
  type Subscription,
  takeUntil,
} from 'rxjs';
import { type ChangeSet } from '../store/change.js';
import { ChangeAccumulator } from '../store/merge-change-sets.js';

/**
 * Holds back values while `paused$` is true, and emits the latest value when the pause ends. So a
 * hidden tab renders nothing, and catches up with one value. See docs/how-to/fewer-emissions.md for
 * the alternatives.
 *
 * | | while not paused | while paused |
 * | --- | --- | --- |
 * | a value | passes | is kept, and replaces an earlier kept value |
 * | completion | passes | waits, and follows the kept value |
 * | an error | passes | passes at once; the kept value is dropped |
 *
 * Before the first emission of `paused$`, and after its completion, values pass. So a `paused$`
 * that completes while it is true releases the kept value.
 *
 * **Guarantees**: holds at most one value; emits one value when the pause ends, or none if no value
 * arrived; stays subscribed to the source, so a cache stays up to date. **Does not guarantee**:
 * that intermediate values are seen (for change sets, use `pauseChangesWhile`, which merges them).
 * **Errors**: the errors of the source and of `paused$`.
 *
 * @param paused$ emits true to hold values back, false to let them pass
 * @returns an operator on any values
 * @example
 * podInformer
 *   .list$()
 *   .pipe(pauseWhile(tabHidden$()), coalesceFrames())
 *   .subscribe((pods) => console.log(pods.length));
 */
export function pauseWhile<T>(paused$: Observable<boolean>): MonoTypeOperatorFunction<T> {
  return bufferWhile(paused$, () => new Latest<T>());
}

class Latest<T> implements Pending<T> {
  #pending: { readonly value: T } | undefined;

  add(value: T): void {
    this.#pending = { value };
  }

  release(to: NextObserver<T>): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) to.next(pending.value);
  }
}

/**
 * Collects change sets while `paused$` is true. When the pause ends, emits them as one set, merged
 * as the table of `mergeChangeSets` says. Otherwise it works like `pauseWhile`.
 *
 * **Guarantees**: applying the emitted sets has the same result as applying all sets; holds at most
 * one pending entry per key during a pause of any length (G11); one emission when the pause ends,
 * none if all changes cancel out. **Errors**: the errors of the source and of `paused$`.
 *
 * @param paused$ emits true to collect change sets, false to let them pass
 * @returns an operator on change sets
 * @example
 * podInformer.changes$
 *   .pipe(pauseChangesWhile(tabHidden$()))
 *   .subscribe(({ changes }) => console.log(changes.length));
 */
export function pauseChangesWhile<T>(paused$: Observable<boolean>): MonoTypeOperatorFunction<ChangeSet<T>> {
  return bufferWhile(paused$, () => new NetChanges<T>());
}

class NetChanges<T> implements Pending<ChangeSet<T>> {
  readonly #changes = new ChangeAccumulator<T>();

  add(set: ChangeSet<T>): void {
    this.#changes.add(set);
  }

  release(to: NextObserver<ChangeSet<T>>): void {
    const set = this.#changes.takeNews();
    if (set !== undefined) to.next(set);
  }
}

/** The part of a page's `document` that tells whether the page is visible. */
export interface VisibilityTarget {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
}

/**
 * Emits true if the tab is hidden, otherwise false: at once, and on each change.
 *
 * Without a document (in Node, in a worker), it emits `false` and completes.
 *
 * **Guarantees**: one listener for each subscription, which is removed on unsubscribe.
 *
 * @param document the document of the page; default: the global `document`
 * @returns a stream for {@link pauseWhile}
 * @example
 * tabHidden$().subscribe((isHidden) =>
 *   console.log(isHidden ? 'the tab is hidden' : 'the tab is visible'),
 * );
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

/** Accumulates values into one value that has the effect of all of them. */
interface Pending<T> {
  add(value: T): void;
  /** Emits the accumulated value, if it has any effect, and forgets it. */
  release(to: NextObserver<T>): void;
}

/**
 * Accumulates values while `paused$` is true, and emits the accumulated value when the pause ends.
 *
 * This function is not composed of operators, because it must subscribe to `paused$` exactly once,
 * before the source. So values that the source emits synchronously are already held back, and one
 * listener is enough for all values.
 */
function bufferWhile<T>(paused$: Observable<boolean>, empty: () => Pending<T>): MonoTypeOperatorFunction<T> {
  return (value$) =>
    new Observable((subscriber) => {
      const pending = empty();
      let isPaused = false;
      let isComplete = false;
      const settle = (): void => {
        if (isPaused) return;
        pending.release(subscriber);
        if (isComplete) subscriber.complete();
      };
      const error = (cause: unknown): void => subscriber.error(cause);
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
 * Completes a synchronous source as soon as `holder` is closed. During a synchronous `subscribe`,
 * the subscription cannot be added to `holder` yet, so closing `holder` would not stop the source.
 */
export function untilClosed<T>(holder: Subscription): MonoTypeOperatorFunction<T> {
  return takeUntil(new Observable<void>((closing) => holder.add(() => closing.next())));
}
