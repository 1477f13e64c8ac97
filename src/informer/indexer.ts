import { BehaviorSubject, type Observable, type SchedulerLike } from 'rxjs';
import { steady, wallTime } from '../time/clock.js';
import type { KeyFunction } from '../kubernetes/object.js';
import type { SourceStatus } from '../sources/model/watch-event.js';
import type { Delta, KeyedObject } from '../store/delta.js';
import type { Indexers } from '../store/index-functions.js';
import type { Reads } from '../store/snapshot.js';
import type { KeepOptions } from '../store/indexed-snapshot.js';
import { keyOrError } from '../store/stages.js';
import {
  addEventHandler,
  type EventHandler,
  type EventHandlerOptions,
  type EventHandlerRegistration,
} from './event-handlers.js';
import type { Collection, CollectionOptions } from './collection.js';
import { Cache } from './cache.js';
import { ErrorStream, type ReportOptions, SlowSubscribers, type SlowSubscriberOptions } from './reports.js';
import type { InformerError } from './errors.js';
import { LogCollection } from './log-collection.js';
import { whenEmitted } from '../operators/on-abort.js';

/**
 * The indexed store fed by hand: client-go's Indexer, and a Collection like any informer.
 *
 * Each call is one commit. The first one makes it synced (Q1); `replace([])` is enough.
 */
export interface Indexer<T, I extends string = string> extends Collection<T, I>, Reads<T, I> {
  /** Adds or updates, the same thing (S1). Throws `KeyError` where the object has no key. */
  add(object: T): void;
  update(object: T): void;
  /** Removes by object or by key; what is not there is no error (S1). */
  delete(objectOrKey: T | string): void;
  /**
   * Replaces everything in one commit; of two objects with one key the last counts (S2).
   * Throws `KeyError` where one object has no key, and keeps the old content.
   */
  replace(objects: readonly T[], resourceVersion?: string): void;
  /** Announces every object again, as an update from itself to itself (D4). */
  resync(): void;
  /** Any number of deltas as one commit (client-go's Transaction). */
  apply(deltas: readonly Delta<T>[]): void;

  addEventHandler(handler: EventHandler<T>, options?: EventHandlerOptions<T>): EventHandlerRegistration;
  /** S11: throws `IndexerConflictError`, and adds nothing, where a name is taken. Gives the same indexer, which knows the new names. */
  addIndexers<J extends string>(indexers: Indexers<T, J>): Indexer<T, I | J>;
}

/** Options of `createIndexer`. */
export interface IndexerOptions extends CollectionOptions, KeepOptions, ReportOptions, SlowSubscriberOptions {
  /** The clock of resyncs (default `asyncScheduler`). */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Makes an empty indexed store that is fed by hand.
 *
 * **Guarantees**: G1–G3 and G10, as for an informer; a call has taken effect on all reads when it returns.
 * **Errors**: `KeyError` is thrown at the caller; errors of index functions arrive on `errors$` (▲ S7).
 *
 * @example
 * const services = createIndexer((service: { name: string; team: string }) => service.name, { team: (service) => service.team });
 * services.add({ name: 'login', team: 'red' });
 * services.byIndex$('team', 'red').subscribe((red) => console.log(red.length));
 */
export function createIndexer<T, I extends string = never>(
  keyOf: KeyFunction<T>,
  indexers: Indexers<T, I> = {} as Indexers<T, I>,
  options: IndexerOptions = {},
): Indexer<T, I> {
  return new HandFedIndexer<T, I>(keyOf, indexers, options);
}

/** A cache without a connection: the caller feeds it. */
class HandFedIndexer<T, I extends string> extends LogCollection<T, I> implements Indexer<T, I> {
  readonly errors$: Observable<InformerError>;
  readonly status: SourceStatus;
  readonly status$: Observable<SourceStatus>;
  readonly isRunning = true;
  readonly #cache: Cache<T>;
  readonly #report: (error: InformerError) => void;
  readonly #scheduler: SchedulerLike;

  constructor(
    private readonly keyOf: KeyFunction<T>,
    indexers: Indexers<T, I>,
    options: IndexerOptions,
  ) {
    const scheduler = steady(options.scheduler);
    const named = { ...options, name: options.name ?? 'indexer' };
    const { errors$, report } = new ErrorStream(named, scheduler);
    const cache = new Cache<T>({ ...options, keyOf, indexers }, { error: report, failed: rethrow }, scheduler);
    const slow = new SlowSubscribers(named, scheduler);
    super({ resource: options.resource, name: named.name, log: cache.log, retain: () => undefined, report, slow });
    this.#cache = cache;
    this.#scheduler = scheduler;
    this.#report = report;
    this.errors$ = errors$;
    this.status = { state: 'watching', since: wallTime(scheduler), resourceVersion: '' };
    this.status$ = new BehaviorSubject(this.status).asObservable();
  }

  override whenSynced(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return whenEmitted(this.synced$, options);
  }

  add(object: T): void {
    this.apply([{ type: 'Added', ...this.#keyed(object) }]);
  }

  update(object: T): void {
    this.apply([{ type: 'Updated', ...this.#keyed(object) }]);
  }

  delete(objectOrKey: T | string): void {
    const { key, object } =
      typeof objectOrKey === 'string' ? { key: objectOrKey, object: undefined } : this.#keyed(objectOrKey);
    this.apply([{ type: 'Deleted', key, object, finalStateUnknown: object === undefined }]);
  }

  replace(objects: readonly T[], resourceVersion = ''): void {
    this.apply([{ type: 'ReplacedAll', items: objects.map((object) => this.#keyed(object)), resourceVersion }]);
  }

  resync(): void {
    this.apply(this.keys().map((key) => ({ type: 'Sync', key })));
  }

  apply(deltas: readonly Delta<T>[]): void {
    this.#cache.apply(deltas);
  }

  addEventHandler(handler: EventHandler<T>, options: EventHandlerOptions<T> = {}): EventHandlerRegistration {
    const context = { ...this.context, report: this.#report, scheduler: this.#scheduler };
    return addEventHandler(this, handler, options, context);
  }

  addIndexers<J extends string>(indexers: Indexers<T, J>): Indexer<T, I | J> {
    this.#cache.addIndexers(indexers);
    return this as unknown as Indexer<T, I | J>;
  }

  #keyed(object: T): KeyedObject<T> {
    const key = keyOrError(object, undefined, this.keyOf);
    if (typeof key === 'string') return { key, object };
    throw key;
  }
}

function rethrow(error: unknown): never {
  throw error;
}
