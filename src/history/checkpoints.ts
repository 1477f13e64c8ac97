import { forEachInSlices, runSlices, type Slices } from '../scheduling/slices.js';
import { Bucket } from '../store/bucket.js';
import { IndexedSnapshot } from '../store/indexed-snapshot.js';
import { SnapshotDraft } from '../store/snapshot-draft.js';
import type { Difference, RecordedVersion, VersionLog } from './version-log.js';

/** The number of changes between two recent checkpoints. */
export const changesPerCheckpoint = 1_024;

/** The number of recent checkpoints. Of all older checkpoints, one in eight is kept. */
const recentCheckpoints = 16;
const thinning = 8;

/** A version, and its snapshot. */
interface Made<T> {
  readonly version: number;
  readonly snapshot: IndexedSnapshot<T>;
}

interface Checkpoint<T> extends Made<T> {
  /** The number of the checkpoint, counted from 0. */
  readonly ordinal: number;
}

/**
 * Creates the snapshot of any version: applies recorded differences to the nearest one, forwards or
 * backwards. Keeps one for 1,024 recent, or 8,192 older changes: their copied tree paths are larger
 * than the differences. Snapshots share equal parts with each other and with the collection.
 */
export class Checkpoints<T> {
  /** The kept checkpoints, in the order of their versions. */
  #kept: Checkpoint<T>[] = [];
  /** The snapshot that was created last. The next one is often near it. */
  #last: Made<T> | undefined;
  #count = 0;

  constructor(private readonly log: VersionLog<T>) {}

  clear(): void {
    this.#kept = [];
    this.#last = undefined;
  }

  /** Keeps the collection's snapshot: for the first version, and after many replacements. */
  keep({ version, resourceVersion }: RecordedVersion<T>, { parts }: IndexedSnapshot<T>): void {
    this.#push(version, withoutArrays(new IndexedSnapshot({ ...parts, version, resourceVersion })));
  }

  /** Keeps a snapshot of a version if there are enough changes since the last kept one. */
  keepIfFar(version: RecordedVersion<T>): void {
    const last = this.#kept.at(-1);
    if (last === undefined || version.total - this.#totalOf(last) < changesPerCheckpoint) return;
    this.#push(version.version, runSlices(this.#make(last, version)));
  }

  /** Keeps a snapshot of the oldest version if the first kept one is many changes away. */
  keepOldest(oldest: RecordedVersion<T>): void {
    const [first] = this.#kept;
    if (first === undefined || this.#totalOf(first) - oldest.total < changesPerCheckpoint) return;
    const snapshot = withoutArrays(runSlices(this.#make(first, oldest)));
    this.#kept.unshift({ version: oldest.version, snapshot, ordinal: 0 });
  }

  /** Returns true if the snapshot of this version is kept. */
  has(version: number): boolean {
    return this.#kept.some((kept) => kept.version === version);
  }

  /** Must be called before the log drops the versions before `oldest`. */
  trim(oldest: RecordedVersion<T>): void {
    if (this.#last !== undefined && this.#last.version < oldest.version) this.#last = undefined;
    const first = this.#kept.findIndex(({ version }) => version >= oldest.version);
    if (first < 0) this.#kept = [{ version: oldest.version, snapshot: runSlices(this.snapshot(oldest)), ordinal: 0 }];
    else this.#kept.splice(0, first);
  }

  /** Returns the snapshot of a version that the log holds. */
  *snapshot(version: RecordedVersion<T>): Slices<IndexedSnapshot<T>> {
    const nearest = this.#nearest(version);
    if (nearest === undefined) throw new Error(`version ${version.version} has no checkpoint`);
    if (nearest === this.#last && nearest.version === version.version) return nearest.snapshot;
    // A snapshot caches arrays for its readers, which the checkpoint must not keep.
    const snapshot = withoutArrays(yield* this.#make(nearest, version));
    this.#last = { version: version.version, snapshot };
    return snapshot;
  }

  #push(version: number, snapshot: IndexedSnapshot<T>): void {
    this.#kept.push({ version, snapshot, ordinal: this.#count++ });
    const position = this.#kept.length - 1 - recentCheckpoints;
    if (position >= 0 && (this.#kept[position] as Checkpoint<T>).ordinal % thinning !== 0)
      this.#kept.splice(position, 1);
  }

  #nearest(version: RecordedVersion<T>): Made<T> | undefined {
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#kept[middle] as Checkpoint<T>).version <= version.version) low = middle + 1;
      else high = middle;
    }
    let nearest: Made<T> | undefined;
    let least = Infinity;
    for (const candidate of [this.#last, this.#kept[low - 1], this.#kept[low]]) {
      if (candidate === undefined) continue;
      const distance = Math.abs(this.#totalOf(candidate) - version.total);
      if (distance < least) [nearest, least] = [candidate, distance];
    }
    return nearest;
  }

  #totalOf({ version }: Made<T>): number {
    return this.log.get(version)?.total ?? -Infinity;
  }

  *#make(from: Made<T>, { version, resourceVersion }: RecordedVersion<T>): Slices<IndexedSnapshot<T>> {
    if (from.version === version) return from.snapshot;
    const differences = yield* this.log.between(from.version, version);
    const made = yield* withDifferences(from.snapshot, differences ?? new Map<string, Difference<T>>());
    return new IndexedSnapshot({ ...made.parts, version, resourceVersion });
  }
}

/** Returns the same snapshot without cached arrays. */
function withoutArrays<T>({ parts }: IndexedSnapshot<T>): IndexedSnapshot<T> {
  return new IndexedSnapshot({ ...parts, items: new Bucket(parts.items.entries) });
}

function* withDifferences<T>(
  snapshot: IndexedSnapshot<T>,
  differences: ReadonlyMap<string, Difference<T>>,
): Slices<IndexedSnapshot<T>> {
  // The collection has already frozen these objects and shared their structure.
  const keeping = { share: <O>(_previous: O, next: O): O => next, freezeInterval: 0 };
  const draft = new SnapshotDraft<T, string>(snapshot, keeping);
  yield* forEachInSlices(differences, ([key, { after }]) => {
    if (after === undefined) draft.delete(key, undefined, true, undefined);
    else draft.upsert({ key, object: after }, undefined);
  });
  return yield* draft.finish(snapshot.resourceVersion, false);
}
