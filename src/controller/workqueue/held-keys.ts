import {
  Subscription,
  timer,
  type Observable,
  type SchedulerLike,
  AsyncSubject,
  catchError,
  concat,
  EMPTY,
  ignoreElements,
} from 'rxjs';
import type { KeyHeld, KeyReleased } from './workqueue-event.js';

/** What a queue asks and shares besides its options. */
export interface QueueInternals<Key extends string = string> {
  /** What goes on of runs that have ended, of this subscription and of earlier ones. */
  readonly unsettled: UnsettledWork;
  /**
   * Asked once after each run, when its end was told and its work is over: the key is held until the
   * Observable completes or errors.
   */
  readonly holdAfter?: ((key: Key) => Observable<unknown> | undefined) | undefined;
  /** Returns the keys that an earlier subscription has left to be held: `holdAfter` is asked for them before anything runs. */
  readonly heldBefore?: (() => readonly Key[]) | undefined;
}

export interface HeldKeysDelegate<Key extends string> {
  /** The worker of the key is free, the key is not. */
  hold(key: Key): void;
  /** The key is free. */
  done(key: Key): void;
  /** Whether the key runs again when it is free. */
  isAdded(key: Key): boolean;
  tell(event: KeyHeld<Key> | KeyReleased<Key>): void;
}

/** How long work may go on after its run before `held` reports it. Work that heeds its signal settles soon. */
const grace = 10_000;

/** The keys of one queue whose runs have ended and that must not run again yet. */
export class HeldKeys<Key extends string> extends Subscription {
  readonly #waits = new Map<Key, Subscription>();
  /** Those that are held after their work was over. */
  readonly #afterWork = new Set<Key>();
  #isDraining = false;

  constructor(
    private readonly delegate: HeldKeysDelegate<Key>,
    private readonly internals: QueueInternals<Key>,
    private readonly scheduler: SchedulerLike,
  ) {
    super();
    for (const unsettled of internals.unsettled.list()) this.#untilSettled(unsettled.key as Key, unsettled);
    for (const key of internals.heldBefore?.() ?? []) if (!this.#waits.has(key)) this.#afterwards(key);
  }

  /** A run has ended: frees its key, now or when nothing holds it any more. */
  runEnded(key: Key): void {
    const unsettled = this.internals.unsettled.get(key);
    if (unsettled) this.#untilSettled(key, unsettled);
    else this.#afterwards(key);
  }

  /** The queue drains: a key whose work is over is held only if it is to run again. */
  drain(): void {
    this.#isDraining = true;
    for (const key of this.#afterWork) {
      if (!this.delegate.isAdded(key)) this.#release(key);
    }
  }

  /** Frees all keys, whatever goes on. */
  freeAll(): void {
    for (const key of this.#waits.keys()) this.#release(key);
  }

  #untilSettled(key: Key, { since, over$ }: Unsettled): void {
    const now = (): number => this.scheduler.now();
    const tell = (type: 'held' | 'released'): void => {
      this.delegate.tell({ type, key, because: 'unsettled', heldFor: now() - since });
    };
    const wait = this.#hold(key);
    let isTold = false;
    wait.add(
      timer(Math.max(0, since + grace - now()), this.scheduler).subscribe(() => {
        isTold = true;
        tell('held');
      }),
    );
    wait.add(
      over$.subscribe({
        complete: () => {
          wait.unsubscribe();
          if (isTold) tell('released');
          if (!this.closed) this.#afterwards(key);
        },
      }),
    );
  }

  #afterwards(key: Key): void {
    const isOver = this.#isDraining && !this.delegate.isAdded(key);
    const until$ = isOver ? undefined : this.internals.holdAfter?.(key);
    if (until$ === undefined) {
      this.#free(key);
      return;
    }
    const wait = this.#hold(key);
    this.#afterWork.add(key);
    const over = (): void => {
      this.#free(key);
    };
    wait.add(until$.subscribe({ error: over, complete: over }));
  }

  #hold(key: Key): Subscription {
    const wait = new Subscription();
    this.#waits.set(key, wait);
    this.add(wait);
    this.delegate.hold(key);
    return wait;
  }

  #release(key: Key): void {
    this.#waits.get(key)?.unsubscribe();
    this.#free(key);
  }

  #free(key: Key): void {
    const wait = this.#waits.get(key);
    if (wait) this.remove(wait);
    this.#waits.delete(key);
    this.#afterWork.delete(key);
    this.delegate.done(key);
  }
}

/** Work that goes on although its run has ended. */
export interface Unsettled {
  readonly key: string;
  /** When its run ended, in milliseconds of the scheduler. */
  readonly since: number;
  /** Completes when the work is over. */
  readonly over$: Observable<never>;
}

/**
 * The work that goes on although its run was timed out, aborted or unsubscribed from, by key.
 *
 * It belongs to one `workqueue(…)` and outlives its subscriptions: a promise settles when it likes.
 */
export class UnsettledWork {
  readonly #byKey = new Map<string, Unsettled>();

  constructor(private readonly scheduler: SchedulerLike) {}

  /** Keeps `key` until `over$` has completed or failed. */
  add(key: string, over$: Observable<unknown>): void {
    const known = this.#byKey.get(key);
    const over = new AsyncSubject<never>();
    const unsettled = { key, since: known?.since ?? this.scheduler.now(), over$: over };
    this.#byKey.set(key, unsettled);
    // Two subscriptions that run the same key may both leave work behind.
    concat(known?.over$ ?? EMPTY, over$)
      .pipe(
        ignoreElements(),
        catchError(() => EMPTY),
      )
      .subscribe({
        complete: () => {
          if (this.#byKey.get(key) === unsettled) this.#byKey.delete(key);
          over.complete();
        },
      });
  }

  get(key: string): Unsettled | undefined {
    return this.#byKey.get(key);
  }

  /** All that is going on now. */
  list(): readonly Unsettled[] {
    return [...this.#byKey.values()];
  }
}
