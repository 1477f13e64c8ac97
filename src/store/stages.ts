import type { RxInformersError } from '../kubernetes/errors.js';
import { type KeyFunction, metaNamespaceKey, objectKey } from '../kubernetes/keys.js';
import { resourceVersionOf } from '../kubernetes/object.js';
import { forEachInSlices, runSlices, type Slices } from '../scheduling/slices.js';
import { type SourceError } from '../sources/model/errors.js';
import type { ListedEvent, WatchEvent } from '../sources/model/watch-event.js';
import type { Commit } from './change.js';
import type { DedupMode } from './dedup.js';
import { type Delta, type FailedDelta, type KeyedObject, lastOfEachKey, type ReplacedAllDelta } from './delta.js';
import { type StoreError, keyError } from './errors.js';
import type { IndexedSnapshot } from './indexed-snapshot.js';
import { type Keeping, keepingOf, SnapshotDraft, type SnapshotOptions } from './snapshot-draft.js';

/** Options of the stages. See `InformerOptions` for each of them. */
export interface StageOptions<T> extends SnapshotOptions {
  readonly keyOf?: KeyFunction<T> | undefined;
  readonly dedup?: DedupMode | undefined;
}

/**
 * Returns the deltas of one batch of watch events, in their order. Pure.
 *
 * | event | deltas |
 * | --- | --- |
 * | `ADDED` | `Added` |
 * | `MODIFIED` | `Updated` |
 * | `DELETED` | `Deleted`, with the final state from the event |
 * | `LISTED` | one `ReplacedAll`, whose `missing` also names the items without a key, then a `Failed` for each item without a key |
 * | `BOOKMARK` | `Bookmark` |
 * | `ERROR` | `Failed` |
 * | `STATUS` | nothing |
 * | any event for which the key function throws | `Failed`, with an `RXI_KEY` that has the object and the cause (K3) |
 *
 * **Guarantees**: an object without a key does not affect other objects; if two items have the same
 * key, the last one counts (S2).
 * **Errors**: none thrown.
 *
 * @param batch the events of one batch, in their order
 * @param keyOf returns the key of an object, for example `metaNamespaceKey`
 * @returns the deltas, for {@link reduceDeltas}
 */
export function batchToDeltas<T>(batch: readonly WatchEvent<T>[], keyOf: KeyFunction<T>): readonly Delta<T>[] {
  return runSlices(batchToDeltasInSlices(batch, keyOf));
}

/** `batchToDeltas` in slices. */
export function* batchToDeltasInSlices<T>(
  batch: readonly WatchEvent<T>[],
  keyOf: KeyFunction<T> = metaNamespaceKey as KeyFunction<unknown>,
): Slices<readonly Delta<T>[]> {
  const deltas: Delta<T>[] = [];
  for (const event of batch) {
    if (event.type === 'LISTED') {
      // `push(...)` cannot be used, because a list may have more failures than a call may have
      // arguments.
      for (const delta of yield* listToDeltas(event, keyOf)) deltas.push(delta);
    } else {
      const delta = eventToDelta(event, keyOf);
      if (delta !== undefined) deltas.push(delta);
    }
  }
  return deltas;
}

/**
 * Returns the deltas of one watch event, by the table of `batchToDeltas`. Pure.
 *
 * @param event one watch event
 * @param keyOf returns the key of an object, for example `metaNamespaceKey`
 * @returns the deltas, for {@link reduceDeltas}
 */
export function eventToDeltas<T>(event: WatchEvent<T>, keyOf: KeyFunction<T>): readonly Delta<T>[] {
  if (event.type === 'LISTED') return runSlices(listToDeltas(event, keyOf));
  const delta = eventToDelta(event, keyOf);
  return delta === undefined ? [] : [delta];
}

function eventToDelta<T>(event: Exclude<WatchEvent<T>, ListedEvent<T>>, keyOf: KeyFunction<T>): Delta<T> | undefined {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const { object, partition } = event;
      const key = keyOrError(object, partition, keyOf);
      if (typeof key !== 'string') return { type: 'Failed', error: key };
      const place = partition === undefined ? { key, object } : { key, object, partition };
      if (event.type === 'DELETED') return { type: 'Deleted', ...place, finalStateUnknown: false };
      return { type: event.type === 'ADDED' ? 'Added' : 'Updated', ...place };
    }
    case 'BOOKMARK':
      return inPartitionOf(event, { type: 'Bookmark', resourceVersion: event.resourceVersion });
    case 'ERROR':
      return { type: 'Failed', error: event.error };
    case 'STATUS':
      return undefined;
    default:
      event satisfies never;
      return undefined;
  }
}

function* listToDeltas<T>(event: ListedEvent<T>, keyOf: KeyFunction<T>): Slices<readonly Delta<T>[]> {
  const items: KeyedObject<T>[] = [];
  const failures: FailedDelta[] = [];
  const missing = [...(event.missing ?? [])];
  yield* forEachInSlices(event.items, (object) => {
    const key = keyOrError(object, event.partition, keyOf);
    if (typeof key === 'string') {
      items.push({ key, object });
      return;
    }
    failures.push({ type: 'Failed', error: key });
    const name = objectKey(object);
    if (name !== undefined) missing.push(name);
  });
  const list: ReplacedAllDelta<T> = {
    type: 'ReplacedAll',
    items: yield* lastOfEachKey(items),
    resourceVersion: event.resourceVersion,
    ...(missing.length > 0 && { missing }),
  };
  return [inPartitionOf(event, list), ...failures];
}

/** Returns the key, or the error of a key function that throws or returns none (K3). */
export function keyOrError<T>(
  object: T,
  partition: string | undefined,
  keyOf: KeyFunction<T>,
): string | RxInformersError<'RXI_KEY'> {
  try {
    const key: unknown = keyOf(object, partition);
    if (typeof key === 'string' && key !== '') return key;
    const described = key === '' ? 'an empty string' : key === null ? 'null' : `a value of type ${typeof key}`;
    throw new TypeError(`the key function returned ${described} instead of a key`);
  } catch (error) {
    return keyError(object, error);
  }
}

/** Omits an undefined partition, so that deltas of a single source are small and compare equal. */
function inPartitionOf<const D extends object>({ partition }: { readonly partition?: string }, delta: D): D {
  return partition === undefined ? delta : { ...delta, partition };
}

/** The result of `reduceDeltas`. Its snapshot is the input for the next call. */
export interface IndexedCommit<T, I extends string = string> extends Commit<T, I> {
  readonly snapshot: IndexedSnapshot<T, I>;
}

/**
 * Applies a batch of deltas to a snapshot, as one commit (G3). Pure.
 *
 * | delta | key does not exist | key exists |
 * | --- | --- | --- |
 * | `Added` `Updated` | added | updated; nothing if the object has the same version or equal content; deleted (tombstone) and added if the uid differs |
 * | `Deleted` | nothing | deleted |
 * | `ReplacedAll` | added | as for `Updated`; before that, objects that are not in the list are deleted (tombstones) |
 * | `Sync` | nothing | updated, with `previous` the same object |
 * | `Bookmark` | nothing; the resourceVersion moves | nothing; the resourceVersion moves |
 * | `Failed` | nothing; the commit contains the error | nothing; the commit contains the error |
 *
 * If another partition holds the key of an object, the object is refused with a
 * `RXI_KEY_COLLISION`, and remembered. If the key is free at the end of a batch, the refused object
 * of the partition with the first name takes the place, by the rules of `Updated`.
 *
 * **Guarantees**: costs O(k log n) for k deltas; the given snapshot does not change; an index
 * function is called once for each object that is added or updated, and never for one that is
 * removed.
 * **Errors**: never throws; `commit.errors` contains the errors of index functions and of `Failed`
 * deltas.
 *
 * @param snapshot the state before
 * @param deltas the deltas to apply, in their order
 * @param options how objects are kept
 * @returns the new state and the changes
 * @example
 * const { snapshot, changes } = reduceDeltas(emptySnapshot<Pod>(), [
 *   { type: 'Added', key: 'web/a', object: pod },
 * ]);
 */
export function reduceDeltas<T, I extends string>(
  snapshot: IndexedSnapshot<T, I>,
  deltas: readonly Delta<NoInfer<T>>[],
  options: SnapshotOptions = {},
): IndexedCommit<T, I> {
  return runSlices(reduceInSlices(snapshot, deltas, keepingOf(options)));
}

/** `reduceDeltas` in slices. */
export function* reduceInSlices<T, I extends string>(
  snapshot: IndexedSnapshot<T, I>,
  deltas: readonly Delta<NoInfer<T>>[],
  keeping: Keeping,
): Slices<IndexedCommit<T, I>> {
  const draft = new SnapshotDraft<T, I>(snapshot, keeping);
  const failures: (SourceError | StoreError)[] = [];
  let resourceVersion = snapshot.resourceVersion;
  let content: 'none' | 'sync' | 'changes' | 'list' = 'none';

  for (const delta of deltas) {
    switch (delta.type) {
      case 'Added':
      case 'Updated':
      case 'Deleted':
        if (delta.type !== 'Deleted') draft.upsert(delta, delta.partition);
        else draft.delete(delta.key, delta.object, delta.finalStateUnknown, delta.partition);
        // By rule S14 with two differences: an object without a version does not reset the version
        // of the store ▲, and a merged store has no version.
        if (delta.partition === undefined && !(delta.type === 'Deleted' && delta.finalStateUnknown)) {
          resourceVersion = resourceVersionOf(delta.object) ?? resourceVersion;
        }
        if (content !== 'list') content = 'changes';
        break;
      case 'ReplacedAll':
        yield* draft.replaceAll(delta.items, delta.missing ?? [], delta.partition);
        if (delta.partition === undefined) resourceVersion = delta.resourceVersion;
        content = 'list';
        break;
      case 'Sync':
        draft.sync(delta.key);
        if (content === 'none') content = 'sync';
        break;
      case 'Bookmark':
        if (delta.partition === undefined) resourceVersion = delta.resourceVersion;
        break;
      case 'Failed':
        failures.push(delta.error);
        break;
      default:
        delta satisfies never;
    }
  }

  const hasData = content === 'changes' || content === 'list';
  return {
    snapshot: yield* draft.finish(resourceVersion, hasData),
    reason: hasData && snapshot.version === 0 ? 'initial' : reasons[content],
    changes: draft.changes,
    errors: failures.length + draft.errors.length === 0 ? NO_ERRORS : [...failures, ...draft.errors],
  };
}

/**
 * Indexes the objects under `keys` again if an index function failed, and returns the commit.
 * Objects that enter further buckets are updates with the same object as `previous`.
 */
export function* indexAgainInSlices<T, I extends string>(
  snapshot: IndexedSnapshot<T, I>,
  keys: readonly string[],
  keeping: Keeping,
): Slices<IndexedCommit<T, I>> {
  const draft = new SnapshotDraft<T, I>(snapshot, keeping);
  yield* forEachInSlices(keys, (key) => draft.indexAgain(key));
  return {
    snapshot: yield* draft.finish(snapshot.resourceVersion, false),
    reason: 'watch',
    changes: draft.changes,
    errors: draft.errors,
  };
}

const NO_ERRORS: readonly (SourceError | StoreError)[] = Object.freeze([]);

/** The reason of a commit after the first, by the kind of its content. */
const reasons = { none: 'watch', sync: 'resync', changes: 'watch', list: 'relist' } as const;
