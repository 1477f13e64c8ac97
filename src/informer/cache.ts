import type { SchedulerLike } from 'rxjs';
import { messageOf } from '../kubernetes/errors.js';
import { InvalidEventError } from '../sources/model/errors.js';
import type { WatchEvent, WatchEventBatch } from '../sources/model/watch-event.js';
import type { Delta } from '../store/delta.js';
import { KeyCollisionError, KeyError } from '../store/errors.js';
import type { Indexers } from '../store/index-functions.js';
import { objectsPerSlice, runSlices, type Slices } from '../store/slices.js';
import { indexAgainInSlices, stages, type IndexedCommit, type StageOptions, type Stages } from '../store/stages.js';
import { CommitLog } from './commit-log.js';
import type { InformerError } from './errors.js';
import { SlicedTasks } from '../operators/sliced-tasks.js';

/** Options of a cache. */
export interface CacheOptions<T> extends StageOptions<T> {
  readonly indexers?: Indexers<T> | undefined;
}

/** A batch in the cache; `commit` is `undefined` if nothing in the batch concerns the store. */
export interface Delivery<T> {
  readonly batch: WatchEventBatch<T>;
  readonly commit: IndexedCommit<T> | undefined;
  readonly hasList: boolean;
}

/** What a cache calls. */
export interface CacheObserver<T> {
  /** Receives each error of a commit, after the commit was announced. */
  error(error: InformerError): void;
  /** Receives each batch, after its commit was announced, unless the cache was emptied meanwhile. */
  delivered?(delivery: Delivery<T>): void;
  /** Receives what a computation threw; its change was not applied, and the next one goes on. */
  failed(cause: unknown): void;
}

/**
 * The state of one collection: watch events or deltas in, commits out.
 *
 * The state changes only here, and one change is computed and committed before the next one begins,
 * so a commit always replaces the version from which it was computed. A change that takes long is
 * computed in slices while later ones wait.
 */
export class Cache<T> {
  readonly log: CommitLog<T>;
  readonly #stages: Stages<T>;
  readonly #tasks: SlicedTasks;
  /** Another object after each `reset`. */
  #content = {};

  constructor(
    private readonly options: CacheOptions<T>,
    private readonly observer: CacheObserver<T>,
    scheduler: SchedulerLike,
  ) {
    this.log = new CommitLog<T>(options.indexers ?? {}, scheduler);
    this.#stages = stages<T>(options);
    this.#tasks = new SlicedTasks(scheduler, (cause) => {
      observer.failed(cause);
    });
  }

  /** Applies a batch of watch events as one commit. An urgent batch is applied before this returns, a long list in slices. */
  receive(batch: readonly WatchEvent<T>[]): void {
    this.#tasks.run(() => this.#receive(batch));
    if ('isUrgent' in batch) this.#tasks.finish();
  }

  /**
   * Applies deltas as one commit before it returns.
   *
   * @throws if a key or index function of this cache calls it; nothing is applied
   */
  apply(deltas: readonly Delta<T>[]): void {
    const isApplied = this.#tasks.runNow(() => this.#apply(deltas));
    if (!isApplied) throw new Error('an index function wrote to the store that it indexes; write elsewhere');
  }

  /** Calls the index functions again for those of `keys` for which one failed. */
  indexAgain(keys: readonly string[], done: (errors: readonly unknown[]) => void): void {
    this.#tasks.run(() => this.#indexAgain(keys, done));
  }

  /** Adds indexes and returns the errors of their functions. Nothing is announced (S11). */
  addIndexers(indexers: Indexers<T>): readonly InformerError[] {
    // What is being computed knows the old indexes only.
    if (!this.#tasks.finish()) throw new Error('addIndexers was called by a key or index function: call it elsewhere');
    const errors: InformerError[] = [];
    this.log.addIndexers(indexers, (error) => errors.push(error));
    for (const error of errors) this.observer.error(error);
    return errors;
  }

  /** Calls `act` after all changes that came before. */
  inTurn(act: () => void): void {
    this.#tasks.inTurn(act);
  }

  /** Empties the cache; changes that wait are dropped. */
  reset(): void {
    this.#content = {};
    this.#tasks.clear();
    this.log.reset();
  }

  *#receive(batch: readonly WatchEvent<T>[]): Slices<() => void> {
    const delivery = yield* this.#computeIsolated(batch);
    const { commit } = delivery;
    // Announcing a long list is a slice of its own.
    if (commit !== undefined && commit.changes.length >= objectsPerSlice) yield;
    return () => {
      const content = this.#content;
      if (commit !== undefined) this.#commit(commit);
      if (this.#content === content) this.observer.delivered?.(delivery);
    };
  }

  *#apply(deltas: readonly Delta<T>[]): Slices<() => void> {
    const commit = yield* this.#stages.reduce(this.log.latest, deltas);
    return () => {
      this.#commit(commit);
    };
  }

  *#indexAgain(keys: readonly string[], done: (errors: readonly unknown[]) => void): Slices<() => void> {
    const commit = yield* indexAgainInSlices(this.log.latest, keys, this.options);
    return () => {
      const content = this.#content;
      this.#commit(commit);
      if (this.#content === content) done(commit.errors);
    };
  }

  #commit(commit: IndexedCommit<T>): void {
    this.log.commit(commit);
    // Also if a subscriber has stopped the informer meanwhile (G4).
    for (const error of commit.errors) this.observer.error(error);
  }

  /** The pipeline: takes a batch through all three stages. */
  *#compute(batch: WatchEventBatch<T>, isDeduplicated = true): Slices<Delivery<T>> {
    const { toDeltas, dedup, reduce } = this.#stages;
    const all = yield* toDeltas(batch);
    const deltas = isDeduplicated ? yield* dedup(all) : all;
    const commit = deltas.length > 0 ? yield* reduce(this.log.latest, deltas) : undefined;
    return { batch, commit, hasList: deltas.some(({ type }) => type === 'ReplacedAll') };
  }

  /**
   * Computes the commit of a batch. Never throws (G4): the stages report an object that fails and go
   * on; if one throws all the same, each event is tried alone, and those that throw are replaced by
   * an error.
   */
  *#computeIsolated(batch: WatchEventBatch<T>): Slices<Delivery<T>> {
    try {
      return yield* this.#compute(batch);
    } catch (cause) {
      const sound = batch.map((event) => this.#failureOf(event) ?? event);
      try {
        // Deduplication only saves work, and may be what threw.
        return yield* this.#compute(sound, false);
      } catch {
        return yield* this.#compute([asEvent(undefined, cause)]);
      }
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

/** Returns true if the cache lacks something that the source has delivered, so that a list is needed (G4). */
export function isDivergence(error: unknown): boolean {
  return error instanceof KeyError || error instanceof KeyCollisionError || error instanceof InvalidEventError;
}

/** Returns the error of an event that threw after all checks; `undefined` stands for a batch. */
export function unappliedEvent(event: unknown, cause: unknown): InvalidEventError {
  return new InvalidEventError(event, `it could not be applied: ${messageOf(cause)}`, { cause });
}

function asEvent<T>(event: unknown, cause: unknown): WatchEvent<T> {
  return { type: 'ERROR', error: unappliedEvent(event, cause) };
}
