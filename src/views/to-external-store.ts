import { Subject, Subscription, type Observable, type SchedulerLike } from 'rxjs';
import { steady, checkedDuration } from '../time/clock.js';
import { ReferenceCount } from '../informer/reference-count.js';

/**
 * A value that lives outside of a view framework, as `useSyncExternalStore` of React takes it, and as Vue, Svelte, Solid and Angular are bound to
 * in a few lines.
 *
 * None of the three needs `this`.
 */
export interface ExternalStore<T> {
  /**
   * Calls `listener` after each change of the snapshot, until the function that is returned is called. What the snapshot became while
   * subscribing is not told: read it afterwards.
   */
  readonly subscribe: (listener: () => void) => () => void;
  /** The value now, the same until it changes. Throws what the stream failed with. */
  readonly getSnapshot: () => T;
  /** The value that a page is rendered with on a server, and begins with in a browser: nothing is subscribed to for it. */
  readonly getServerSnapshot: () => T;
}

/** Options of `toExternalStore` and `externalStores`. */
export interface ExternalStoreOptions {
  /**
   * How many milliseconds the stream stays subscribed after the last listener has left, or after a read that no listener follows. Default
   * 5000: long enough to go to another page and back without a relist, and for React's StrictMode, which leaves everything once. 0 leaves at
   * once, and then a read alone does not subscribe. At most 2^31 - 1.
   */
  readonly linger?: number | undefined;
  /** The clock of lingering (default `asyncScheduler`); a test gives its own. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Makes a store of a stream: its latest value, for whoever draws it.
 *
 * The stream is subscribed to by the first listener, or by the first read: what it says at once is the first snapshot, and nothing empty is
 * drawn before it. All listeners share the subscription.
 *
 * | the stream | the store |
 * | --- | --- |
 * | has said nothing yet | `initial` |
 * | emits what it emitted last (`Object.is`) | nobody is called |
 * | emits something else | the new snapshot; all listeners are called |
 * | completes | keeps its snapshot while it is used |
 * | fails | listeners are called; `getSnapshot` throws the error, for an error boundary, until all have left |
 * | is left by everybody, and has lingered | `initial` again; the next one subscribes anew |
 *
 * **Guarantees**: no tearing: the snapshot is the new one for everybody before anybody is called; it keeps its identity until the stream
 * says something else; a listener that throws does not keep others from being called (its error is reported as rxjs reports those of
 * subscribers); an unsubscribed listener is not called, by the change that is being told either; calling the returned function twice is
 * calling it once; a read calls nobody: what it causes, in other stores too, is told when it is through.
 * **Does not guarantee**: that every value is seen. Not even that values come in a sensible number: see `coalesceFrames`.
 * **Errors**: `RangeError` for a `linger` that no timer can wait.
 *
 * @param initial the snapshot while there is no value, and the one of a server
 * @example
 * const workerPods = toExternalStore(podInformer.byIndex$('node', 'worker-1').pipe(coalesceFrames()), []);
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

type State<T> = { readonly name: 'value'; readonly value: T } | { readonly name: 'failed'; readonly error: unknown };

/** Its functions hold it: whoever took them out of it keeps it, also for those that only know it weakly. */
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
            next: (value) => {
              this.#take(value);
            },
            error: (error: unknown) => {
              this.#become({ name: 'failed', error });
            },
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
    // In this order: what the stream says at once is read, not told. Leaving, the listener goes first.
    const reference = this.#references.retain();
    const listening = this.#changed.subscribe(() => {
      listener();
    });
    listening.add(reference);
    return () => {
      listening.unsubscribe();
    };
  };

  readonly getSnapshot = (): T => {
    this.#forgetFailure();
    // A reference that is let go at once keeps the stream for as long as it lingers.
    if (this.#readsLinger && !this.#references.isOpen) {
      quietly(() => {
        this.#references.retain().unsubscribe();
      });
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
    tell(this.#changed);
  }

  /** There is nothing to linger for: whoever comes when all have left tries again. */
  #forgetFailure(): void {
    if (this.#state.name === 'failed' && !this.#changed.observed) this.#references.close();
  }
}

/** Whose listeners are called when the read that is going on is through. */
let untold: Set<Subject<void>> | undefined;

/**
 * Opens something for a read, and has `tell` call no listener of any store meanwhile, but in a microtask: the read may be a component's render,
 * in which React lets nobody update another component.
 */
export function quietly(open: () => void): void {
  if (untold) {
    open();
    return;
  }
  const waiting = (untold = new Set());
  try {
    open();
  } finally {
    untold = undefined;
    if (waiting.size > 0) {
      queueMicrotask(() => {
        for (const changed of waiting) changed.next();
      });
    }
  }
}

/** Calls the listeners to a change, now or after the read that is going on. */
export function tell(changed: Subject<void>): void {
  if (!untold) changed.next();
  else if (changed.observed) untold.add(changed);
}
