import type { Collection, Indexers } from 'rx-informers';
import type { DerivedCollection } from 'rx-informers/derived';
import { collectionHistory, type CollectionHistory } from 'rx-informers/history';
import { shownTime } from './shown-time.js';

/** How many milliseconds back the page can go. */
export const reach = 600_000;

/** The recording of one collection: its versions, and the collection that the page shows. */
interface Recording<T, I extends string> {
  readonly live: Collection<T, I>;
  readonly history: CollectionHistory<T, I>;
  readonly view: DerivedCollection<T, I>;
}

const recordings = new WeakMap<object, Recording<unknown, string>>();

/**
 * Returns the recording of a collection. Accepts the live collection and the shown one. The first
 * call starts the recording.
 */
function recordingOf<T, I extends string>(collection: Collection<T, I>): Recording<T, I> {
  const known = recordings.get(collection) as Recording<T, I> | undefined;
  if (known !== undefined) {
    addMissingIndexers(known);
    return known;
  }
  const recorded = collectionHistory(collection, { for: reach });
  const made: Recording<T, I> = { live: collection, history: recorded, view: recorded.view(shownTime) };
  for (const either of [collection, made.view]) recordings.set(either, made);
  return made;
}

/**
 * Adds missing indexes of the live collection to the shown collection. Several parts of the page
 * share an informer, and each part can add its own indexes to it at any time.
 */
function addMissingIndexers({ live, view }: Recording<unknown, string>): void {
  const { indexers } = view.snapshot;
  const missing = Object.entries(live.snapshot.indexers as Indexers<unknown>).filter(
    ([name]) => !Object.hasOwn(indexers, name),
  );
  if (missing.length > 0) view.addIndexers(Object.fromEntries(missing));
}

/** Returns the live collection, regardless of the time that the page shows. */
export function liveOf<T, I extends string>(collection: Collection<T, I>): Collection<T, I> {
  return recordingOf(collection).live;
}

/** Returns the recorded versions of a collection. */
export function historyOf<T, I extends string>(collection: Collection<T, I>): CollectionHistory<T, I> {
  return recordingOf(collection).history;
}

/**
 * Returns a collection as the page shows it: live, or at the shown time. The same collection always
 * returns the same result.
 */
export function atShownTime<T, I extends string>(collection: Collection<T, I>): DerivedCollection<T, I> {
  return recordingOf(collection).view;
}
