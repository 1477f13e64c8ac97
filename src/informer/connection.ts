import {
  BehaviorSubject,
  defer,
  map,
  of,
  Subject,
  Subscription,
  takeUntil,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { whenEmitted } from '../operators/on-abort.js';
import { UnexpectedSourceError } from '../sources/model/errors.js';
import { type SourceStatus, toBatch, type WatchEvent } from '../sources/model/watch-event.js';
import type { Source } from '../sources/model/source.js';
import { wallTime } from '../time/clock.js';
import { isDivergence, type Cache, type Delivery } from './cache.js';
import { NotRunningError, type InformerError } from './errors.js';
import { MessageTimes } from './freshness.js';
import { ReferenceCount } from './reference-count.js';
import { GrowingWaits, IndexRetries, type RetryOptions } from './retries.js';
import { inOrder } from '../operators/sliced-tasks.js';

/** Options of a connection. */
export interface ConnectionOptions extends RetryOptions {
  readonly linger: number;
}

/** What a connection calls. */
export interface ConnectionObserver {
  error(error: InformerError): void;
  /** The last reference is gone, or `close` was called. The source is still subscribed to. */
  closing(): void;
}

/**
 * The connection of a cache to its source. It is open while it has a reference and while it lingers,
 * and keeps exactly one subscription to the source.
 *
 * Data comes before the status: when `status$` emits `watching`, the list is in the cache.
 */
export class Connection<T> {
  readonly messageTimes = new MessageTimes();
  readonly status$: Observable<SourceStatus>;
  readonly #references: ReferenceCount;
  readonly #source: Subscribed<T>;
  readonly #retries: IndexRetries;
  readonly #scheduler: SchedulerLike;
  readonly #statuses = new BehaviorSubject<SourceStatus>({ state: 'stopped' });
  readonly #publish = inOrder<SourceStatus>((status) => {
    this.#statuses.next(status);
  });
  #status: SourceStatus = this.#statuses.value;
  /** Emits when a run ends. It is ahead of `status$`, which may have earlier statuses to deliver. */
  readonly #stopped = new Subject<void>();
  /** The time from opening to closing, restarts included. `hasStatus` is true if the source reports its own status. */
  #run: { hasStatus: boolean } | undefined;

  constructor(
    source: Source<T>,
    private readonly cache: Cache<T>,
    options: ConnectionOptions,
    private readonly observer: ConnectionObserver,
  ) {
    const failed = (error: UnexpectedSourceError): void => {
      observer.error(error);
    };
    this.#scheduler = options.scheduler;
    this.status$ = this.#statuses.asObservable();
    this.#references = new ReferenceCount(
      { open: () => this.#open(), close: () => this.#close() },
      options.linger,
      options.scheduler,
    );
    this.#retries = new IndexRetries((keys, done) => cache.indexAgain(keys, done), options, failed);
    this.#source = new Subscribed(source, options, {
      subscribing: () => cache.inTurn(() => this.#setStatus({ state: 'listing', by: 'pages', received: 0 })),
      batch: (batch) => {
        this.messageTimes.received(batch, wallTime(this.#scheduler));
        cache.receive(batch);
      },
      failed: (error, wait) => cache.inTurn(() => this.#sourceFailed(error, wait)),
      callbackFailed: failed,
      complete: () => cache.inTurn(() => this.#sourceCompleted()),
    });
  }

  get isOpen(): boolean {
    return this.#references.isOpen;
  }

  /** False while it lingers. */
  get isInUse(): boolean {
    return this.#references.isInUse;
  }

  get status(): SourceStatus {
    return this.#status;
  }

  /** Identifies the time from opening to closing; `undefined` while it is closed. */
  get run(): object | undefined {
    return this.#run;
  }

  /** Keeps the connection open until the returned subscription, or `holder`, is closed. */
  retain(holder?: Subscription): Subscription {
    return this.#references.retain(holder);
  }

  /** Closes the connection now, with all references to it. */
  close(): void {
    this.#references.close();
  }

  /** Lists again after a wait, because the cache lacks something that the source has (G4). */
  relist(): void {
    this.#source.restartLater();
  }

  /** Calls index functions again after a wait, for the objects of these errors. */
  retryIndexing(errors: readonly unknown[]): void {
    if (this.isOpen) this.#retries.add(errors);
  }

  /** Continues with a batch that is in the cache: decides on retries, and publishes the status. */
  delivered({ batch, commit, hasList }: Delivery<T>): void {
    const run = this.#run;
    if (run === undefined) return;
    if (commit !== undefined) {
      this.#retries.add(commit.errors);
      if (commit.errors.some(isDivergence)) this.relist();
      else if (hasList) this.#source.listSucceeded();
      // An error of `relistBackoff` may have been reported to a subscriber that stopped the informer.
      if (this.#run === run && !run.hasStatus && this.status.state !== 'watching' && commit.snapshot.version > 0) {
        const { resourceVersion } = commit.snapshot;
        this.#setStatus({ state: 'watching', since: wallTime(this.#scheduler), resourceVersion });
      }
    }
    for (const event of batch) {
      if (this.#run !== run) return;
      if (event.type !== 'STATUS') continue;
      run.hasStatus = true;
      this.#setStatus(event.status);
    }
  }

  /** Resolves when `observed$` emits; rejects with `NotRunningError` if the connection is closed, or is closed before. */
  whenEmitted(observed$: Observable<void>, otherwise: NotRunningError['when'], signal?: AbortSignal): Promise<void> {
    if (!this.isOpen) return Promise.reject(new NotRunningError('never-started'));
    const stopped$: Observable<unknown> = this.status.state === 'stopped' ? of(undefined) : this.#stopped;
    const failed$ = stopped$.pipe(map(() => new NotRunningError(otherwise)));
    return whenEmitted(observed$, { signal, failed$ });
  }

  #open(): void {
    this.#run = { hasStatus: false };
    this.#source.start();
  }

  #close(): void {
    this.#run = undefined;
    this.#retries.clear();
    this.messageTimes.reset();
    this.observer.closing();
    this.#stopped.next();
    // The teardown of the source may open the connection again.
    this.#source.stop();
    if (!this.isOpen) this.#setStatus({ state: 'stopped' });
  }

  #sourceFailed(cause: UnexpectedSourceError, wait: { readonly until: number; readonly attempt: number }): void {
    this.#setStatus({ state: 'backing-off', ...wait, cause });
    this.observer.error(cause);
  }

  /** A subscriber of `status$` may begin the next run, which is not complete. */
  #sourceCompleted(): void {
    const run = this.#run;
    this.#stopped.next();
    this.#setStatus({ state: 'stopped' });
    if (this.#run === run) this.cache.log.complete();
    if (this.#run === run) this.#references.stopLingering();
  }

  #setStatus(status: SourceStatus): void {
    if (status.state === 'stopped' && this.#status.state === 'stopped') return;
    this.#status = status;
    this.#publish(status);
  }
}

interface SubscribedObserver<T> {
  /** The source is about to be subscribed to, for the first time or again. */
  subscribing(): void;
  batch(batch: readonly WatchEvent<T>[]): void;
  /** The source has errored, which sources should not do. It is subscribed to again after a wait. */
  failed(error: UnexpectedSourceError, wait: { readonly until: number; readonly attempt: number }): void;
  /** `relistBackoff` or `random` threw; the default is used. */
  callbackFailed(error: UnexpectedSourceError): void;
  complete(): void;
}

/**
 * Keeps one subscription to a source, and replaces it when a new list is needed: a relist is a new
 * subscription, which works with any source. The old subscription stays during the wait, so the cache
 * stays current.
 */
class Subscribed<T> {
  readonly #waits: GrowingWaits;
  readonly #scheduler: SchedulerLike;
  #running: Subscription | undefined;
  #waiting: Subscription | undefined;

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
    const before = this.#running;
    const stopped$ = new Subject<void>();
    const running = new Subscription(() => {
      stopped$.next();
    });
    this.#running = running;
    before?.unsubscribe();
    if (!running.closed) this.observer.subscribing();
    // The teardown of the last subscription, or a subscriber of the status, may have stopped this one.
    if (running.closed) return;
    // Not `running.add(source.subscribe(…))`: a source that emits on subscription may make a subscriber
    // stop the informer, and has to stop emitting before `subscribe` returns.
    defer(() => this.source)
      .pipe(takeUntil(stopped$))
      .subscribe({
        next: (emitted) => {
          this.observer.batch(toBatch(emitted));
        },
        error: (cause: unknown) => {
          const error = new UnexpectedSourceError(cause);
          const wait = this.#restart();
          if (wait === undefined) this.observer.callbackFailed(error);
          else this.observer.failed(error, wait);
        },
        complete: () => {
          if (!running.closed && this.#waiting === undefined) this.observer.complete();
        },
      });
  }

  stop(): void {
    const running = this.#running;
    this.#waiting?.unsubscribe();
    this.#waiting = undefined;
    this.#running = undefined;
    this.#waits.reset();
    // Last, because the teardown of the source may call `start`.
    running?.unsubscribe();
  }

  /** Subscribes again after a wait, unless it waits already or is stopped. */
  restartLater(): void {
    if (this.#running !== undefined && this.#waiting?.closed !== false) this.#restart();
  }

  /** A whole list was stored without an error: the next wait is the shortest one. */
  listSucceeded(): void {
    this.#waits.reset();
  }

  /** Returns `undefined` if a subscriber that received the error of `relistBackoff` has stopped the informer. */
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
