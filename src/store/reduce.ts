import type { SourceError } from '../sources/source-error.js';
import type { ChangeReason } from './change.js';
import type { Commit } from './commit.js';
import type { Delta } from './delta.js';
import { resourceVersionOf } from './identity.js';
import type { IndexedSnapshot } from './indexed-snapshot.js';
import { SnapshotDraft, type KeepOptions } from './snapshot-draft.js';
import { objectsPerStep, runSteps, type Steps } from './steps.js';
import type { StoreError } from './store-error.js';

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
 * const { snapshot, changes } = reduce(emptySnapshot<Pod>(), [{ type: 'Added', key: 'web/a', object: pod }])
 */
export function reduce<T, I extends string>(
  snapshot: IndexedSnapshot<T, I>,
  deltas: readonly Delta<NoInfer<T>>[],
  options: KeepOptions = {},
): IndexedCommit<T, I> {
  return runSteps(reduceInSteps(snapshot, deltas, options));
}

/** The same, for whoever cannot wait for a long list without doing something else in between. */
export function* reduceInSteps<T, I extends string>(
  snapshot: IndexedSnapshot<T, I>,
  deltas: readonly Delta<NoInfer<T>>[],
  options: KeepOptions = {},
): Steps<IndexedCommit<T, I>> {
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
  if (draft.changes.length >= objectsPerStep) yield;
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
export function* indexAgainInSteps<T, I extends string>(
  snapshot: IndexedSnapshot<T, I>,
  keys: readonly string[],
  options: KeepOptions = {},
): Steps<IndexedCommit<T, I>> {
  const draft = new SnapshotDraft<T, I>(snapshot, options);
  let count = 0;
  for (const key of keys) {
    draft.indexAgain(key);
    if (++count % objectsPerStep === 0) yield;
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
