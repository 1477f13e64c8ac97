import { Subject, type SchedulerLike } from 'rxjs';
import type { IndexFunctionError } from '../store/errors.js';
import { emptySnapshot, type IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Indexers } from '../store/index-functions.js';
import type { Slices } from '../store/slices.js';
import type { IndexedCommit } from '../store/stages.js';
import { steady } from '../time/clock.js';
import { Announcement, Listeners } from './listeners.js';
import { Rounds, type Round } from './rounds.js';

/** A derived collection that is computed from the commits of logs. */
export interface Dependent {
  /** One more than that of its highest input: the order in which a round is settled. */
  readonly height: number;
  /**
   * Computes the commit that follows from commits of its inputs, once for each round.
   *
   * @returns `undefined` if its rows stay as they are
   */
  settle(commits: Commits): Slices<Settled | undefined>;
  /** Receives each announcement of an input, before any listener. */
  noticed(announcement: Announcement<unknown>, log: CommitLog<unknown>): void;
  /** An input has completed: it keeps its content, which will not change any more. */
  inputCompleted(log: CommitLog<unknown>): void;
  /**
   * An input is being stopped: nothing is computed any more, here or in what depends on it, because
   * the content is about to go.
   *
   * @returns the function that ends it; it does nothing if it was closed in between
   */
  inputStopped(): () => void;
}

/** The commits of one round, by log. */
export type Commits = ReadonlyMap<CommitLog<unknown>, Pending<unknown>>;

/** A commit that waits to be announced. */
interface Pending<T> {
  commit: IndexedCommit<T>;
  /** The epoch of the log; a commit of an earlier one is dropped. */
  readonly epoch: object;
}

/** The dependents to settle, by height. */
type Dirty = (Set<Dependent> | undefined)[];

/** What a derived collection adds to a round. */
export interface Settled {
  readonly log: CommitLog<unknown>;
  readonly commit: IndexedCommit<unknown>;
}

/**
 * The versions of one collection, and the order in which subscribers are notified of them.
 *
 * A commit is visible to reads at once (read your writes), and announced after all earlier commits.
 * So a subscriber that causes a commit while it is being notified of another one never makes two
 * streams show different commits (G3), and a subscriber that joins during an announcement starts from
 * the announced version (G1).
 *
 * If collections are derived from this one, a commit begins a round: first all of them that it
 * touches are computed, inputs before what depends on them, each at most once. Then all are
 * announced (J1).
 */
export class CommitLog<T> {
  readonly listeners = new Listeners<T>();
  /** The derived collections that run on this one. */
  readonly dependents = new Set<Dependent>();
  /** The queue that this log shares with all logs that have a derived collection in common. */
  readonly rounds = new Rounds();
  /** How long each announcement took, in milliseconds. The clock is read only while there is a subscriber. */
  readonly announcementTimes = new Subject<number>();
  #latest: IndexedSnapshot<T>;
  #announced: IndexedSnapshot<T>;
  #waiting: Pending<T>[] = [];
  #epoch = {};
  #isComplete = false;

  constructor(
    indexers: Indexers<T>,
    readonly scheduler: SchedulerLike = steady(),
    /** 0 for the log of a cache; for a derived collection, one more than the highest of its inputs. */
    readonly height = 0,
    /** Receives the errors of a commit after it was announced. Default: the caller of `commit` reports them. */
    private readonly report?: (error: IndexedCommit<T>['errors'][number]) => void,
  ) {
    this.#latest = emptySnapshot<T, string>(indexers);
    this.#announced = this.#latest;
  }

  /** The version that reads answer from: every commit so far is in it. */
  get latest(): IndexedSnapshot<T> {
    return this.#latest;
  }

  /** The version that subscribers have been notified of, and that derived collections are computed from. */
  get announced(): IndexedSnapshot<T> {
    return this.#announced;
  }

  /** True after the last commit, until the log is emptied. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Applies a commit that was computed from `latest`, and announces it after all earlier commits. */
  commit(commit: IndexedCommit<T>): void {
    this.#latest = commit.snapshot;
    const pending: Pending<T> = { commit, epoch: this.#epoch };
    this.#waiting.push(pending);
    this.#add(() => (this.dependents.size === 0 ? this.#announce(pending) : this.#round(pending)));
  }

  /**
   * Commits in a round of its own what `compute` returns; for a derived collection, which computes
   * from the announced versions of its inputs.
   */
  commitInTurn(compute: () => Slices<IndexedCommit<T> | undefined>): void {
    this.#add(() => this.#computedRound(compute));
  }

  /** Calls `act` after all commits that wait to be announced. */
  inTurn(act: () => void): void {
    this.#add(() => {
      act();
      return undefined;
    });
  }

  /**
   * Calls `start` with the last announced version, for a new subscriber. Commits that this causes are
   * announced afterwards. If the log has completed, all subscribers are completed then.
   */
  welcome(start: (announced: IndexedSnapshot<T>) => void): void {
    this.rounds.hold(() => {
      start(this.#announced);
    });
    if (this.#isComplete) this.complete();
  }

  /** Adds indexes, to versions that wait to be announced as well. Nothing is announced, because no content changed (S11). */
  addIndexers(indexers: Indexers<T>, report: (error: IndexFunctionError) => void): void {
    this.rounds.finish();
    const latest = this.#latest.withIndexers(indexers, report);
    const learn = (snapshot: IndexedSnapshot<T>): IndexedSnapshot<T> =>
      snapshot === this.#latest ? latest : snapshot.withIndexers(indexers, ignore);
    this.#announced = learn(this.#announced);
    for (const pending of this.#waiting) {
      pending.commit = { ...pending.commit, snapshot: learn(pending.commit.snapshot) };
    }
    this.#latest = latest;
  }

  /** Completes all listeners after the commits that wait. */
  complete(): void {
    this.#isComplete = true;
    this.inTurn(() => {
      this.listeners.complete();
      for (const dependent of [...this.dependents]) dependent.inputCompleted(this as CommitLog<unknown>);
    });
  }

  /** Drops everything but the indexes. Commits that wait to be announced are not announced (G8). */
  reset(): void {
    this.#epoch = {};
    this.#waiting = [];
    this.#isComplete = false;
    this.#latest = emptySnapshot(this.#latest.indexers);
    this.#announced = this.#latest;
    this.rounds.drop(this);
  }

  /** Removes all listeners and dependents, and returns the function that ends them. */
  detach(): () => void {
    const listeners = this.listeners.detach();
    const ends = [...this.dependents].map((dependent) => dependent.inputStopped());
    this.dependents.clear();
    return () => {
      for (const listener of listeners) listener.complete();
      for (const end of ends) end();
    };
  }

  #add(begin: Round['begin']): void {
    this.rounds.add({ owner: this, scheduler: this.scheduler, begin });
  }

  *#computedRound(compute: () => Slices<IndexedCommit<T> | undefined>): Slices<() => void> {
    const commit = yield* compute();
    if (commit === undefined) return ignore;
    return yield* this.#round({ commit, epoch: this.#epoch });
  }

  /** Settles all that depends on a commit, lowest first, and returns the function that announces all of it. */
  *#round(first: Pending<T>): Slices<() => void> {
    const commits = new Map<CommitLog<unknown>, Pending<unknown>>([
      [this as CommitLog<unknown>, first as Pending<unknown>],
    ]);
    const dirty: Dirty = [];
    this.#touch(first, dirty);
    // What is settled adds to higher levels only: the loop reaches them.
    for (const level of dirty) {
      for (const dependent of level ?? []) {
        const settled = yield* dependent.settle(commits);
        if (settled === undefined) continue;
        const pending = { commit: settled.commit, epoch: settled.log.#epoch };
        commits.set(settled.log, pending);
        settled.log.#touch(pending, dirty);
      }
    }
    return () => {
      this.#announceAll(commits);
    };
  }

  /** Marks what has to be settled after a commit of this log. */
  #touch({ commit }: Pending<T>, dirty: Dirty): void {
    // A resync changes no content, so nothing that is derived from it changes.
    if (commit.snapshot.version === this.#announced.version) return;
    for (const dependent of this.dependents) (dirty[dependent.height] ??= new Set()).add(dependent);
  }

  #announceAll(commits: Commits): void {
    const announcements: [CommitLog<unknown>, Announcement<unknown>][] = [];
    // All versions first, so that no listener sees one collection before and another one after the round.
    for (const [log, pending] of commits) {
      const announcement = log.#advance(pending);
      if (announcement === undefined) continue;
      for (const dependent of log.dependents) dependent.noticed(announcement, log);
      announcements.push([log, announcement]);
    }
    for (const [log, announcement] of announcements) log.#notify(announcement);
    for (const [{ report }, { commit }] of commits) if (report !== undefined) commit.errors.forEach(report);
  }

  /** Makes a commit the announced version; returns `undefined` if the log was emptied since. */
  #advance(pending: Pending<T>): Announcement<T> | undefined {
    if (pending.epoch !== this.#epoch) return undefined;
    if (this.#waiting[0] === pending) this.#waiting.shift();
    const { commit } = pending;
    const announcement = new Announcement<T>(this.#announced, commit);
    // The commit of a derived collection can be read when it is announced, that of an input before.
    if (this.#latest === this.#announced) this.#latest = commit.snapshot;
    this.#announced = commit.snapshot;
    return announcement;
  }

  #announce(pending: Pending<T>): undefined {
    const announcement = this.#advance(pending);
    if (announcement !== undefined) this.#notify(announcement);
  }

  #notify(announcement: Announcement<T>): void {
    if (!announcement.hasNews) return;
    const began = this.announcementTimes.observed ? this.scheduler.now() : undefined;
    this.listeners.announce(announcement);
    if (began !== undefined) this.announcementTimes.next(this.scheduler.now() - began);
  }
}

function ignore(): void {
  // The error of an index function: the same object fails in the same way in every version, and the
  // error was reported for the latest version.
}
