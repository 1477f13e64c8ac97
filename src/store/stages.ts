import { type KeyFunction, metaNamespaceKey, objectKey } from '../kubernetes/keys.js';
import { resourceVersionOf } from '../kubernetes/object.js';
import { forEachInSlices, objectsPerSlice, runSlices, type Slices } from '../scheduling/slices.js';
import { InvalidOptionError, type SourceError } from '../sources/model/errors.js';
import type { ChangeEvent, ListedEvent, WatchEvent } from '../sources/model/watch-event.js';
import type { ChangeReason, Commit } from './change.js';
import {
  type DeletedDelta,
  type Delta,
  type FailedDelta,
  type KeyedObject,
  lastOfEachKey,
  type ReplacedAllDelta,
} from './delta.js';
import { KeyError, type StoreError } from './errors.js';
import { type IndexedSnapshot, type KeepOptions, SnapshotDraft, withDefaults } from './indexed-snapshot.js';
import { type Dedup, survivingDeletion } from './keep-latest.js';

/**
 * Turns batches of watch events into deltas, deduplicates them, and commits them: three pure stages
 * in slices. `toDeltas`, `dedupDeltas` and `reduceStore` run one each, an informer all three.
 */
export interface Stages<T, I extends string = string> {
  /** Stage 1: see `batchToDeltas`. */
  readonly toDeltas: (batch: readonly WatchEvent<T>[]) => Slices<readonly Delta<T>[]>;
  /** Stage 2: see `collapseDeletions` and `keepLatest`. */
  readonly dedup: (deltas: readonly Delta<T>[]) => Slices<readonly Delta<T>[]>;
  /** Stage 3: see `reduceDeltas`. */
  readonly reduce: (snapshot: IndexedSnapshot<T, I>, deltas: readonly Delta<T>[]) => Slices<IndexedCommit<T, I>>;
}

/**
 * Deduplication of a batch: drops only repeated deletions (`client-go`), or everything except the
 * net effect (`latestOnly`).
 */
export type DedupMode = 'client-go' | Dedup;

/** Options of the stages. See `InformerOptions` for each of them. */
export interface StageOptions<T> extends KeepOptions {
  readonly keyOf?: KeyFunction<T> | undefined;
  readonly dedup?: DedupMode | undefined;
}

/** Returns the three stages with their defaults applied. */
export function stages<T, I extends string = string>(options: StageOptions<T> = {}): Stages<T, I> {
  return { toDeltas: deltaStage(options.keyOf), dedup: dedupStage(options.dedup), reduce: commitStage(options) };
}

/** Returns stage 1. Each stage is a function, so that bundles contain only the used ones. */
export function deltaStage<T>(keyOf: KeyFunction<T> = metaNamespaceKey as KeyFunction<unknown>): Stages<T>['toDeltas'] {
  return (batch) => batchToDeltasInSlices(batch, keyOf);
}

/** Returns stage 2. */
export function dedupStage<T>(mode: DedupMode = 'client-go'): Stages<T>['dedup'] {
  const dedup = mode === 'client-go' ? collapseDeletions : (mode as Partial<Dedup>).deltas;
  if (!dedup) throw new InvalidOptionError('dedup', mode, '"client-go" or the value latestOnly of rx-informers');
  return function* inSlices(deltas) {
    if (deltas.length >= objectsPerSlice) yield;
    return dedup(deltas);
  };
}

/** Returns stage 3. */
export function commitStage<T, I extends string = string>(options: KeepOptions = {}): Stages<T, I>['reduce'] {
  const kept = withDefaults(options);
  return (snapshot, deltas) => reduceInSlices(snapshot, deltas, kept);
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
 * | any event for which the key function throws | `Failed`, with a `KeyError` that has the object and the cause (K3) |
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

function* batchToDeltasInSlices<T>(
  batch: readonly WatchEvent<T>[],
  keyOf: KeyFunction<T>,
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
    case 'DELETED':
      return changeToDelta(event, keyOf);
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

function changeToDelta<T>(event: ChangeEvent<T>, keyOf: KeyFunction<T>): Delta<T> {
  const { object } = event;
  const key = keyOrError(object, event.partition, keyOf);
  if (typeof key !== 'string') return { type: 'Failed', error: key };
  switch (event.type) {
    case 'ADDED':
      return inPartitionOf(event, { type: 'Added', key, object });
    case 'MODIFIED':
      return inPartitionOf(event, { type: 'Updated', key, object });
    case 'DELETED':
      return inPartitionOf(event, { type: 'Deleted', key, object, finalStateUnknown: false });
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
export function keyOrError<T>(object: T, partition: string | undefined, keyOf: KeyFunction<T>): string | KeyError {
  try {
    const key: unknown = keyOf(object, partition);
    if (typeof key === 'string' && key !== '') return key;
    const given = key === '' ? 'an empty string' : key === null ? 'null' : `a value of type ${typeof key}`;
    throw new TypeError(`the key function returned ${given} instead of a key`);
  } catch (error) {
    return new KeyError(object, error);
  }
}

/** Omits an undefined partition, so that deltas of a single source are small and compare equal. */
function inPartitionOf<const D extends object>({ partition }: { readonly partition?: string }, delta: D): D {
  return partition === undefined ? delta : { ...delta, partition };
}

/**
 * Drops the `Deleted` with less information if two `Deleted` deltas of a key follow each other.
 * Pure.
 *
 * | the last delta of the key | the next delta of the key | kept |
 * | --- | --- | --- |
 * | `Deleted`, a tombstone | `Deleted` | the second delta |
 * | `Deleted`, final state known | `Deleted` | the first delta |
 * | `Deleted` | `Deleted` of another uid, or only one of them has a uid | both deltas ▲ |
 * | anything else | anything | both deltas |
 *
 * This is client-go's rule (Q6). Nothing else is dropped: a deletion followed by a re-creation
 * stays two deltas (k/k#83810). A `ReplacedAll` concerns every key, so deltas before and after it
 * are never compared.
 *
 * **Guarantees**: never creates or moves a delta; returns the same array if nothing is dropped.
 *
 * @param batch the deltas of one batch, in their order
 * @returns the remaining deltas, in the same order
 */
export function collapseDeletions<T>(batch: readonly Delta<T>[]): readonly Delta<T>[] {
  if (!hasTwoDeletions(batch)) return batch;
  const lastOfKey = new Map<string, Positioned<T>>();
  const superseded = new Set<number>();
  batch.forEach((delta, position) => {
    if (delta.type === 'ReplacedAll') lastOfKey.clear();
    if (!('key' in delta)) return;
    const last = lastOfKey.get(delta.key);
    const survivor = last && survivingDeletion(last.delta, delta);
    if (last && survivor) superseded.add(survivor === 'older' ? position : last.position);
    if (survivor !== 'older') lastOfKey.set(delta.key, { delta, position });
  });
  return superseded.size === 0 ? batch : batch.filter((_, position) => !superseded.has(position));
}

interface Positioned<T> {
  readonly delta: Delta<T>;
  readonly position: number;
}

/** Returns true for two deletions. Most batches have fewer, which saves all allocations. */
function hasTwoDeletions<T>(batch: readonly Delta<T>[]): boolean {
  const first = batch.findIndex(isDeletion);
  return first >= 0 && batch.findLastIndex(isDeletion) > first;
}

function isDeletion<T>(delta: Delta<T>): delta is DeletedDelta<T> {
  return delta.type === 'Deleted';
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
 * `KeyCollisionError`, and remembered. If the key is free at the end of a batch, the refused object
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
  options: KeepOptions = {},
): IndexedCommit<T, I> {
  return runSlices(reduceInSlices(snapshot, deltas, options));
}

function* reduceInSlices<T, I extends string>(
  snapshot: IndexedSnapshot<T, I>,
  deltas: readonly Delta<NoInfer<T>>[],
  options: KeepOptions = {},
): Slices<IndexedCommit<T, I>> {
  const draft = new SnapshotDraft<T, I>(snapshot, options);
  const failures: (SourceError | StoreError)[] = [];
  let resourceVersion = snapshot.resourceVersion;
  let content: 'none' | 'sync' | 'changes' | 'list' = 'none';

  for (const delta of deltas) {
    switch (delta.type) {
      case 'Added':
      case 'Updated':
        draft.upsert(delta, delta.partition);
        resourceVersion = versionAfter(delta, resourceVersion);
        if (content !== 'list') content = 'changes';
        break;
      case 'Deleted':
        draft.delete(delta.key, delta.object, delta.finalStateUnknown, delta.partition);
        resourceVersion = delta.finalStateUnknown ? resourceVersion : versionAfter(delta, resourceVersion);
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
    reason: reasonOf(content, snapshot.version === 0),
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
  options: KeepOptions = {},
): Slices<IndexedCommit<T, I>> {
  const draft = new SnapshotDraft<T, I>(snapshot, options);
  yield* forEachInSlices(keys, (key) => {
    draft.indexAgain(key);
  });
  return {
    snapshot: yield* draft.finish(snapshot.resourceVersion, false),
    reason: 'watch',
    changes: draft.changes,
    errors: draft.errors,
  };
}

const NO_ERRORS: readonly (SourceError | StoreError)[] = Object.freeze([]);

/**
 * Returns the version of the store after a delta, by rule S14 with two differences: an object
 * without a version does not reset it ▲, and a merged store has no version.
 */
function versionAfter(
  delta: { readonly object: unknown; readonly partition?: string },
  resourceVersion: string,
): string {
  if (delta.partition !== undefined) return resourceVersion;
  return resourceVersionOf(delta.object) ?? resourceVersion;
}

function reasonOf(content: 'none' | 'sync' | 'changes' | 'list', isFirst: boolean): ChangeReason {
  if (content === 'sync') return 'resync';
  if (content === 'none') return 'watch';
  if (isFirst) return 'initial';
  return content === 'list' ? 'relist' : 'watch';
}
