import { defer, Subject, Subscription, takeUntil, timer, type Observable, type SchedulerLike } from 'rxjs';
import { isDivergence, type Cache, type Delivery } from '../collections/cache.js';
import { notRunningError } from '../collections/errors.js';
import { RunStatus } from '../collections/run-status.js';
import { checkLater, development, warnOfMistake } from '../kubernetes/development.js';
import { type RxInformersError } from '../kubernetes/errors.js';
import { wallTime } from '../scheduling/clock.js';
import { ReferenceCount } from '../scheduling/reference-count.js';
import { unexpectedSourceError } from '../sources/model/errors.js';
import { batchesOf, type Source } from '../sources/model/source.js';
import type { WatchEvent } from '../sources/model/watch-event.js';
import { MessageTimes } from './freshness.js';
import type { ObservedWrites } from './observed-writes.js';
import { GrowingWaits, IndexRetries, type RetryOptions } from './retries.js';

/** The seconds after which a first list is reported as slow, in development. */
const slowListTime = 10;

/** Options of a connection. */
export interface ConnectionOptions extends RetryOptions {
  readonly linger: number;
  readonly wakeOn?: Observable<unknown> | undefined;
  /** The name of the collection in messages. */
  readonly name: string;
}

/**
 * Connects a cache to its source, by one subscription, while it has a reference or lingers. Data
 * comes before the status: when `status$` emits `watching`, the list is in the cache.
 */
export class Connection<T> {
  readonly messageTimes = new MessageTimes();
  readonly #references: ReferenceCount;
  readonly #source: Subscribed<T>;
  readonly #retries: IndexRetries;
  readonly #scheduler: SchedulerLike;
  readonly status = new RunStatus();
  /**
   * The current run, from opening to closing, including restarts; `undefined` while closed.
   * `hasStatus` is true if the source reports its own status, `hasFailed` once it has failed.
   */
  #run: { hasStatus: boolean; hasFailed: boolean } | undefined;
  #wake = Subscription.EMPTY;
  /** True once the connection was opened, also after it was closed. */
  hasStarted = false;

  constructor(
    private readonly source: Source<T>,
    private readonly cache: Cache<T>,
    private readonly writes: ObservedWrites<T>,
    private readonly options: ConnectionOptions,
    private readonly failed: (error: RxInformersError<'RXI_UNEXPECTED_SOURCE'>) => void,
  ) {
    this.#scheduler = options.scheduler;
    this.#references = new ReferenceCount(
      { open: () => this.#open(), close: () => this.#close() },
      options.linger,
      options.scheduler,
    );
    this.#retries = new IndexRetries((keys, done) => cache.indexAgain(keys, done), options, failed);
    this.#source = new Subscribed(source, options, {
      subscribing: () => cache.inTurn(() => this.status.set({ state: 'listing', by: 'pages', received: 0 })),
      batch: (batch) => {
        this.messageTimes.received(batch, wallTime(this.#scheduler));
        cache.receive(batch);
      },
      failed: (error, wait) => cache.inTurn(() => this.#sourceFailed(error, wait)),
      callbackFailed: failed,
      complete: (isOver) =>
        cache.inTurn(() => {
          if (isOver()) this.#sourceCompleted();
        }),
    });
  }

  get isOpen(): boolean {
    return this.#references.isOpen;
  }

  /** True while the connection has a reference; false while it lingers. */
  get isInUse(): boolean {
    return this.#references.isInUse;
  }

  /** Keeps the connection open until the returned subscription, or `holder`, is closed. */
  retain(holder?: Subscription): Subscription {
    return this.#references.retain(holder);
  }

  /** Closes the connection now, with all references to it. */
  close(): void {
    this.#references.close();
  }

  /** Returns when bytes last arrived, or, if the source does not know it, the last message. */
  get lastHeardAt(): number | undefined {
    if (!this.isOpen) return undefined;
    const { contact } = this.source;
    return contact === undefined ? this.messageTimes.stalest() : contact.lastHeardAt();
  }

  /** Reconnects now; with a version, lists again if the source has not reached this version. */
  recheck(version?: string): void {
    if (this.isOpen) this.#source.recheck(version);
  }

  /** Lists again after a wait, because the cache lacks an object that the source has (G4). */
  relist(): void {
    this.#source.restartLater();
  }

  /** Calls index functions again after a wait, for the objects of these errors. */
  retryIndexing(errors: readonly unknown[]): void {
    if (this.isOpen) this.#retries.add(errors);
  }

  /** Called for each applied batch. Observes writes, schedules retries, publishes the status. */
  delivered({ batch, commit }: Delivery<T>): void {
    const run = this.#run;
    this.writes.delivered(batch);
    // A subscriber may have stopped the informer.
    if (run === undefined || this.#run !== run) return;
    let hasList = false;
    for (const { type } of batch) {
      hasList ||= type === 'LISTED';
      run.hasStatus ||= type === 'STATUS';
      run.hasFailed ||= type === 'ERROR';
    }
    if (commit !== undefined) {
      if (commit.errors.length > 0) this.#retries.add(commit.errors);
      if (commit.errors.some(isDivergence)) this.relist();
      else if (hasList) this.#source.listSucceeded();
      // A subscriber may have stopped the informer at an error of `relistBackoff`.
      if (
        this.#run === run &&
        !run.hasStatus &&
        this.status.current.state !== 'watching' &&
        commit.snapshot.version > 0
      ) {
        const { resourceVersion } = commit.snapshot;
        this.status.set({ state: 'watching', since: wallTime(this.#scheduler), resourceVersion });
      }
    }
    for (const event of batch) {
      if (this.#run !== run) return;
      if (event.type === 'STATUS') this.status.set(event.status);
    }
  }

  /**
   * Resolves when `observed$` emits. Rejects with `RXI_NOT_RUNNING` if the connection is closed
   * now, or is closed before `observed$` emits.
   */
  whenEmitted(
    observed$: Observable<void>,
    otherwise: RxInformersError<'RXI_NOT_RUNNING'>['when'],
    signal?: AbortSignal,
  ): Promise<void> {
    if (!this.isOpen) return Promise.reject(notRunningError('never-started'));
    return this.status.whenEmitted(observed$, otherwise, signal, this.status.current.state === 'stopped');
  }

  #open(): void {
    const run = { hasStatus: false, hasFailed: false };
    this.#run = run;
    this.hasStarted = true;
    // The form of `isDevelopment` that a bundler can evaluate: see there.
    try {
      if (process.env.NODE_ENV !== 'production') throw development;
    } catch {
      checkLater(() => this.#run === run && !run.hasFailed && this.#explainWait(), slowListTime, false);
    }
    this.#listenToWake();
    // `wakeOn` may emit synchronously, and its subscribers may have stopped the informer.
    if (this.#run === run) this.#source.start();
  }

  /** Says why there are no objects yet. After a failure, the printed error says it. */
  #explainWait(): void {
    const { received = 0, expected } = this.status.current as { received?: number; expected?: number };
    if (this.cache.log.latest.version > 0 || this.status.current.state !== 'listing') return;
    const members = Object.entries(this.status.current.members ?? {}).filter(([, { state }]) => state === 'listing');
    const missing = members.length === 0 ? '' : ` (${members.map(([name]) => name).join(', ')})`;
    const known = expected === undefined ? '' : ` of ${expected}`;
    warnOfMistake(
      `${this.options.name}: the first list${missing} is not complete after ${slowListTime} s; ${received}${known} objects have been received. Streams emit, and whenSynced() resolves, once it is complete. status$ shows the progress.`,
    );
  }

  #listenToWake(): void {
    const { wakeOn } = this.options;
    if (wakeOn === undefined) return;
    const stopped$ = new Subject<void>();
    this.#wake = new Subscription(() => {
      stopped$.next();
    });
    defer(() => wakeOn)
      .pipe(takeUntil(stopped$))
      .subscribe({
        next: () => {
          this.recheck();
        },
        error: (cause: unknown) => {
          this.failed(unexpectedSourceError(cause, 'wakeOn failed and is no longer subscribed to'));
        },
      });
  }

  #close(): void {
    this.#run = undefined;
    this.#wake.unsubscribe();
    this.#retries.clear();
    this.messageTimes.reset();
    this.cache.reset();
    this.writes.reset();
    this.status.endRun();
    // The teardown of the source may open the connection again.
    this.#source.stop();
    if (!this.isOpen) this.status.set({ state: 'stopped' });
  }

  #sourceFailed(
    cause: RxInformersError<'RXI_UNEXPECTED_SOURCE'>,
    wait: { readonly until: number; readonly attempt: number },
  ): void {
    this.status.set({ state: 'backing-off', ...wait, cause });
    this.failed(cause);
  }

  #sourceCompleted(): void {
    const run = this.#run;
    this.status.complete(() => this.#run === run, this.cache.log, this.#references);
  }
}

interface SubscribedObserver<T> {
  /** Called before each subscription to the source. */
  subscribing(): void;
  batch(batch: readonly WatchEvent<T>[]): void;
  /** Called if the source errors, which it should not. It is subscribed to again after a wait. */
  failed(
    error: RxInformersError<'RXI_UNEXPECTED_SOURCE'>,
    wait: { readonly until: number; readonly attempt: number },
  ): void;
  /** Called if `relistBackoff` or `random` threw. The default is used instead. */
  callbackFailed(error: RxInformersError<'RXI_UNEXPECTED_SOURCE'>): void;
  /**
   * Called when the source has completed.
   *
   * @param isOver returns false if the source is subscribed to again. It must be called when all
   *   batches are applied, because any of them may require another list
   */
  complete(isOver: () => boolean): void;
}

/**
 * Keeps one subscription to a source, and replaces it for a new list, after a wait in which the old
 * one keeps the cache current. So a relist works with any source.
 */
class Subscribed<T> {
  readonly #waits: GrowingWaits;
  readonly #scheduler: SchedulerLike;
  #running: Subscription | undefined;
  #waiting: Subscription | undefined;
  /** True if the source has errored. Then there is no subscription until the end of the wait. */
  #hasFailed = false;

  constructor(
    private readonly source: Source<T>,
    options: RetryOptions,
    private readonly observer: SubscribedObserver<T>,
  ) {
    this.#scheduler = options.scheduler;
    this.#waits = new GrowingWaits(options, (error) => {
      observer.callbackFailed(error);
    });
  }

  start(): void {
    this.#waiting = undefined;
    this.#hasFailed = false;
    const before = this.#running;
    const stopped$ = new Subject<void>();
    const running = new Subscription(() => {
      stopped$.next();
    });
    this.#running = running;
    before?.unsubscribe();
    if (!running.closed) this.observer.subscribing();
    // A teardown, or a subscriber of the status, may have stopped this subscription.
    if (running.closed) return;
    // `running.add(source.subscribe(…))` would be too late for a subscriber that stops the informer
    // during `subscribe`: the source has to stop emitting before it returns.
    defer(() => batchesOf(this.source))
      .pipe(takeUntil(stopped$))
      .subscribe({
        next: (batch) => {
          this.observer.batch(batch);
        },
        error: (cause: unknown) => {
          const error = unexpectedSourceError(cause);
          this.#hasFailed = true;
          const wait = this.#restart();
          if (wait === undefined) this.observer.callbackFailed(error);
          else this.observer.failed(error, wait);
        },
        complete: () => {
          const isOver = (): boolean => !running.closed && this.#waiting === undefined;
          if (isOver()) this.observer.complete(isOver);
        },
      });
  }

  stop(): void {
    const running = this.#running;
    this.#waiting?.unsubscribe();
    this.#waiting = undefined;
    this.#running = undefined;
    this.#waits.reset();
    // Unsubscribe last, because the teardown of the source may call `start`.
    running?.unsubscribe();
  }

  /** If the source has errored, subscribes again now. Otherwise asks the source to reconnect. */
  recheck(version?: string): void {
    const waiting = this.#waiting;
    if (!this.#hasFailed || waiting === undefined) {
      this.source.contact?.recheck(version);
      return;
    }
    waiting.unsubscribe();
    this.#waits.reset();
    this.start();
  }

  /** Subscribes again after a wait. Does nothing if a wait is under way, or if it is stopped. */
  restartLater(): void {
    if (this.#running !== undefined && this.#waiting?.closed !== false) this.#restart();
  }

  /** Resets the waits, because a whole list was stored without an error. */
  listSucceeded(): void {
    this.#waits.reset();
  }

  /**
   * Schedules a new subscription. Returns `undefined` if a subscriber stopped the informer when it
   * received an error of `relistBackoff`.
   */
  #restart(): { readonly until: number; readonly attempt: number } | undefined {
    const running = this.#running;
    const { attempt, wait } = this.#waits.next();
    if (this.#running !== running) return undefined;
    this.#waiting?.unsubscribe();
    this.#waiting = timer(wait, this.#scheduler).subscribe(() => {
      this.start();
    });
    return { until: wallTime(this.#scheduler) + wait, attempt };
  }
}
