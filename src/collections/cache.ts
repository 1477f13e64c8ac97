import type { SchedulerLike } from 'rxjs';
import { messageOf, isRxInformersError, type RxInformersError } from '../kubernetes/errors.js';
import { SlicedTasks } from '../scheduling/sliced-tasks.js';
import { objectsPerSlice, runSlices, type Slices } from '../scheduling/slices.js';
import { invalidEventError } from '../sources/model/errors.js';
import type { KnownObjects } from '../sources/model/source.js';
import type { WatchEvent, WatchEventBatch } from '../sources/model/watch-event.js';
import { dedupOf } from '../store/dedup.js';
import type { Delta } from '../store/delta.js';
import type { Indexers } from '../store/index-functions.js';
import { keepingOf, type Keeping } from '../store/snapshot-draft.js';
import {
  batchToDeltasInSlices,
  indexAgainInSlices,
  reduceInSlices,
  type IndexedCommit,
  type StageOptions,
} from '../store/stages.js';
import { CommitLog } from './commit-log.js';
import { type InformerError, impureFunctionError } from './errors.js';
import { changedKeysInSlices } from './listeners.js';

/** Options of a cache. */
export interface CacheOptions<T> extends StageOptions<T> {
  readonly indexers?: Indexers<T> | undefined;
}

/** An applied batch. `commit` is `undefined` if nothing in it concerns the store. */
export interface Delivery<T> {
  readonly batch: WatchEventBatch<T>;
  readonly commit: IndexedCommit<T> | undefined;
}

/** The callbacks of a cache. */
export interface CacheObserver<T> {
  /** Receives each error of a commit, after the commit was announced. */
  error(error: InformerError): void;
  /** Receives each batch after its commit was announced, unless the cache was emptied. */
  delivered?(delivery: Delivery<T>): void;
  /**
   * Receives the error of a computation. The change for which it failed was not applied, and the
   * next change is processed as usual.
   */
  failed(cause: unknown): void;
}

/**
 * Holds the state of one collection, computes commits from watch events or deltas, and is the only
 * code that changes it. A change begins when the one before is committed, so a commit replaces the
 * version from which it was computed. A long change is computed in slices, and later ones wait.
 */
export class Cache<T> implements KnownObjects<T> {
  readonly log: CommitLog<T>;
  readonly #dedup: (deltas: readonly Delta<T>[]) => readonly Delta<T>[];
  readonly #keeping: Keeping;
  readonly #tasks: SlicedTasks;
  /** Identifies the content. It is replaced by another object at each `reset`. */
  #content = {};

  constructor(
    private readonly options: CacheOptions<T>,
    private readonly observer: CacheObserver<T>,
    scheduler: SchedulerLike,
  ) {
    this.log = new CommitLog<T>(options.indexers ?? {}, scheduler);
    this.#dedup = dedupOf(options.dedup);
    this.#keeping = keepingOf(options);
    this.#tasks = new SlicedTasks(scheduler, (cause) => observer.failed(cause));
  }

  /** The number of objects, as of the latest commit. */
  get size(): number {
    return this.log.latest.size;
  }

  /** Returns the object under a key, as of the latest commit, if it came from this partition. */
  get(key: string, partition?: string): T | undefined {
    const entry = this.log.latest.entry(key);
    return entry?.partition === partition ? entry?.object : undefined;
  }

  /**
   * Applies a batch of watch events as one commit. A long list is applied in slices, most of them
   * after this method has returned. An urgent batch is always applied completely before it returns.
   */
  receive(batch: readonly WatchEvent<T>[]): void {
    this.#tasks.run(() => this.#receive(batch));
    for (const event of batch) if ('isUrgent' in event) this.#tasks.finish();
  }

  /**
   * Applies deltas as one commit, before it returns.
   *
   * @throws if a key or index function of this cache calls it; nothing is applied
   */
  apply(deltas: readonly Delta<T>[]): void {
    const isApplied = this.#tasks.runNow(() => this.#apply(deltas));
    if (!isApplied)
      throw impureFunctionError(
        'apply',
        'a key or index function wrote to its own store; write outside of the function',
      );
  }

  /** Indexes the objects under `keys` again, if an index function failed for them. */
  indexAgain(keys: readonly string[], done: (errors: readonly unknown[]) => void): void {
    this.#tasks.run(() => this.#indexAgain(keys, done));
  }

  /** Adds indexes and returns the errors of their functions. Nothing is announced (S11). */
  addIndexers(indexers: Indexers<T>): readonly InformerError[] {
    // The present computation uses the old indexes only.
    if (!this.#tasks.finish())
      throw impureFunctionError(
        'addIndexers',
        'addIndexers was called by a key or index function; call it outside of the function',
      );
    const errors: InformerError[] = [];
    this.log.addIndexers(indexers, (error) => errors.push(error));
    for (const error of errors) this.observer.error(error);
    return errors;
  }

  /** Calls `act` after all changes that were added before. */
  inTurn(act: () => void): void {
    this.#tasks.inTurn(act);
  }

  /** Empties the cache, and drops changes that wait. */
  reset(): void {
    this.#content = {};
    this.#tasks.clear();
    this.log.reset();
  }

  *#receive(batch: readonly WatchEvent<T>[]): Slices<() => void> {
    let delivery: Delivery<T>;
    try {
      delivery = yield* this.#compute(batch);
    } catch (cause) {
      delivery = yield* this.#computeAlone(batch, cause);
    }
    const { commit } = delivery;
    let keys: string[] | undefined;
    if (commit !== undefined && commit.changes.length >= objectsPerSlice) {
      keys = yield* changedKeysInSlices(commit);
      // A long list is announced in a separate slice.
      yield;
    }
    return () => {
      const content = this.#content;
      if (commit !== undefined) this.#commit(commit, keys);
      if (this.#content === content) this.observer.delivered?.(delivery);
    };
  }

  *#apply(deltas: readonly Delta<T>[]): Slices<() => void> {
    const commit = yield* reduceInSlices(this.log.latest, deltas, this.#keeping);
    return () => this.#commit(commit);
  }

  *#indexAgain(keys: readonly string[], done: (errors: readonly unknown[]) => void): Slices<() => void> {
    const commit = yield* indexAgainInSlices(this.log.latest, keys, this.#keeping);
    return () => {
      const content = this.#content;
      this.#commit(commit);
      if (this.#content === content) done(commit.errors);
    };
  }

  #commit(commit: IndexedCommit<T>, keys?: string[]): void {
    this.log.commit(commit, keys);
    // Errors are reported even if a subscriber has stopped the informer meanwhile (G4).
    for (const error of commit.errors) this.observer.error(error);
  }

  /** Computes the commit of a batch in the three stages of the pipeline. */
  *#compute(batch: WatchEventBatch<T>, isDeduplicated = true): Slices<Delivery<T>> {
    const all = yield* batchToDeltasInSlices(batch, this.options.keyOf);
    if (all.length >= objectsPerSlice) yield;
    const deltas = isDeduplicated ? this.#dedup(all) : all;
    const commit = deltas.length > 0 ? yield* reduceInSlices(this.log.latest, deltas, this.#keeping) : undefined;
    return { batch, commit };
  }

  /**
   * Computes the commit of a batch for which a stage has thrown. Never throws (G4). Stages report
   * failing objects, so this is rare. Each event is tried alone, and replaced by an error if it
   * throws.
   */
  *#computeAlone(batch: WatchEventBatch<T>, cause: unknown): Slices<Delivery<T>> {
    const sound = batch.map((event) => this.#failureOf(event) ?? event);
    try {
      // This leaves out deduplication, which only saves work, and may be the cause.
      return yield* this.#compute(sound, false);
    } catch {
      return yield* this.#compute([asEvent(undefined, cause)]);
    }
  }

  #failureOf(event: WatchEvent<T>): WatchEvent<T> | undefined {
    try {
      runSlices(this.#compute([event]));
      return undefined;
    } catch (cause) {
      return asEvent(event, cause);
    }
  }
}

/** Returns true if the cache lacks a delivered object, so that a list is needed (G4). */
export function isDivergence(error: unknown): boolean {
  return (
    isRxInformersError(error, 'RXI_KEY') ||
    isRxInformersError(error, 'RXI_KEY_COLLISION') ||
    isRxInformersError(error, 'RXI_INVALID_EVENT')
  );
}

/** Returns the error for an event, or (`undefined`) a whole batch, that could not be applied. */
export function unappliedEvent(event: unknown, cause: unknown): RxInformersError<'RXI_INVALID_EVENT'> {
  return invalidEventError(event, `it could not be applied: ${messageOf(cause)}`, { cause });
}

function asEvent<T>(event: unknown, cause: unknown): WatchEvent<T> {
  return { type: 'ERROR', error: unappliedEvent(event, cause) };
}
