import { Subject, type SchedulerLike } from 'rxjs';
import { steady } from '../time/clock.js';
import type { Indexers } from '../store/indexing.js';
import { emptySnapshot, type IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { IndexedCommit } from '../store/stages.js';
import type { IndexFunctionError } from '../store/errors.js';
import { Announcement, Listeners } from './listeners.js';

/**
 * The versions of one collection, and the order in which subscribers are notified of them.
 *
 * A commit is visible to reads at once (read your writes), and announced after all earlier commits.
 * So a subscriber that causes a commit while it is being notified of another one never makes two
 * streams show different commits (G3), and a subscriber that joins during an announcement starts from
 * the announced version (G1).
 */
export class CommitLog<T> {
  readonly listeners = new Listeners<T>();
  /** How long each announcement took, in milliseconds. The clock is read only while there is a subscriber. */
  readonly announcementTimes = new Subject<number>();
  #latest: IndexedSnapshot<T>;
  #announced: IndexedSnapshot<T>;
  #isAnnouncing = false;
  #isComplete = false;
  #pending: IndexedCommit<T>[] = [];

  constructor(
    indexers: Indexers<T>,
    private readonly scheduler: SchedulerLike = steady(),
  ) {
    this.#latest = emptySnapshot<T, string>(indexers);
    this.#announced = this.#latest;
  }

  /** The version that reads answer from: every commit so far is in it. */
  get latest(): IndexedSnapshot<T> {
    return this.#latest;
  }

  /** Applies a commit that was computed from `latest`, and announces it after all earlier commits. */
  commit(commit: IndexedCommit<T>): void {
    this.#latest = commit.snapshot;
    this.#pending.push(commit);
    this.#announce();
  }

  /**
   * Calls `start` with the last announced version, for a new subscriber. Commits that this causes are
   * announced afterwards. If the log has completed, all subscribers are completed then.
   */
  welcome(start: (announced: IndexedSnapshot<T>) => void): void {
    if (this.#isAnnouncing) {
      start(this.#announced);
      return;
    }
    this.#isAnnouncing = true;
    try {
      start(this.#announced);
    } finally {
      this.#isAnnouncing = false;
      this.#announce();
    }
  }

  /** Adds indexes, to versions that wait to be announced as well. Nothing is announced, because no content changed (S11). */
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

  /** Drops everything but the indexes. Commits that wait to be announced are not announced (G8). */
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
  // The same object fails in the same way in every version. It was reported for the latest one.
}
