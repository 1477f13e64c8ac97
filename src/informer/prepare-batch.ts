import type { KeyFunction } from '../kubernetes/key.js';
import { messageOf } from '../kubernetes/message-of.js';
import { InvalidEventError } from '../sources/source-error.js';
import type { WatchEvent, WatchEventBatch } from '../sources/watch-event.js';
import { batchToDeltasInSlices, type IndexedCommit } from '../store/stages.js';
import type { Delta } from '../store/delta.js';
import { runSlices, type Slices } from '../store/slices.js';
import { KeyCollisionError, KeyError } from '../store/errors.js';
import type { CommitLog } from './commit-log.js';

/** What a batch is prepared with. */
export interface Preparation<T> {
  readonly log: CommitLog<T>;
  readonly keyOf: KeyFunction<T>;
  readonly dedup: (deltas: readonly Delta<T>[]) => readonly Delta<T>[];
}

/** A batch and the commit that it leads to; none if nothing in it concerns the store. */
export interface PreparedBatch<T> {
  readonly batch: WatchEventBatch<T>;
  readonly commit: IndexedCommit<T> | undefined;
  readonly hasList: boolean;
}

/**
 * Computes the commit of a batch. Never throws (G4).
 *
 * The store reports an object that fails and goes on. If something throws all the same, each event
 * is tried alone, and those that throw are replaced by an error: the others are kept.
 */
export function* prepareBatch<T>(batch: WatchEventBatch<T>, preparation: Preparation<T>): Slices<PreparedBatch<T>> {
  try {
    return yield* prepare(batch, preparation);
  } catch (cause) {
    const sound = batch.map((event) => failureOf(event, preparation) ?? event);
    try {
      // Deduplicating only saves work, and may be what threw.
      return yield* prepare(sound, { ...preparation, dedup: (deltas) => deltas });
    } catch {
      return yield* prepare([asEvent(undefined, cause)], preparation);
    }
  }
}

/** True if the cache does not hold what the server has and the source does not know: a list is needed (G4). */
export function isDivergence(error: unknown): boolean {
  return error instanceof KeyError || error instanceof KeyCollisionError || error instanceof InvalidEventError;
}

/** Returns the error of an event that threw after all checks; `undefined` stands for a batch. */
export function unappliedEvent(event: unknown, cause: unknown): InvalidEventError {
  return new InvalidEventError(event, `it could not be applied: ${messageOf(cause)}`, { cause });
}

function* prepare<T>(batch: WatchEventBatch<T>, { log, keyOf, dedup }: Preparation<T>): Slices<PreparedBatch<T>> {
  const deltas = dedup(yield* batchToDeltasInSlices(batch, keyOf));
  const commit = deltas.length > 0 ? yield* log.prepare(deltas) : undefined;
  return { batch, commit, hasList: deltas.some(({ type }) => type === 'ReplacedAll') };
}

function failureOf<T>(event: WatchEvent<T>, preparation: Preparation<T>): WatchEvent<T> | undefined {
  try {
    runSlices(prepare([event], preparation));
    return undefined;
  } catch (cause) {
    return asEvent(event, cause);
  }
}

function asEvent<T>(event: unknown, cause: unknown): WatchEvent<T> {
  return { type: 'ERROR', error: unappliedEvent(event, cause) };
}
