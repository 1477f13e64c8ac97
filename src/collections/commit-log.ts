import { Subject, type SchedulerLike } from 'rxjs';
import { type RxInformersError } from '../kubernetes/errors.js';
import { steady } from '../scheduling/clock.js';
import type { Slices } from '../scheduling/slices.js';
import type { Indexers } from '../store/index-functions.js';
import { emptySnapshot, type IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { IndexedCommit } from '../store/stages.js';
import { Announcement, keysOfCommit, Listeners, type Concerned } from './listeners.js';
import { QueuedRound, RoundQueue, type Begin } from './rounds.js';

/** A derived collection that is computed from the commits of logs. */
export interface Dependent {
  /** The log of its rows; `undefined` if it makes no commits. */
  readonly log?: Queued;
  /** One more than that of its highest input. Rounds compute dependents in ascending order. */
  readonly height: number;
  /**
   * Computes the commit that follows from commits of its inputs, once for each round.
   *
   * @returns `undefined` if the rows of this dependent stay as they are
   */
  settle(commits: Commits): Slices<Settled | undefined>;
  /** Receives each announcement of an input, before any listener. */
  inputAnnounced(announcement: Announcement<unknown>, log: CommitLog<unknown>): void;
  /** Called when an input has completed. Its content stays, and will not change any more. */
  inputCompleted(log: CommitLog<unknown>): void;
  /**
   * Called when an input is being stopped, and its content will be cleared. This collection and its
   * dependents then compute nothing, until the returned function is called or the log is closed.
   */
  inputStopped(): () => void;
}

/** The part of a log that decides which rounds wait for each other. */
type Queued = Pick<CommitLog<unknown>, 'rounds' | 'dependents'>;

/** The commits of one round, by log. */
export type Commits = ReadonlyMap<CommitLog<unknown>, Pending<unknown>>;

/** A commit that waits to be announced. */
interface Pending<T> {
  commit: IndexedCommit<T>;
  /** The keys of its changes, if they were collected before. */
  readonly keys?: string[] | undefined;
  /** The epoch of the log. A commit of an earlier epoch is dropped. */
  readonly epoch: object;
  /** When the commit was made; `undefined` if its delay is not measured. */
  readonly madeAt?: number | undefined;
}

/** The dependents whose commits have to be computed, by height. */
type Dirty = (Set<Dependent> | undefined)[];

/** The commit that a derived collection adds to a round. */
export interface Settled {
  readonly log: CommitLog<unknown>;
  readonly commit: IndexedCommit<unknown>;
}

/**
 * The versions of one collection, and the order in which subscribers are notified of them.
 *
 * A commit is visible to reads at once (read your writes), and announced after all earlier ones, so
 * all streams show the same commit even if a subscriber causes another one (G3). A subscriber that
 * joins meanwhile starts from the announced version (G1).
 *
 * With derived collections, a commit begins a round: those that it affects are computed, each once
 * and after its inputs. Then all these commits are announced (J1).
 */
export class CommitLog<T> {
  readonly listeners = new Listeners<T>();
  /** The running derived collections that have this collection as an input. */
  readonly dependents = new Set<Dependent>();
  /** The rounds that may change this log. */
  readonly rounds: RoundQueue;
  readonly #ownQueue: ReadonlySet<RoundQueue>;
  /** Emits the milliseconds of each announcement. They are measured only with a subscriber. */
  readonly announcementTimes = new Subject<number>();
  /** Emits the milliseconds from commit to announcement, measured only with a subscriber. */
  readonly announcementDelays = new Subject<number>();
  #latest: IndexedSnapshot<T>;
  #announced: IndexedSnapshot<T>;
  #waiting: Pending<T>[] = [];
  #isComplete = false;

  constructor(
    indexers: Indexers<T>,
    readonly scheduler: SchedulerLike = steady(),
    /** 0 for a cache; one more than its highest input's for a derived collection. */
    readonly height = 0,
    /** Receives the errors of an announced commit. Default: the caller of `commit` reports them. */
    private readonly report?: (error: IndexedCommit<T>['errors'][number]) => void,
  ) {
    this.rounds = new RoundQueue(scheduler);
    this.#ownQueue = new Set([this.rounds]);
    this.#latest = emptySnapshot<T, string>(indexers);
    this.#announced = this.#latest;
  }

  /** The version for reads. It contains every commit so far. */
  get latest(): IndexedSnapshot<T> {
    return this.#latest;
  }

  /** The last announced version, from which derived collections are computed. */
  get announced(): IndexedSnapshot<T> {
    return this.#announced;
  }

  /** True after the last commit, until the log is emptied. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Applies a commit of `latest`, and announces it after all earlier commits.
   *
   * @param keys the keys that it changed, if they were collected in slices before
   */
  commit(commit: IndexedCommit<T>, keys?: string[]): void {
    this.#latest = commit.snapshot;
    const madeAt = this.announcementDelays.observed ? this.scheduler.now() : undefined;
    const pending: Pending<T> = { commit, keys, epoch: this.rounds.epoch, madeAt };
    this.#waiting.push(pending);
    this.#queued(() => (this.dependents.size === 0 ? this.#announce(pending) : this.#round(pending))).release();
  }

  /**
   * Begins a round with the commit that `compute` returns. Derived collections call it, because
   * they compute from the announced versions of their inputs.
   */
  commitInTurn(compute: () => Slices<IndexedCommit<T> | undefined>): void {
    this.#queued(() => this.#computedRound(compute)).release();
  }

  /** Calls `act` after all commits that wait to be announced. */
  inTurn(act: () => void): void {
    this.#queued(() => {
      act();
      return undefined;
    }).release();
  }

  /**
   * Lets the next rounds of this log begin after the present rounds of its inputs. Rounds of the
   * inputs that follow may change this log, so the queue of this log orders them.
   */
  follow(inputs: readonly Queued[]): void {
    const after = inputs.map(({ rounds }) => rounds);
    this.#queued(noRound, after).release();
  }

  /**
   * Calls `start` with the last announced version, for a new subscriber. Commits that `start`
   * causes are announced afterwards. If the log has completed, all subscribers are then completed.
   */
  startSubscriber(start: (announced: IndexedSnapshot<T>) => void): void {
    const hold = this.#queued(noRound);
    try {
      start(this.#announced);
    } finally {
      hold.release();
    }
    if (this.#isComplete) this.complete();
  }

  /** Adds indexes, also to versions that wait. Nothing is announced: no content changed (S11). */
  addIndexers(indexers: Indexers<T>, report: (error: RxInformersError<'RXI_INDEX_FUNCTION'>) => void): void {
    // A round that changes a derived collection may read this one.
    for (const queue of queuesFrom(this)) queue.finish();
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
    this.rounds.epoch = {};
    this.#waiting = [];
    this.#isComplete = false;
    this.#latest = emptySnapshot(this.#latest.indexers);
    this.#announced = this.#latest;
  }

  /**
   * Removes all listeners and dependents, and returns a function that completes the listeners and
   * ends the stopped state of the dependents.
   */
  detach(): () => void {
    const listeners = this.listeners.detach();
    const ends = [...this.dependents].map((dependent) => dependent.inputStopped());
    this.dependents.clear();
    return () => {
      for (const listener of listeners) listener.complete();
      for (const end of ends) end();
    };
  }

  /** Adds a round, which begins after `release`. It is dropped once the log is emptied. */
  #queued(begin: Begin, after: readonly RoundQueue[] = []): QueuedRound {
    const queues = this.dependents.size === 0 ? this.#ownQueue : queuesFrom(this);
    return new QueuedRound(this.rounds, queues, begin, after);
  }

  *#computedRound(compute: () => Slices<IndexedCommit<T> | undefined>): Slices<() => void> {
    const commit = yield* compute();
    if (commit === undefined) return ignore;
    return yield* this.#round({ commit, epoch: this.rounds.epoch });
  }

  /** Computes the dependents' commits, the lowest first. Returns a function to announce all. */
  *#round(first: Pending<T>): Slices<() => void> {
    const commits = new Map<CommitLog<unknown>, Pending<unknown>>([
      [this as CommitLog<unknown>, first as Pending<unknown>],
    ]);
    const dirty: Dirty = [];
    this.#touch(first, dirty);
    // Settling a dependent adds dependents only to higher levels, so this loop reaches them all.
    for (const level of dirty) {
      for (const dependent of level ?? []) {
        const settled = yield* dependent.settle(commits);
        if (settled === undefined) continue;
        const pending = { commit: settled.commit, epoch: settled.log.rounds.epoch };
        commits.set(settled.log, pending);
        settled.log.#touch(pending, dirty);
      }
    }
    return () => {
      this.#announceAll(commits);
    };
  }

  /** Marks the dependents whose commits have to be computed after a commit of this log. */
  #touch({ commit }: Pending<T>, dirty: Dirty): void {
    // A resync changes no content, so no derived collection changes.
    if (commit.snapshot.version === this.#announced.version) return;
    for (const dependent of this.dependents) (dirty[dependent.height] ??= new Set()).add(dependent);
  }

  #announceAll(commits: Commits): void {
    const advanced: Advanced<unknown>[] = [];
    // All versions are advanced first, so that no listener sees one collection before the round and
    // another one after it.
    for (const [log, pending] of commits) {
      const announcement = log.#advance(pending);
      if (announcement === undefined) continue;
      for (const dependent of log.dependents) dependent.inputAnnounced(announcement, log);
      if (announcement.hasNews) advanced.push({ log, announcement, madeAt: pending.madeAt });
    }
    // Listeners are found before any is called: one that joins in a callback starts from the new
    // version and must not receive the commit again (G1).
    const concerned = advanced.map(({ log, announcement }) => log.listeners.concerned(announcement));
    advanced.forEach(({ log, announcement, madeAt }, position) => {
      log.#notify(concerned[position] as Concerned<unknown>, announcement, madeAt);
    });
    for (const [{ report }, { commit }] of commits) if (report !== undefined) commit.errors.forEach(report);
  }

  /** Makes a commit the announced version; returns `undefined` if the log was emptied since. */
  #advance(pending: Pending<T>): Announcement<T> | undefined {
    if (pending.epoch !== this.rounds.epoch) return undefined;
    if (this.#waiting[0] === pending) this.#waiting.shift();
    const { commit } = pending;
    const announcement = new Announcement<T>(this.#announced, commit, pending.keys);
    // A derived collection's commit becomes readable here, an input's was before.
    if (this.#latest === this.#announced) this.#latest = commit.snapshot;
    this.#announced = commit.snapshot;
    return announcement;
  }

  #announce(pending: Pending<T>): undefined {
    const announcement = this.#advance(pending);
    if (announcement?.hasNews !== true) return;
    this.#notify(this.listeners.concerned(announcement), announcement, pending.madeAt);
  }

  /** Calls the listeners that a commit concerns, except those that are removed meanwhile. */
  #notify(concerned: Concerned<T>, announcement: Announcement<T>, madeAt: number | undefined): void {
    if (madeAt !== undefined) this.announcementDelays.next(this.scheduler.now() - madeAt);
    const began = this.announcementTimes.observed ? this.scheduler.now() : undefined;
    for (const [listener, keys] of concerned) if (this.listeners.has(listener)) listener.announce(announcement, keys);
    if (began !== undefined) this.announcementTimes.next(this.scheduler.now() - began);
  }
}

/** The announcement of a log in a round. */
interface Advanced<T> {
  readonly log: CommitLog<T>;
  readonly announcement: Announcement<T>;
  readonly madeAt: number | undefined;
}

/** Returns the keys that a commit changed, each once, in the order of their first change. */
export function keysOfPending({ commit, keys }: Pick<Pending<unknown>, 'commit' | 'keys'>): string[] {
  return keys ?? keysOfCommit(commit);
}

function ignore(): void {
  // The error is ignored: the object fails in every version, and was reported for the latest.
}

/** Returns the queues of a log and of all logs that are derived from it. */
function queuesFrom(log: Queued | undefined, found = new Set<RoundQueue>()): Set<RoundQueue> {
  if (log === undefined || found.has(log.rounds)) return found;
  found.add(log.rounds);
  for (const dependent of log.dependents) queuesFrom(dependent.log, found);
  return found;
}

function noRound(): undefined {
  // Only keeps its place in the queues.
}
