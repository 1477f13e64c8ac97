import { Subject, type SchedulerLike } from 'rxjs';
import { steady } from '../time/steady.js';
import type { Delta } from '../store/delta.js';
import type { Indexers } from '../store/indexing.js';
import { emptySnapshot, type IndexedSnapshot } from '../store/indexed-snapshot.js';
import { indexAgainInSlices, reduceInSlices, type IndexedCommit } from '../store/stages.js';
import type { KeepOptions } from '../store/snapshot-draft.js';
import { runSlices, type Slices } from '../store/slices.js';
import type { IndexFunctionError } from '../store/errors.js';
import { Announcement, Listeners } from './listeners.js';

/**
 * The state of one collection, and the order in which the world hears of it.
 *
 * A batch is applied at once, so that whoever fed it reads what he wrote; it is announced when the announcements before it are through.
 * A subscriber that causes another commit while it is being told of one (re-entrancy) therefore never makes two streams show different
 * commits (G3), and whoever subscribes in the middle of a round starts from the version of that round (G1).
 */
export class CommitLog<T> {
  readonly listeners = new Listeners<T>();
  /** How long each announcement took, in milliseconds. The clock is read only while there is a subscriber. */
  readonly announcementTimes = new Subject<number>();
  #latest: IndexedSnapshot<T>;
  #announced: IndexedSnapshot<T>;
  #isApplying = false;
  #isAnnouncing = false;
  #isComplete = false;
  #pending: IndexedCommit<T>[] = [];

  constructor(
    indexers: Indexers<T>,
    private readonly options: KeepOptions,
    private readonly scheduler: SchedulerLike = steady(),
  ) {
    this.#latest = emptySnapshot<T, string>(indexers);
    this.#announced = this.#latest;
  }

  /** What reads answer from: everything applied so far. */
  get latest(): IndexedSnapshot<T> {
    return this.#latest;
  }

  /** Applies deltas as one commit. Throws, and applies nothing, if an index function of this log calls it. */
  apply(deltas: readonly Delta<T>[]): IndexedCommit<T> {
    if (this.#isApplying) throw new Error('an index function wrote to the store that it indexes; write elsewhere');
    this.#isApplying = true;
    let commit: IndexedCommit<T>;
    try {
      commit = runSlices(this.prepare(deltas));
    } finally {
      this.#isApplying = false;
    }
    this.commit(commit);
    return commit;
  }

  /** What `commit` is then given, unless another commit came in between: it would be lost. */
  prepare(deltas: readonly Delta<T>[]): Slices<IndexedCommit<T>> {
    return reduceInSlices(this.#latest, deltas, this.options);
  }

  /** The same for the objects under `keys` for which an index function failed: it is called again. */
  prepareIndexing(keys: readonly string[]): Slices<IndexedCommit<T>> {
    return indexAgainInSlices(this.#latest, keys, this.options);
  }

  commit(commit: IndexedCommit<T>): void {
    this.#latest = commit.snapshot;
    this.#pending.push(commit);
    this.#announce();
  }

  /**
   * Tells a newcomer what has been announced so far, as a round of its own: a commit that he causes meanwhile is announced to him, and to
   * everybody, when he has heard it all; and a log that is complete completes him then.
   */
  welcome(tell: (announced: IndexedSnapshot<T>) => void): void {
    if (this.#isAnnouncing) {
      tell(this.#announced);
      return;
    }
    this.#isAnnouncing = true;
    try {
      tell(this.#announced);
    } finally {
      this.#isAnnouncing = false;
      this.#announce();
    }
  }

  /** S11: nothing is announced, because no content changed; versions that wait to be announced learn the indexes too. */
  addIndexers(indexers: Indexers<T>, report: (error: IndexFunctionError) => void): void {
    const latest = this.#latest.withIndexers(indexers, report);
    const learn = (snapshot: IndexedSnapshot<T>): IndexedSnapshot<T> =>
      snapshot === this.#latest ? latest : snapshot.withIndexers(indexers, ignore);
    this.#announced = learn(this.#announced);
    this.#pending = this.#pending.map((commit) => ({ ...commit, snapshot: learn(commit.snapshot) }));
    this.#latest = latest;
  }

  complete(): void {
    this.#isComplete = true;
    this.#announce();
  }

  /** Forgets everything but the indexes; what waited to be announced is not announced any more (G8). */
  reset(): void {
    this.#pending = [];
    this.#isComplete = false;
    this.#latest = emptySnapshot(this.#latest.indexers);
    this.#announced = this.#latest;
  }

  #announce(): void {
    if (this.#isAnnouncing) return;
    this.#isAnnouncing = true;
    try {
      for (let commit = this.#pending.shift(); commit; commit = this.#pending.shift()) {
        const announcement = new Announcement<T>(this.#announced, commit);
        this.#announced = commit.snapshot;
        if (announcement.hasNews) this.#announceTimed(announcement);
      }
    } finally {
      this.#isAnnouncing = false;
    }
    if (this.#isComplete) this.listeners.complete();
  }

  #announceTimed(announcement: Announcement<T>): void {
    const began = this.announcementTimes.observed ? this.scheduler.now() : undefined;
    this.listeners.announce(announcement);
    if (began !== undefined) this.announcementTimes.next(this.scheduler.now() - began);
  }
}

function ignore(): void {
  // The same object fails in the same way in every version; it was reported for the latest one.
}
