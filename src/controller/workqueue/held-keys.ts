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
import type { WorkqueueEvent } from './workqueue-event.js';

/** Internal hooks and state of a queue, in addition to its options. */
export interface QueueInternals<Key extends string = string> {
  /** The unfinished work of ended runs, of this subscription and of earlier subscriptions. */
  readonly unsettled: UnsettledWork;
  /** Called after each run and its work. The key is held until the result completes or errors. */
  readonly holdAfter?: ((key: Key) => Observable<unknown> | undefined) | undefined;
  /** Keys still held after an earlier subscription; `holdAfter` gets each before any run. */
  readonly heldBefore?: (() => readonly Key[]) | undefined;
}

export interface HeldKeysDelegate<Key extends string> {
  /** Frees the worker of the key, but not the key. */
  hold(key: Key): void;
  /** Frees the key. */
  done(key: Key): void;
  /** Returns true if the key runs again when it is free. */
  isAdded(key: Key): boolean;
  emit(event: Extract<WorkqueueEvent<never, Key, never>, { readonly because: 'unsettled' }>): void;
}

/** Milliseconds of work after its run until `held` reports it; less if it heeds its signal. */
const grace = 10_000;

/** The keys of one queue whose runs have ended and that must not run again yet. */
export class HeldKeys<Key extends string> extends Subscription {
  readonly #waits = new Map<Key, Subscription>();
  /** The keys that are held although their work has ended (`holdAfter`). */
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

  /** Frees the key of a run that ended, at once or as soon as nothing holds it. */
  runEnded(key: Key): void {
    const unsettled = this.internals.unsettled.get(key);
    if (unsettled) this.#untilSettled(key, unsettled);
    else this.#afterwards(key);
  }

  /** From now on, a key whose work has ended is held only if it was added again. */
  drain(): void {
    this.#isDraining = true;
    for (const key of this.#afterWork) {
      if (!this.delegate.isAdded(key)) this.#release(key);
    }
  }

  /** Frees all keys, even those whose work is still under way. */
  freeAll(): void {
    for (const key of this.#waits.keys()) this.#release(key);
  }

  #untilSettled(key: Key, { since, settled$ }: Unsettled): void {
    const now = (): number => this.scheduler.now();
    const emit = (type: 'held' | 'released'): void =>
      this.delegate.emit({ type, key, because: 'unsettled', heldFor: now() - since });
    const wait = this.#hold(key);
    let isEmitted = false;
    wait.add(
      timer(Math.max(0, since + grace - now()), this.scheduler).subscribe(() => {
        isEmitted = true;
        emit('held');
      }),
    );
    wait.add(
      settled$.subscribe({
        complete: () => {
          wait.unsubscribe();
          if (isEmitted) emit('released');
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
    const over = (): void => this.#free(key);
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

/** Work that continues although its run has ended. */
export interface Unsettled {
  readonly key: string;
  /** When its run ended, in milliseconds of the scheduler. */
  readonly since: number;
  /** Completes when the work is over. */
  readonly settled$: Observable<never>;
}

/**
 * Work that continues after its run was timed out, aborted or unsubscribed from, by key, of one
 * `workqueue(…)`. Outlives its subscriptions, as a promise may.
 */
export class UnsettledWork {
  readonly #byKey = new Map<string, Unsettled>();

  constructor(private readonly scheduler: SchedulerLike) {}

  /** Records unfinished work of `key`, until `settled$` has completed or errored. */
  add(key: string, settled$: Observable<unknown>): void {
    const known = this.#byKey.get(key);
    const over = new AsyncSubject<never>();
    const unsettled = { key, since: known?.since ?? this.scheduler.now(), settled$: over };
    this.#byKey.set(key, unsettled);
    // Two subscriptions that run the same key may both leave work behind.
    concat(known?.settled$ ?? EMPTY, settled$)
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

  /** Returns all unfinished work. */
  list(): readonly Unsettled[] {
    return [...this.#byKey.values()];
  }
}
