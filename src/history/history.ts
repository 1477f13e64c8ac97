import { Observable, Subject, Subscription, startWith, type SchedulerLike } from 'rxjs';
import type { Collection } from '../collections/collection.js';
import type { Dependent } from '../collections/commit-log.js';
import type { Announcement } from '../collections/listeners.js';
import { internalsOf, type CollectionInternals } from '../collections/log-collection.js';
import { derivedCollection, type DerivedCollection, type DerivedOptions } from '../derived/core/derived-collection.js';
import { invalidOptionError } from '../kubernetes/errors.js';
import { checkedDuration, steady } from '../scheduling/clock.js';
import { runSlices, type Slices } from '../scheduling/slices.js';
import type { Change, ChangeSet } from '../store/change.js';
import type { Indexers } from '../store/index-functions.js';
import { emptySnapshot, type IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Snapshot } from '../store/snapshot.js';
import { changesPerCheckpoint, Checkpoints } from './checkpoints.js';
import { HistoryClock } from './history-clock.js';
import { collectionOf, type MovableTime, type Shown } from './movable-time.js';
import { Outages, type HistoryOutage } from './outages.js';
import { playBack, type Playback } from './playback.js';
import {
  changesOf,
  isSameObject,
  VersionLog,
  type EarlierVersion,
  type HistoryLimits,
  type HistoryVersion,
  type RecordedVersion,
} from './version-log.js';
import { Revisions, ViewAtTime, type Recording, type Revision } from './view-at-time.js';

/** A version of a history, or a time in milliseconds since 1970 or as a `Date`. */
export type HistoryMoment = HistoryVersion | number | Date;

/** The changes of one object in one version. */
export interface VersionChanges<T> {
  readonly version: HistoryVersion;
  /** One change, or two if another object replaced the object under the key. */
  readonly changes: readonly Change<T>[];
}

/** Options of `history`. */
export interface HistoryOptions {
  /** How far back the history reaches, in milliseconds. Default 600,000, which is ten minutes. */
  readonly for?: number | undefined;
  /**
   * How much memory the history may take in addition to the collection, in bytes as estimated by
   * `history.bytes`. The oldest versions are dropped first; the newest one always stays. Default
   * 268,435,456 (256 MiB).
   */
  readonly bytes?: number | undefined;
  /**
   * If the memory reaches `bytes`, old versions are joined before the oldest are dropped: into
   * versions of at most this many milliseconds, and of at most an eighth of their age. A joined
   * version has `isThinned`. Default 0: no version is joined.
   */
  readonly thinTo?: number | undefined;
  /**
   * The time span of one version, in milliseconds. All changes within this span become one version.
   * A shorter span is more exact and costs more memory. Default 100.
   */
  readonly every?: number | undefined;
  /** The clock of versions. Default: the clock of the collection. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Keeps the versions of a collection for some time. You can read the objects at an earlier time,
 * compare two times, and show any time as a collection.
 *
 * It records while the collection runs, but does not keep the collection running. To keep it
 * running, use `connect`, or subscribe to a view. If the collection stops, the recorded versions
 * stay. When it runs again, the next version contains all changes since it stopped.
 *
 * If the rights to a collection are withdrawn, its past is dropped as well: when the status becomes
 * `forbidden` and the collection is empty, the history begins again with this empty state.
 *
 * **Guarantees**: After a version was read, it does not change any more. Versions share objects
 * with each other and with the collection, so a change costs only the memory of the parts that it
 * replaces. A failing or slow subscriber has no effect on the history.
 */
export interface CollectionHistory<T, I extends string = string> {
  /** All versions, oldest first. The array stays the same until there is a new version. */
  readonly versions: readonly HistoryVersion[];
  readonly oldest: HistoryVersion | undefined;
  readonly newest: HistoryVersion | undefined;
  /** Emits each version when it begins; it may change until its time span is over. */
  readonly newest$: Observable<HistoryVersion | undefined>;
  /**
   * An estimate of the memory that the history takes in addition to the collection. It counts the
   * parts of earlier versions of objects that later versions do not share, with one byte for each
   * character, and 500 bytes for each change.
   */
  readonly bytes: number;
  /** False once the history was stopped. */
  readonly isRecording: boolean;

  /** Returns the last version up to `time`, or else the oldest one. Costs O(log n). */
  versionAt(time: number | Date): HistoryVersion | undefined;
  /** When the source was not connected, oldest first; kept as long as versions. */
  readonly outages: readonly HistoryOutage[];
  /**
   * Returns the time up to which the state at `time` is known: `time` itself, or the beginning of
   * the outage in which `time` is. What `at(time)` returns has all changes up to then. Of later
   * changes it may have some.
   *
   * While a connection is dead and this is not yet noticed, `time` counts as known. Afterwards it
   * is in the outage.
   *
   * @returns `undefined` for a time before the oldest version
   * @example
   * import { collectionHistory } from 'rx-informers/history';
   *
   * const pods = collectionHistory(podInformer);
   * const asked = Date.now() - 60_000;
   * const known = pods.asOf(asked);
   * if (known !== asked) console.log('an outage: state as of', known);
   */
  asOf(time: number | Date): number | undefined;
  /**
   * Returns the snapshot of the collection at a moment. For a moment before the oldest version,
   * returns the oldest one; if nothing is recorded, an empty snapshot.
   *
   * Costs O(log n) to find the version, and O(log n) for each change between it and the nearest
   * checkpoint. There are at most about 512 such changes if the version is within the last 16,000
   * changes, and at most about 4,096 if it is older. The cost does not depend on the length of the
   * history or the size of the collection. If the moment is near the one that was read last, only
   * the changes between these two moments count.
   */
  at(moment: HistoryMoment): Snapshot<T, I>;
  /**
   * Returns the changes from one moment to another. `to` may be earlier than `from`. There is at
   * most one change for each key, or two if another object replaced the object under it. A deletion
   * has the object as it was at `from`. Costs O(changes recorded in between).
   */
  diff(from: HistoryMoment, to: HistoryMoment): ChangeSet<T>;
  /**
   * Returns each version that changed the object under a key, with its changes, oldest first. The
   * oldest version of the history has no changes, so it is never included. Costs one comparison for
   * each recorded change.
   */
  changesOf(key: string): readonly VersionChanges<T>[];
  /**
   * Emits the state at `from` with reason `initial`. Then it replays the later changes at their
   * original speed, or faster. When it has caught up with the present, it continues with live
   * changes. With `to`, it completes at that moment instead.
   *
   * It runs the collection while it is subscribed.
   *
   * @example
   * import { collectionHistory } from 'rx-informers/history';
   *
   * const pods = collectionHistory(podInformer);
   * pods
   *   .changes$({ from: Date.now() - 60_000, speed: 10 })
   *   .subscribe(({ changes }) => console.log(changes.length));
   */
  changes$(playback: Playback): Observable<ChangeSet<T>>;
  /**
   * Creates a collection that follows the live one while `time` is live, and otherwise holds the
   * version at `time`. Use it like any other collection, in live queries, windows, derived
   * collections and components. A move commits the differences between the two times. All views of
   * one `time` move in one announcement.
   *
   * A time after the newest version shows the newest version, but not the versions that follow
   * later. A time before the oldest version shows the oldest version. If the history drops the
   * version that is shown, the rows stay, and the next move compares all rows.
   *
   * While `time` is live, an update costs as much time and memory as in `derived.filter`.
   *
   * **Guarantees**: J1–J8.
   *
   * @param options as for every derived collection; the view has the indexes of the collection, and
   *   those in `indexers`
   * @throws `RXI_INVALID_OPTION` if `time` was not created by `movableTime`
   * @example
   * import { collectionHistory, movableTime } from 'rx-informers/history';
   *
   * const time = movableTime();
   * const pods = collectionHistory(podInformer).view(time);
   * pods.byIndex$('node', 'worker-1').subscribe((shown) => console.log(shown.length));
   * time.moveTo(Date.now() - 60_000);
   */
  view<const J extends string = never>(time: MovableTime, options?: DerivedOptions<T, J>): DerivedCollection<T, I | J>;
  /**
   * Adds versions before the oldest one, for example versions that another process has recorded.
   * Views whose time is before the oldest version move to the version of their time.
   *
   * Objects that do not differ are ignored, so versions may be added twice. The limits of the
   * history apply: raise them first with `keep`.
   *
   * @param versions the earlier versions, oldest first. A time after the oldest recorded version
   *   counts as the time of that version
   * @param outages the outages in that time; default none
   * @example
   * import { collectionHistory } from 'rx-informers/history';
   *
   * const pods = collectionHistory(podInformer);
   * // Until a minute ago, there was no pod web/a.
   * pods.prepend([{ time: Date.now() - 60_000, objects: new Map([['web/a', undefined]]) }]);
   */
  prepend(versions: readonly EarlierVersion<T>[], outages?: readonly HistoryOutage[]): void;
  /**
   * Changes the limits of the history. Versions beyond a smaller limit are dropped at the next
   * record or read.
   *
   * @param reach the new limits; a missing one stays as it is
   * @throws `RXI_INVALID_OPTION` for an invalid limit
   * @example
   * import { collectionHistory } from 'rx-informers/history';
   *
   * collectionHistory(podInformer).keep({ for: 3_600_000 });
   */
  keep(reach: Pick<HistoryOptions, 'for' | 'bytes'>): void;
  /** Keeps the collection running until it is closed, so that the history has no gap. */
  connect(): Subscription;
  /**
   * Stops recording, and drops all versions. A view that shows an earlier time keeps its rows until
   * the next move. After that, it shows the live collection.
   */
  stop(): void;
}

/**
 * Records the versions of a collection, bounded by time and by memory.
 *
 * Each change costs two lookups, about 500 bytes, and the memory of the replaced parts of the
 * object. A new version begins at most every 100 ms (`every`).
 *
 * @param collection the collection to record; the snapshots have the indexes that it has now
 * @param options the limits in time and memory
 * @returns a history, which records until it is stopped
 * @throws `RXI_INVALID_OPTION` if `for`, `every` or `bytes` is not a valid number of milliseconds
 *   or bytes
 * @example
 * import { collectionHistory } from 'rx-informers/history';
 *
 * const pods = collectionHistory(podInformer, { for: 600_000 });
 * pods.connect();
 * const aMinuteAgo = Date.now() - 60_000;
 * console.log(pods.at(aMinuteAgo).byIndex('node', 'worker-1').length);
 * console.log(pods.diff(aMinuteAgo, Date.now()).changes.length);
 */
export function collectionHistory<T, I extends string>(
  collection: Collection<T, I>,
  options: HistoryOptions = {},
): CollectionHistory<T, I> {
  return new RecordedHistory(collection, options);
}

const defaults: HistoryLimits = { for: 600_000, bytes: 2 ** 28, every: 100, thinTo: 0 };

/** Returns valid limits: those of `options`, and otherwise the present ones. */
function limitsOf(options: HistoryOptions, present: HistoryLimits): HistoryLimits {
  const { for: reach = present.for, bytes = present.bytes, every = present.every, thinTo = present.thinTo } = options;
  if (!(bytes >= 0)) throw invalidOptionError('bytes', bytes, '0 or more');
  return {
    for: checkedDuration('for', reach),
    bytes,
    every: checkedDuration('every', every),
    thinTo: checkedDuration('thinTo', thinTo),
  };
}

class RecordedHistory<T, I extends string> implements CollectionHistory<T, I>, Dependent, Recording<T> {
  readonly height: number;
  readonly newest$: Observable<HistoryVersion | undefined>;
  readonly #internals: CollectionInternals<T>;
  readonly #clock: HistoryClock;
  readonly #log: VersionLog<T>;
  readonly #checkpoints: Checkpoints<T>;
  readonly #outages: Outages;
  readonly #revisions = new Revisions();
  readonly #statuses: Subscription;
  readonly #started = new Subject<HistoryVersion | undefined>();
  /** The last snapshot that was recorded. */
  #recorded: IndexedSnapshot<T> | undefined;
  #isRecording = true;

  constructor(
    private readonly collection: Collection<T, I>,
    options: HistoryOptions,
  ) {
    this.#internals = internalsOf<T>(collection);
    const { log } = this.#internals;
    this.#clock = new HistoryClock(options.scheduler === undefined ? log.scheduler : steady(options.scheduler));
    const limits = limitsOf(options, defaults);
    this.#log = new VersionLog(limits, this.#clock);
    this.#revisions.next();
    this.#checkpoints = new Checkpoints(this.#log);
    this.height = log.height + 1;
    this.newest$ = new Observable((subscriber) => this.#started.pipe(startWith(this.newest)).subscribe(subscriber));
    log.dependents.add(this);
    if (log.announced.version > 0) this.#record(log.announced, []);
    this.#outages = new Outages(this.#clock, () => this.#log.limits.for);
    this.#statuses = this.#outages.follow(collection, () => this.#recorded !== undefined);
    this.#statuses.add(collection.status$.subscribe(({ state }) => this.#noteRights(state)));
  }

  get versions(): readonly HistoryVersion[] {
    this.#trim();
    return this.#log.recorded;
  }

  get oldest(): HistoryVersion | undefined {
    this.#trim();
    return this.#log.oldest;
  }

  get newest(): RecordedVersion<T> | undefined {
    return this.#log.newest;
  }

  get bytes(): number {
    this.#log.seal();
    return this.#log.bytes;
  }

  get isRecording(): boolean {
    return this.#isRecording;
  }

  get outages(): readonly HistoryOutage[] {
    return this.#outages.all;
  }

  asOf(time: number | Date): number | undefined {
    const moment = this.#clock.momentOf(Number(time));
    const version = this.versionAt(time);
    if (version === undefined || version.moment > moment) return undefined;
    return this.#clock.timeOf(this.#outages.knownUntil(moment));
  }

  versionAt(time: number | Date | undefined): RecordedVersion<T> | undefined {
    this.#trim();
    return time === undefined ? undefined : this.#log.at(this.#clock.momentOf(Number(time)));
  }

  at(moment: HistoryMoment): Snapshot<T, I> {
    const version = this.#versionOf(moment);
    const snapshot = version === undefined ? emptySnapshot(this.#indexers) : runSlices(this.snapshotOf(version));
    return snapshot;
  }

  diff(from: HistoryMoment, to: HistoryMoment): ChangeSet<T> {
    const [start, end] = [this.#versionOf(from), this.#versionOf(to)];
    const differences =
      start === undefined || end === undefined ? undefined : runSlices(this.#log.between(start.version, end.version));
    return { reason: 'watch', changes: differences === undefined ? [] : changesOf(differences) };
  }

  changesOf(key: string): readonly VersionChanges<T>[] {
    this.#trim();
    const found: VersionChanges<T>[] = [];
    for (const version of this.#log.recorded) {
      const difference = version.differenceOf(key);
      if (difference !== undefined) found.push({ version, changes: changesOf(new Map([[key, difference]])) });
    }
    return found;
  }

  changes$(playback: Playback): Observable<ChangeSet<T>> {
    return playBack(this, playback, this.#clock);
  }

  view<const J extends string = never>(
    time: MovableTime,
    options: DerivedOptions<T, J> = {},
  ): DerivedCollection<T, I | J> {
    const { indexers, ...others } = options;
    return derivedCollection<readonly [T, Shown, Revision], T, string>(
      {
        operator: 'view',
        inputs: [this.collection, collectionOf(time), this.#revisions.collection],
        derivation: () => new ViewAtTime<T>(this),
        // Rows are objects of the collection, which has shared their structure and frozen them.
        shareStructure: false,
        freeze: false,
      },
      {
        resource: this.collection.resource,
        name: `view(${this.#internals.name})`,
        ...others,
        indexers: { ...this.#indexers, ...indexers },
      },
    );
  }

  prepend(versions: readonly EarlierVersion<T>[], outages: readonly HistoryOutage[] = []): void {
    const { oldest } = this.#log;
    if (oldest === undefined) return;
    this.#log.seal();
    const snapshot = runSlices(this.snapshotOf(oldest));
    this.#log.prepend(versions, (key) => snapshot.get(key), this.#isSame);
    this.#outages.prepend(outages);
    this.#checkpoints.keepOldest(this.#log.oldest ?? oldest);
    this.#revisions.next();
  }

  keep(reach: Pick<HistoryOptions, 'for' | 'bytes'>): void {
    this.#log.limits = limitsOf({ for: reach.for, bytes: reach.bytes }, this.#log.limits);
  }

  connect(): Subscription {
    const connection = new Subscription();
    this.#internals.retain(connection);
    return connection;
  }

  stop(): void {
    this.#isRecording = false;
    this.#internals.log.dependents.delete(this);
    this.#recorded = undefined;
    this.#statuses.unsubscribe();
    this.#outages.clear();
    this.#log.clear();
    this.#checkpoints.clear();
    this.#started.complete();
  }

  after(moment: number): RecordedVersion<T> | undefined {
    return this.#log.after(moment);
  }

  between(from: number, to: number): ReturnType<VersionLog<T>['between']> {
    return this.#log.between(from, to);
  }

  snapshotOf(version: RecordedVersion<T>): ReturnType<Checkpoints<T>['snapshot']> {
    return this.#checkpoints.snapshot(version);
  }

  // The log of the collection calls the methods below. The history computes nothing during a
  // commit; it records each announcement.

  settle(): ReturnType<Dependent['settle']> {
    return nothing();
  }

  inputAnnounced({ previous, commit, keys }: Announcement<unknown>): void {
    const { snapshot } = commit as { readonly snapshot: IndexedSnapshot<T> };
    if (previous === this.#recorded) this.#record(snapshot, keys);
    else this.#recordAll(snapshot);
  }

  inputCompleted(): void {
    // Recorded versions stay.
  }

  inputStopped(): () => void {
    return () => {
      // The collection may be started again.
      if (this.#isRecording) this.#internals.log.dependents.add(this);
    };
  }

  /** Records a snapshot that does not continue the last one: it was emptied, or has new indexes. */
  #recordAll(snapshot: IndexedSnapshot<T>): void {
    const last = this.#recorded;
    if (snapshot.version === 0) return;
    if (last === undefined) {
      this.#record(snapshot, []);
      return;
    }
    const isSame = this.#isSame;
    const keys = [...new Set([...last.keys(), ...snapshot.keys()])];
    this.#record(
      snapshot,
      keys.filter((key) => !isSame(last.get(key), snapshot.get(key))),
    );
    const { newest } = this;
    // So that later versions start from it, and do not keep earlier objects in memory.
    if (newest !== undefined) this.#checkpoints.keep(newest, snapshot);
  }

  #record(snapshot: IndexedSnapshot<T>, keys: readonly string[]): void {
    const previous = this.#recorded;
    this.#recorded = snapshot;
    // Without resyncs, and objects added and deleted in one commit: they change nothing.
    const changed = keys.filter((key) => previous?.get(key) !== snapshot.get(key));
    if (previous !== undefined && changed.length === 0) return;
    const { version, isNew } = this.#log.open();
    const before = isNew ? this.#log.get(version.version - 1) : undefined;
    if (before !== undefined) this.#checkpoints.keepIfFar(before);
    for (const key of changed) this.#log.note(key, previous?.get(key), snapshot.get(key));
    this.#log.setResourceVersion(snapshot.resourceVersion);
    if (previous === undefined || changed.length >= changesPerCheckpoint) {
      // The collection's own snapshot costs nothing. Any other snapshot must be computed.
      const { newest } = this;
      if (newest !== undefined) this.#checkpoints.keep(newest, snapshot);
    }
    if (!isNew) return;
    this.#trim();
    this.#started.next(version);
  }

  /** Drops the past of a collection that the caller may no longer read. */
  #noteRights(state: string): void {
    const snapshot = this.#recorded;
    if (state !== 'forbidden' || snapshot === undefined || snapshot.size > 0) return;
    this.#outages.clear();
    this.#log.clear();
    this.#checkpoints.clear();
    this.#recorded = undefined;
    this.#record(snapshot, []);
    this.#revisions.next();
  }

  /** Rows of derived collections have no resourceVersion of their own to compare. */
  get #isSame(): (a: unknown, b: unknown) => boolean {
    return this.height > 1 ? Object.is : isSameObject;
  }

  #trim(): void {
    this.#log.thin((version) => this.#checkpoints.has(version));
    const oldest = this.#log.oldestToKeep();
    if (oldest === undefined || oldest === this.#log.oldest) return;
    this.#checkpoints.trim(oldest);
    this.#log.trim(oldest);
  }

  /** Returns the version of a moment; the oldest one if that version was dropped. */
  #versionOf(moment: HistoryMoment): RecordedVersion<T> | undefined {
    if (typeof moment === 'number' || moment instanceof Date) return this.versionAt(moment);
    this.#trim();
    this.#log.seal();
    return this.#log.get(moment.version) ?? this.#log.oldest;
  }

  get #indexers(): Indexers<T> {
    return this.collection.snapshot.indexers as Indexers<unknown>;
  }
}

function* nothing(): Slices<undefined> {
  // A history computes no rows.
}
