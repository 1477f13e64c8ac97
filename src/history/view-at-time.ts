import { createIndexer, type Indexer } from '../collections/indexer.js';
import type { Derivation, InputChanges, Rows, Versions } from '../derived/core/derivation.js';
import { forEachInSlices, type Slices } from '../scheduling/slices.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { shownKey, type Shown } from './movable-time.js';
import type { Difference, RecordedVersion } from './version-log.js';

/** The part of a history that a view needs. */
export interface Recording<T> {
  /** Returns the version at a time; `undefined` if the time is live, or if nothing is recorded. */
  versionAt(time: number | undefined): RecordedVersion<T> | undefined;
  /** The last version, which is the state that the collection has announced. */
  readonly newest: RecordedVersion<T> | undefined;
  between(from: number, to: number): Slices<ReadonlyMap<string, Difference<T>> | undefined>;
  snapshotOf(version: RecordedVersion<T>): Slices<IndexedSnapshot<T>>;
}

/** The only row of a collection that changes when other versions are at a time than before. */
export interface Revision {
  readonly revision: number;
}

/** A collection of this row. */
export class Revisions {
  readonly collection: Indexer<Revision> = createIndexer<Revision>(() => 'revision', {}, { name: 'revision' });
  #revision = 0;

  /** Makes all views show the version that is now at their time. */
  next(): void {
    this.collection.add({ revision: this.#revision++ });
  }
}

type Read<T> = readonly [T, Shown, Revision];

/**
 * Shows the collection while the time is live, and otherwise the version at that time. A move sets
 * only the rows that differ.
 */
export class ViewAtTime<T> implements Derivation<Read<T>, T> {
  /** The version that the rows show; `undefined` if they follow the live collection. */
  #shown: number | undefined;
  #time: number | undefined;

  constructor(private readonly recording: Recording<T>) {}

  *fill([objects, time]: Versions<Read<T>>, rows: Rows<T>): Slices<void> {
    this.#time = time.get(shownKey)?.time;
    const target = this.recording.versionAt(this.#time);
    this.#shown = target?.version;
    const snapshot = target === undefined ? objects : yield* this.recording.snapshotOf(target);
    yield* setAll(snapshot, snapshot.keys(), rows);
  }

  *update([objects, time, revision]: InputChanges<Read<T>>, rows: Rows<T>): Slices<void> {
    const { current, keys } = objects;
    const shown = this.#shown;
    const moment = time.current.get(shownKey)?.time;
    // The shown version may have been dropped. Its rows stay until the time is moved.
    if (shown !== undefined && moment === this.#time && revision.keys.length === 0) return;
    this.#time = moment;
    const target = this.recording.versionAt(moment);
    this.#shown = target?.version;
    if (target === undefined && shown === undefined) {
      yield* setAll(current, keys, rows);
      return;
    }
    if (target?.version === shown) return;
    const differences = yield* this.#between(shown, target?.version);
    if (differences === undefined) {
      yield* replace(target === undefined ? current : yield* this.recording.snapshotOf(target), rows);
      return;
    }
    // The live state is ahead of `differences`, by this commit and by changes since the first rows.
    // So set the changed keys from the collection.
    if (target === undefined || shown === undefined) yield* setAll(current, keys, rows);
    yield* forEachInSlices(differences, ([key, { after }]) =>
      rows.set(key, target === undefined ? current.get(key) : after),
    );
  }

  /**
   * Returns the difference between the shown version and the next one; `undefined` if this
   * difference is no longer known.
   */
  *#between(from: number | undefined, to: number | undefined): Slices<ReadonlyMap<string, Difference<T>> | undefined> {
    const newest = this.recording.newest?.version;
    const [start, end] = [from ?? newest, to ?? newest];
    return start === undefined || end === undefined ? undefined : yield* this.recording.between(start, end);
  }
}

function* setAll<T>(objects: IndexedSnapshot<T>, keys: readonly string[], rows: Rows<T>): Slices<void> {
  yield* forEachInSlices(keys, (key) => rows.set(key, objects.get(key)));
}

/** Compares all rows, because the shown version was dropped and its differences are not known. */
function* replace<T>(objects: IndexedSnapshot<T>, rows: Rows<T>): Slices<void> {
  yield* forEachInSlices(rows.keys(), (key) => {
    if (!objects.has(key)) rows.delete(key);
  });
  yield* setAll(objects, objects.keys(), rows);
}
