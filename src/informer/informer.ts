import { BehaviorSubject, map, of, Subject, type Observable, type SchedulerLike, type Subscription } from 'rxjs';
import { steady, wallTime } from '../time/steady.js';
import type { KeyFunction } from '../kubernetes/key.js';
import { checkedDuration } from '../operators/checked-duration.js';
import { factsOf, type Source } from '../sources/source.js';
import type { UnexpectedSourceError } from '../sources/source-error.js';
import type { SourceStatus } from '../sources/source-status.js';
import type { WatchEvent } from '../sources/watch-event.js';
import { collapseDeletions, type IndexedCommit } from '../store/stages.js';
import type { Indexers } from '../store/indexing.js';
import { keepLatest } from '../store/keep-latest.js';
import type { Reads } from '../store/reads.js';
import { objectsPerSlice, type Slices } from '../store/slices.js';
import {
  addEventHandler,
  type EventHandler,
  type EventHandlerOptions,
  type EventHandlerRegistration,
} from './event-handlers.js';
import type { Collection } from './collection.js';
import { CommitLog } from './commit-log.js';
import { ErrorStream, SlowSubscribers } from './reports.js';
import { IndexRetries } from './index-retries.js';
import { NotRunningError, type InformerError } from './errors.js';
import { identified, informerDefaults, type InformerOptions } from './informer-options.js';
import { inOrder } from './in-order.js';
import { LogCollection } from './log-collection.js';
import { MessageTimes, type Freshness } from './message-times.js';
import {
  ObservedWrites,
  type ObservedOptions,
  type ObservesWrites,
  type WhenObservedOptions,
} from './observed-writes.js';
import { isDivergence, prepareBatch, unappliedEvent, type Preparation, type PreparedBatch } from './prepare-batch.js';
import { ReferenceCount } from './reference-count.js';
import { SlicedTasks } from './sliced-tasks.js';
import { SourceRunner } from './source-runner.js';
import { whenSynced } from './when-synced.js';

/**
 * A shared, reference-counted cache over one source, with live queries.
 *
 * It runs while it has a subscriber, a handler or a connection, and lingers for 1 s after the last.
 * Then it stops and forgets. `status$`, `errors$`, `synced$` and `observed$` only observe.
 */
export interface Informer<T, I extends string = string>
  extends Collection<T, I>, Reads<T, I>, ObservesWrites<T>, Freshness {
  /** Keeps the informer running until the subscription is closed. */
  connect(): Subscription;
  /** Stops it now, whoever is still subscribed: all streams complete, the cache is emptied. The next subscriber starts it again. */
  stop(): void;
  readonly isRunning: boolean;
  /** What the source is doing, and again whenever that changes. */
  readonly status$: Observable<SourceStatus>;
  readonly status: SourceStatus;
  /** Everything that went wrong, as it happens; nothing is kept for late subscribers. */
  readonly errors$: Observable<InformerError>;
  /** Emits after each announced commit how many milliseconds its subscribers took together. Measured only while subscribed to. */
  readonly announcementTimes$: Observable<number>;

  /** Calls a handler for the state and everything after it (I4). */
  addEventHandler(handler: EventHandler<T>, options?: EventHandlerOptions): EventHandlerRegistration;
  /**
   * Adds indexes, at any time; what is in the cache is indexed at once, nothing is announced (S11).
   * Throws `IndexerConflictError`, and adds nothing, where a name is taken. Gives the same informer, which knows the new names.
   */
  addIndexers<J extends string>(indexers: Indexers<T, J>): Informer<T, I | J>;
}

/**
 * Makes an informer over a source.
 *
 * **Guarantees**: G1–G11; one subscription to the source, however many subscribers; nothing happens before the first one.
 * **Errors**: arrive on `errors$`. Data streams never error. After an error of a key function the source is listed again, after
 * an error of an index function that function is called again, with growing waits, until it succeeds (G4). An unknown index name throws `UnknownIndexError` where it is used.
 *
 * @example
 * const podInformer = informer(listWatch(client, pods), { indexers: { node: indexByNode, app: indexByLabel('app') } });
 * podInformer.byIndex$('node', 'worker-1').subscribe((pods) => console.log(pods.length));
 */
export function informer<T, I extends string = never>(
  source: Source<T>,
  options: InformerOptions<T, I> = {},
): Informer<T, I> {
  return new SourceInformer<T, I>(source, options);
}

class SourceInformer<T, I extends string> extends LogCollection<T, I> implements Informer<T, I> {
  readonly errors$: Observable<InformerError>;
  readonly status$: Observable<SourceStatus>;
  readonly #log: CommitLog<T>;
  readonly #references: ReferenceCount;
  readonly #runner: SourceRunner<T>;
  readonly #indexRetries: IndexRetries<T>;
  readonly #errors: ErrorStream;
  readonly #status$ = new BehaviorSubject<SourceStatus>({ state: 'stopped' });
  /** Emits when a run ends. It is ahead of `status$`, which may have earlier states to deliver. */
  readonly #stopped$ = new Subject<void>();
  readonly #report = inOrder<InformerError>((error) => {
    this.#errors.next(error);
  });
  readonly #publishStatus = inOrder<SourceStatus>((status) => {
    this.#status$.next(status);
  });
  readonly #scheduler: SchedulerLike;
  readonly #preparation: Preparation<T>;
  readonly #tasks: SlicedTasks;
  readonly #writes: ObservedWrites<T>;
  #status: SourceStatus = this.#status$.value;
  readonly #messageTimes = new MessageTimes();
  /** From opening the source to closing it, restarts included: a callback may end it. `hasStatus` is true if the source reports its own status. */
  #run: { hasStatus: boolean } | undefined;

  constructor(source: Source<T>, options: InformerOptions<T, I>) {
    const scheduler = steady(options.scheduler);
    const log = new CommitLog<T>(options.indexers ?? {}, options, scheduler);
    const named = identified(options, source);
    const references = new ReferenceCount(
      { open: () => this.#open(), close: () => this.#close() },
      checkedDuration('linger', options.linger ?? informerDefaults.linger),
      scheduler,
    );
    const slow = new SlowSubscribers(named, scheduler);
    const retain = (holder?: Subscription): Subscription => references.retain(holder);
    super({ log, retain, report: (error) => this.#report(error), slow, resource: named.resource });
    this.#log = log;
    this.#references = references;
    this.#scheduler = scheduler;
    this.#tasks = new SlicedTasks(scheduler, (cause) => {
      this.#report(unappliedEvent(undefined, cause));
      if (this.isRunning) this.#runner.relist();
    });
    const keyOf = options.keyOf ?? (informerDefaults.keyOf as KeyFunction<T>);
    this.#preparation = { log, keyOf, dedup: options.dedup === 'latest' ? keepLatest : collapseDeletions };
    this.#writes = new ObservedWrites(log, keyOf, factsOf(source).selection);
    this.#errors = new ErrorStream(named, scheduler, () => references.isInUse);
    this.errors$ = this.#errors.errors$;
    this.status$ = this.#status$.asObservable();
    this.#runner = new SourceRunner(
      source,
      {
        subscribing: () => {
          this.#tasks.inTurn(() => {
            this.#setStatus({ state: 'listing', by: 'pages', received: 0 });
          });
        },
        batch: (batch) => this.#receive(batch),
        failed: (error, wait) => this.#tasks.inTurn(() => this.#sourceFailed(error, wait)),
        callbackFailed: (error) => this.#report(error),
        complete: () => this.#tasks.inTurn(() => this.#sourceCompleted()),
      },
      { backoff: options.relistBackoff, scheduler, random: options.random },
    );
    this.#indexRetries = new IndexRetries(log, this.#tasks, this.#report, options);
  }

  get isRunning(): boolean {
    return this.#references.isOpen;
  }

  get status(): SourceStatus {
    return this.#status;
  }

  get lastMessageAt(): number | undefined {
    return this.#messageTimes.stalest();
  }

  lastMessageAtOf(partition: string): number | undefined {
    return this.#messageTimes.of(partition);
  }

  connect(): Subscription {
    return this.#references.retain();
  }

  stop(): void {
    // Subscribers that come because of the stop belong to the next run, and these to the one that ends.
    const leaving = this.#log.listeners.detach();
    this.#references.close();
    for (const listener of leaving) listener.complete();
  }

  override whenSynced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.hasSynced ? Promise.resolve() : this.#whenTold(this.synced$, 'stopped-before-synced', options.signal);
  }

  observed$(object: T, options?: ObservedOptions): Observable<void> {
    return this.#writes.observed$(object, options);
  }

  async whenObserved(object: T, options: WhenObservedOptions = {}): Promise<void> {
    await this.#whenTold(this.observed$(object, options), 'stopped-before-observed', options.signal);
  }

  addEventHandler(handler: EventHandler<T>, options: EventHandlerOptions = {}): EventHandlerRegistration {
    const context = { ...this.context, report: this.#report, scheduler: this.#scheduler };
    return addEventHandler(this, handler, options, context);
  }

  addIndexers<J extends string>(indexers: Indexers<T, J>): Informer<T, I | J> {
    // What is being applied has been indexed by the old ones.
    if (!this.#tasks.finish()) throw new Error('addIndexers was called by a key or index function: call it elsewhere');
    const errors: InformerError[] = [];
    this.#log.addIndexers(indexers, (error) => errors.push(error));
    for (const error of errors) this.#report(error);
    if (this.isRunning) this.#indexRetries.add(errors);
    return this as unknown as Informer<T, I | J>;
  }

  #whenTold(told$: Observable<void>, otherwise: NotRunningError['when'], signal?: AbortSignal): Promise<void> {
    if (!this.isRunning) return Promise.reject(new NotRunningError('never-started'));
    const stopped$: Observable<unknown> = this.#status.state === 'stopped' ? of(undefined) : this.#stopped$;
    const failed$ = stopped$.pipe(map(() => new NotRunningError(otherwise)));
    return whenSynced(told$, { signal, failed$ });
  }

  #open(): void {
    this.#run = { hasStatus: false };
    this.#runner.start();
  }

  #close(): void {
    this.#run = undefined;
    this.#indexRetries.clear();
    this.#tasks.clear();
    this.#log.reset();
    this.#writes.reset();
    this.#messageTimes.reset();
    this.#stopped$.next();
    // The teardown of the source may begin the next run.
    this.#runner.stop();
    if (!this.isRunning) this.#setStatus({ state: 'stopped' });
  }

  /** A long list is applied in slices; what comes after it waits, so that everything keeps its order. */
  #receive(batch: readonly WatchEvent<T>[]): void {
    this.#messageTimes.received(batch, wallTime(this.#scheduler));
    this.#tasks.run(() => this.#take(batch));
    if ('isUrgent' in batch) this.#tasks.finish();
  }

  *#take(batch: readonly WatchEvent<T>[]): Slices<() => void> {
    const prepared = yield* prepareBatch(batch, this.#preparation);
    // Announcing a long list is a step of its own.
    if ((prepared.commit?.changes.length ?? 0) >= objectsPerSlice) yield;
    return () => {
      this.#deliver(prepared);
    };
  }

  /** Data first, then the status: a subscriber that sees `watching` finds the list in the cache. */
  #deliver(prepared: PreparedBatch<T>): void {
    const run = this.#run;
    if (prepared.commit) this.#commit(prepared, prepared.commit);
    if (run && this.#run === run) this.#writes.delivered(prepared.batch);
    for (const event of prepared.batch) {
      if (!run || this.#run !== run) return;
      if (event.type !== 'STATUS') continue;
      run.hasStatus = true;
      this.#setStatus(event.status);
    }
  }

  #commit({ hasList }: PreparedBatch<T>, commit: IndexedCommit<T>): void {
    const run = this.#run;
    const { errors, snapshot } = commit;
    this.#log.commit(commit);
    // Errors are told even where the data has made the last subscriber leave (G4).
    for (const error of errors) this.#report(error);
    if (!run || this.#run !== run) return;
    this.#indexRetries.add(errors);
    if (errors.some(isDivergence)) this.#runner.relist();
    else if (hasList) this.#runner.listSucceeded();
    // A subscriber may have stopped it when it was told that `relistBackoff` threw.
    if (this.#run === run && !run.hasStatus && this.status.state !== 'watching' && snapshot.version > 0) {
      this.#setStatus({
        state: 'watching',
        since: wallTime(this.#scheduler),
        resourceVersion: snapshot.resourceVersion,
      });
    }
  }

  #sourceFailed(cause: UnexpectedSourceError, wait: { readonly until: number; readonly attempt: number }): void {
    this.#setStatus({ state: 'backing-off', ...wait, cause });
    this.#report(cause);
  }

  /** A subscriber of `status$` may begin the next run, which is not complete. */
  #sourceCompleted(): void {
    const run = this.#run;
    this.#stopped$.next();
    this.#setStatus({ state: 'stopped' });
    if (this.#run === run) this.#log.complete();
    if (this.#run === run) this.#references.stopLingering();
  }

  #setStatus(status: SourceStatus): void {
    if (status.state === 'stopped' && this.#status.state === 'stopped') return;
    this.#status = status;
    this.#publishStatus(status);
  }
}
