import { Subject, Subscription, type Observable, type SchedulerLike } from 'rxjs';
import { steady, checkedDuration } from '../scheduling/clock.js';
import { ReferenceCount } from '../scheduling/reference-count.js';

/**
 * A value outside of a view framework, in the form that React's `useSyncExternalStore` expects.
 * Vue, Svelte, Solid and Angular can use it with a few lines.
 *
 * The functions of a store work without `this`.
 */
export interface ExternalStore<T> {
  /**
   * Calls `listener` after each change of the snapshot. Call the returned function to stop this. A
   * change during the call of `subscribe` itself is not announced, so read the snapshot afterwards.
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the current value, the same until it changes. Throws the error of the stream. */
  readonly getSnapshot: () => T;
  /** For rendering on a server, and hydration in a browser. It does not subscribe. */
  readonly getServerSnapshot: () => T;
}

/** Options of `toExternalStore` and `externalStores`. */
export interface ExternalStoreOptions {
  /**
   * How many milliseconds the stream stays subscribed after the last listener has left, or after a
   * read without a following listener. Default 5000: long enough to go to another page and back
   * without a relist, and for React's StrictMode, which unmounts everything once. With 0, the store
   * unsubscribes at once, and a read alone does not subscribe. At most 2^31 - 1.
   */
  readonly linger?: number | undefined;
  /** The clock of `linger`. Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Creates a store that holds the latest value of a stream, for `useSyncExternalStore` and similar
 * functions.
 *
 * The first listener or the first read subscribes to the stream. If the stream emits synchronously,
 * that value is the first snapshot, so no empty view is drawn before it. All listeners share the
 * subscription.
 *
 * | event | the store |
 * | --- | --- |
 * | the stream has not emitted yet | the snapshot is `initial` |
 * | the stream emits the same value again (`Object.is`) | no listener is called |
 * | the stream emits another value | this value is the new snapshot; all listeners are called |
 * | the stream completes | the store keeps its snapshot while it is used |
 * | the stream fails | listeners are called; `getSnapshot` throws the error, for an error boundary, until all listeners have left |
 * | no listener for `linger` ms | the snapshot is `initial` again; the next listener subscribes again |
 *
 * **Guarantees**: no tearing: all readers see the new snapshot before any listener is called. The
 * snapshot keeps its identity until the stream emits another value. If a listener throws, the other
 * listeners are still called, and rxjs reports the error like any error of a subscriber. A removed
 * listener is no longer called, not even for the change that is being announced. Removing a
 * listener twice has no effect. No listener is called during a read: changes that the read causes,
 * also in other stores, are announced afterwards. **Does not guarantee**: that every value is seen;
 * a limited rate of values (see `coalesceFrames`). **Errors**: `RXI_INVALID_OPTION` for a `linger`
 * that is too long for a timer.
 *
 * @param value$ the stream
 * @param initial the snapshot before the first value, and on a server
 * @param options how long the store stays subscribed without a listener, and the clock; see
 *   {@link ExternalStoreOptions}
 * @returns a store for `useSyncExternalStore`
 * @example
 * const workerPods = toExternalStore(
 *   podInformer.byIndex$('node', 'worker-1').pipe(coalesceFrames()),
 *   [],
 * );
 * const stop = workerPods.subscribe(() => console.log(workerPods.getSnapshot().length));
 * console.log(workerPods.getSnapshot().length);
 * stop();
 */
export function toExternalStore<T>(
  value$: Observable<T>,
  initial: T,
  options: ExternalStoreOptions = {},
): ExternalStore<T> {
  return new StreamStore(value$, initial, options);
}

/** Returns a store whose value never changes. It has the same value on a server. */
export function constantStore<T>(value: T): ExternalStore<T> {
  const getSnapshot = (): T => value;
  return { subscribe: () => () => undefined, getSnapshot, getServerSnapshot: getSnapshot };
}

type State<T> = { readonly name: 'value'; readonly value: T } | { readonly name: 'failed'; readonly error: unknown };

/**
 * The functions of a store refer to the store. Code that keeps one of these functions keeps the
 * store alive, so weak references to the store stay valid.
 */
class StreamStore<T> implements ExternalStore<T> {
  readonly #initial: T;
  readonly #readsLinger: boolean;
  readonly #references: ReferenceCount;
  readonly #changed = new Subject<void>();
  #state: State<T>;

  constructor(value$: Observable<T>, initial: T, { linger = 5000, scheduler }: ExternalStoreOptions) {
    let feed = Subscription.EMPTY;
    this.#initial = initial;
    this.#state = { name: 'value', value: initial };
    this.#readsLinger = linger > 0;
    this.#references = new ReferenceCount(
      {
        open: () => {
          feed = value$.subscribe({
            next: (value) => this.#take(value),
            error: (error: unknown) => this.#become({ name: 'failed', error }),
          });
        },
        close: () => {
          feed.unsubscribe();
          this.#state = { name: 'value', value: initial };
        },
      },
      checkedDuration('linger', linger),
      steady(scheduler),
    );
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#forgetFailure();
    // With this order, the listener is not called for synchronous emissions of the stream; it reads
    // them from the snapshot. On teardown, the listener is removed first.
    const reference = this.#references.retain();
    const listening = this.#changed.subscribe(() => listener());
    listening.add(reference);
    return () => listening.unsubscribe();
  };

  readonly getSnapshot = (): T => {
    this.#forgetFailure();
    // Acquires a reference and releases it at once, which keeps the stream subscribed for `linger`.
    if (this.#readsLinger && !this.#references.isOpen) {
      withoutNotifying(() => this.#references.retain().unsubscribe());
    }
    if (this.#state.name === 'failed') throw this.#state.error;
    return this.#state.value;
  };

  readonly getServerSnapshot = (): T => this.#initial;

  #take(value: T): void {
    if (this.#state.name === 'value' && Object.is(this.#state.value, value)) return;
    this.#become({ name: 'value', value });
  }

  #become(state: State<T>): void {
    this.#state = state;
    notify(this.#changed);
  }

  /** Closes a failed store once all listeners have left; the next one subscribes again. */
  #forgetFailure(): void {
    if (this.#state.name === 'failed' && !this.#changed.observed) this.#references.close();
  }
}

/** The listeners to call after the current read; `undefined` outside of a read. */
let unnotified: Set<Subject<void>> | undefined;

/**
 * Subscribes during a read. Meanwhile `notify` defers the calls of all listeners to a microtask.
 * The read may happen in the render of a component, in which React does not allow updates of other
 * components.
 */
function withoutNotifying(open: () => void): void {
  if (unnotified) {
    open();
    return;
  }
  const waiting = (unnotified = new Set());
  try {
    open();
  } finally {
    unnotified = undefined;
    if (waiting.size > 0) {
      queueMicrotask(() => {
        for (const changed of waiting) changed.next();
      });
    }
  }
}

/** Calls the listeners to a change: now, or after the current read. */
function notify(changed: Subject<void>): void {
  if (!unnotified) changed.next();
  else if (changed.observed) unnotified.add(changed);
}
