import type { KeyFunction } from '../kubernetes/key.js';
import { objectKey } from '../sources/reflector/object-key.js';
import type { ListedEvent, WatchEvent } from '../sources/watch-event.js';
import {
  type Delta,
  type FailedDelta,
  type KeyedObject,
  type ReplacedAllDelta,
  lastOfEachKey,
  type DeletedDelta,
} from './delta.js';
import { objectsPerSlice, runSlices, type Slices } from './slices.js';
import { KeyError, type StoreError } from './errors.js';
import { survivingDeletion } from './keep-latest.js';
import type { SourceError } from '../sources/source-error.js';
import type { ChangeReason, Commit } from './change.js';
import { resourceVersionOf } from './identity.js';
import type { IndexedSnapshot } from './indexed-snapshot.js';
import { SnapshotDraft, type KeepOptions } from './snapshot-draft.js';

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

/** The same, for whoever cannot wait for a long list without doing something else in between. */
export function* batchToDeltasInSlices<T>(
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

/** The deltas of one watch event, by the table of `batchToDeltas`. Pure. */
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
  const key = keyOrFailure(object, event.partition, keyOf);
  if (typeof key !== 'string') return key;
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
  let count = 0;
  for (const object of event.items) {
    const key = keyOrFailure(object, event.partition, keyOf);
    if (typeof key === 'string') items.push({ key, object });
    else {
      failures.push(key);
      const name = objectKey(object);
      if (name !== undefined) missing.push(name);
    }
    if (++count % objectsPerSlice === 0) yield;
  }
  const list: ReplacedAllDelta<T> = {
    type: 'ReplacedAll',
    items: lastOfEachKey(items),
    resourceVersion: event.resourceVersion,
    ...(missing.length > 0 && { missing }),
    ...partitionOf(event),
  };
  return [list, ...failures];
}

function keyOrFailure<T>(object: T, partition: string | undefined, keyOf: KeyFunction<T>): string | FailedDelta {
  try {
    const key: unknown = keyOf(object, partition);
    if (typeof key === 'string' && key !== '') return key;
    const given = key === '' ? 'an empty string' : key === null ? 'null' : `a value of type ${typeof key}`;
    throw new TypeError(`the key function gave ${given} instead of a key`);
  } catch (error) {
    return { type: 'Failed', error: new KeyError(object, error) };
  }
}

/** Left out where there is none, so that deltas of a single source stay small and compare equal. */
function partitionOf({ partition }: { readonly partition?: string }): { readonly partition?: string } {
  return partition === undefined ? {} : { partition };
}

/**
 * Of two deltas of one key that follow each other in a batch and both say `Deleted`, keeps the one that says more. Pure.
 *
 * | the last delta of the key | the next one | kept |
 * | --- | --- | --- |
 * | `Deleted`, a tombstone | `Deleted` | the next one |
 * | `Deleted`, final state known | `Deleted` | the first one |
 * | `Deleted` | `Deleted` of another uid, or only one of them has a uid | both ▲ |
 * | anything else | anything | both |
 *
 * This is client-go's rule (Q6), and nothing else is ever collapsed: a delete followed by a re-creation must stay two
 * deltas (k/k#83810). A `ReplacedAll` speaks of every key, so nothing is collapsed across one.
 *
 * **Guarantees**: never makes a delta, never moves one; gives back the same array where nothing collapses.
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

/** Most batches have no deletion, or one: they are passed on without anything being allocated. */
function hasTwoDeletions<T>(batch: readonly Delta<T>[]): boolean {
  const first = batch.findIndex(isDeletion);
  return first >= 0 && batch.findLastIndex(isDeletion) > first;
}

function isDeletion<T>(delta: Delta<T>): delta is DeletedDelta<T> {
  return delta.type === 'Deleted';
}

/** The commit that `reduce` makes; its snapshot is the state for the next one. */
export interface IndexedCommit<T, I extends string = string> extends Commit<T, I> {
  readonly snapshot: IndexedSnapshot<T, I>;
}

/**
 * What a batch of deltas makes of a snapshot. Pure: one batch, one commit, visible whole or not at all (G3).
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
 * **Guarantees**: costs O(k log n) for k deltas; the snapshot before it stays as it was; index functions are called once for each object that
 * comes in, never for one that goes. **Errors**: none thrown; `commit.errors` holds those of the index functions and of the deltas.
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

/** The same, for whoever cannot wait for a long list without doing something else in between. */
export function* reduceInSlices<T, I extends string>(
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

  // Putting together what a long list has changed is a step of its own.
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
 * Returns the commit that indexes the objects under `keys` again, if an index function failed for them. An object that stands in
 * more buckets afterwards is an update of itself; nothing else changes.
 */
export function* indexAgainInSlices<T, I extends string>(
  snapshot: IndexedSnapshot<T, I>,
  keys: readonly string[],
  options: KeepOptions = {},
): Slices<IndexedCommit<T, I>> {
  const draft = new SnapshotDraft<T, I>(snapshot, options);
  let count = 0;
  for (const key of keys) {
    draft.indexAgain(key);
    if (++count % objectsPerSlice === 0) yield;
  }
  return {
    snapshot: draft.finish(snapshot.resourceVersion, false),
    reason: 'watch',
    changes: draft.changes,
    errors: draft.errors,
  };
}

const NO_ERRORS: readonly (SourceError | StoreError)[] = Object.freeze([]);

/** S14, except that an object without a version does not reset it ▲, and that a merged store has no version of its own. */
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
