import { metaNamespaceKey, type KeyFunction, objectKey, resourceVersionOf } from '../kubernetes/object.js';
import type { ListedEvent, WatchEvent } from '../sources/model/watch-event.js';
import {
  type Delta,
  type FailedDelta,
  type KeyedObject,
  type ReplacedAllDelta,
  lastOfEachKey,
  type DeletedDelta,
} from './delta.js';
import { forEachInSlices, objectsPerSlice, runSlices, type Slices } from './slices.js';
import { KeyError, type StoreError } from './errors.js';
import { survivingDeletion, type Dedup } from './keep-latest.js';
import type { SourceError } from '../sources/model/errors.js';
import type { ChangeReason, Commit } from './change.js';
import { type IndexedSnapshot, SnapshotDraft, withDefaults, type KeepOptions } from './indexed-snapshot.js';

/**
 * The pipeline: a batch of watch events becomes deltas, fewer deltas, and one commit. All three
 * stages are pure and computed in slices. The operators `toDeltas`, `dedupDeltas` and `reduceStore`
 * run one stage each; an informer runs all three.
 */
export interface Stages<T, I extends string = string> {
  /** Stage 1: see `batchToDeltas`. */
  readonly toDeltas: (batch: readonly WatchEvent<T>[]) => Slices<readonly Delta<T>[]>;
  /** Stage 2: see `collapseDeletions` and `keepLatest`. */
  readonly dedup: (deltas: readonly Delta<T>[]) => Slices<readonly Delta<T>[]>;
  /** Stage 3: see `reduceDeltas`. */
  readonly reduce: (snapshot: IndexedSnapshot<T, I>, deltas: readonly Delta<T>[]) => Slices<IndexedCommit<T, I>>;
}

/** Deduplication of a batch: drops repeated deletions only (`client-go`), or all but the net effect (`latestOnly`). */
export type DedupMode = 'client-go' | Dedup;

/** Options of the stages. Each is documented where users pass it. */
export interface StageOptions<T> extends KeepOptions {
  readonly keyOf?: KeyFunction<T> | undefined;
  readonly dedup?: DedupMode | undefined;
}

/** Returns the three stages with their defaults applied. */
export function stages<T, I extends string = string>(options: StageOptions<T> = {}): Stages<T, I> {
  return { toDeltas: deltaStage(options.keyOf), dedup: dedupStage(options.dedup), reduce: commitStage(options) };
}

/** Returns stage 1. Each stage is a function of its own, so that an operator alone brings no other into a bundle. */
export function deltaStage<T>(keyOf: KeyFunction<T> = metaNamespaceKey as KeyFunction<unknown>): Stages<T>['toDeltas'] {
  return (batch) => batchToDeltasInSlices(batch, keyOf);
}

/** Returns stage 2. */
export function dedupStage<T>(mode: DedupMode = 'client-go'): Stages<T>['dedup'] {
  const dedup = mode === 'client-go' ? collapseDeletions : mode.deltas;
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
 * | `DELETED` | `Deleted`, with the final state that came with it |
 * | `LISTED` | one `ReplacedAll`, with the names of what is `missing` or has no key, then a `Failed` for each item without a key |
 * | `BOOKMARK` | `Bookmark` |
 * | `ERROR` | `Failed` |
 * | `STATUS` | nothing |
 * | any, and the key function throws | `Failed`, with a `KeyError` that holds object and cause (K3) |
 *
 * **Guarantees**: an object without a key costs no other object anything; of two items with one key the last counts (S2).
 * **Errors**: none thrown.
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
    // One at a time: a list may have more failures than a call may have arguments.
    for (const delta of event.type === 'LISTED' ? yield* listToDeltas(event, keyOf) : eventToDeltas(event, keyOf)) {
      deltas.push(delta);
    }
  }
  return deltas;
}

/** Returns the deltas of one watch event, by the table of `batchToDeltas`. Pure. */
export function eventToDeltas<T>(event: WatchEvent<T>, keyOf: KeyFunction<T>): readonly Delta<T>[] {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return [changeToDelta(event, keyOf)];
    case 'LISTED':
      return runSlices(listToDeltas(event, keyOf));
    case 'BOOKMARK':
      return [{ type: 'Bookmark', resourceVersion: event.resourceVersion, ...partitionOf(event) }];
    case 'ERROR':
      return [{ type: 'Failed', error: event.error }];
    case 'STATUS':
      return [];
    default:
      event satisfies never;
      return [];
  }
}

function changeToDelta<T>(event: Extract<WatchEvent<T>, { readonly object: T }>, keyOf: KeyFunction<T>): Delta<T> {
  const { object } = event;
  const key = keyOrError(object, event.partition, keyOf);
  if (typeof key !== 'string') return { type: 'Failed', error: key };
  switch (event.type) {
    case 'ADDED':
      return { type: 'Added', key, object, ...partitionOf(event) };
    case 'MODIFIED':
      return { type: 'Updated', key, object, ...partitionOf(event) };
    case 'DELETED':
      return { type: 'Deleted', key, object, finalStateUnknown: false, ...partitionOf(event) };
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
    items: lastOfEachKey(items),
    resourceVersion: event.resourceVersion,
    ...(missing.length > 0 && { missing }),
    ...partitionOf(event),
  };
  return [list, ...failures];
}

/** Returns the key of an object, or the error of a key function that throws or returns something else (K3). */
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

/** Omits a partition of `undefined`, so that deltas of a single source stay small and compare equal. */
function partitionOf({ partition }: { readonly partition?: string }): { readonly partition?: string } {
  return partition === undefined ? {} : { partition };
}

/**
 * Drops one of two consecutive `Deleted` deltas of one key, the one with less information. Pure.
 *
 * | the last delta of the key | the next one | kept |
 * | --- | --- | --- |
 * | `Deleted`, a tombstone | `Deleted` | the next one |
 * | `Deleted`, final state known | `Deleted` | the first one |
 * | `Deleted` | `Deleted` of another uid, or only one of them has a uid | both ▲ |
 * | anything else | anything | both |
 *
 * This is client-go's rule (Q6). Nothing else is collapsed: a deletion followed by a re-creation
 * stays two deltas (k/k#83810). A `ReplacedAll` concerns every key, so nothing is collapsed across
 * it.
 *
 * **Guarantees**: never creates or moves a delta; returns the same array if nothing is dropped.
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

/** Returns false for most batches, which then cost no allocation. */
function hasTwoDeletions<T>(batch: readonly Delta<T>[]): boolean {
  const first = batch.findIndex(isDeletion);
  return first >= 0 && batch.findLastIndex(isDeletion) > first;
}

function isDeletion<T>(delta: Delta<T>): delta is DeletedDelta<T> {
  return delta.type === 'Deleted';
}

/** A commit of `reduceDeltas`. Its snapshot is the state for the next one. */
export interface IndexedCommit<T, I extends string = string> extends Commit<T, I> {
  readonly snapshot: IndexedSnapshot<T, I>;
}

/**
 * Applies a batch of deltas to a snapshot, as one commit (G3). Pure.
 *
 * | delta | key is not there | key is there |
 * | --- | --- | --- |
 * | `Added` `Updated` | added | updated; nothing if it is the same version or equal; deleted (tombstone) and added if it is another uid |
 * | `Deleted` | nothing | deleted |
 * | `ReplacedAll` | added | as `Updated`; what the list lacks is deleted (tombstone), before everything else |
 * | `Sync` | nothing | updated, with `previous` the same object |
 * | `Bookmark` | nothing; the resourceVersion moves | |
 * | `Failed` | nothing; the error stands in the commit | |
 *
 * **Guarantees**: costs O(k log n) for k deltas; the given snapshot does not change; an index
 * function is called once for each object that enters, and never for one that leaves.
 * **Errors**: none thrown; `commit.errors` holds those of the index functions and of the deltas.
 *
 * @example
 * const { snapshot, changes } = reduceDeltas(emptySnapshot<Pod>(), [{ type: 'Added', key: 'web/a', object: pod }])
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

  // Building the snapshot of a long list is a slice of its own.
  if (draft.changes.length >= objectsPerSlice) yield;
  const hasData = content === 'changes' || content === 'list';
  return {
    snapshot: draft.finish(resourceVersion, hasData),
    reason: reasonOf(content, snapshot.version === 0),
    changes: draft.changes,
    errors: failures.length + draft.errors.length === 0 ? NO_ERRORS : [...failures, ...draft.errors],
  };
}

/**
 * Returns the commit that calls the index functions again for those of `keys` for which one failed.
 * An object that enters further buckets is an update from itself to itself; nothing else changes.
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
    snapshot: draft.finish(snapshot.resourceVersion, false),
    reason: 'watch',
    changes: draft.changes,
    errors: draft.errors,
  };
}

const NO_ERRORS: readonly (SourceError | StoreError)[] = Object.freeze([]);

/** S14, with two differences: an object without a version does not reset it ▲, and a merged store has no version. */
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
