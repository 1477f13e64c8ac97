import { Observable, type Subscription } from 'rxjs';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Announcement } from './announcement.js';
import type { CommitLog } from './commit-log.js';
import { SelectError } from './errors.js';
import type { Listener, Listeners } from './listeners.js';
import type { SlowSubscribers, StreamName } from './reports.js';

/** What every stream of a collection is made from. */
export interface LiveQueryContext<T> {
  readonly log: CommitLog<T>;
  /** Keeps the source connected until `holder` is closed. */
  readonly retain: (holder: Subscription) => void;
  /** Reports what a function of the subscriber threw. */
  readonly report: (error: SelectError) => void;
  readonly slow: SlowSubscribers;
}

/** Turns the versions of one collection into the values of one subscriber. */
export interface Follower<T, R> {
  /** Emits the state of the first version that the subscriber gets. */
  start(snapshot: IndexedSnapshot<T>, emit: (value: R) => void): void;
  /**
   * Emits what a later commit changes for the subscriber. If the collection was emptied in between,
   * the commit is the first content again (`announcement.isFirst`), `keys` is empty, and the commit
   * replaces all that the subscriber has.
   */
  follow(announcement: Announcement<T>, keys: readonly string[], emit: (value: R) => void): void;
}

/**
 * Creates a stream over a collection: the state once there is one, then what changes it.
 *
 * It is written by hand because the order matters:
 *
 * 1. The listener is added first, so that commits of a synchronous source, and commits that the
 *    subscriber itself causes, reach it.
 * 2. The reference is taken before the first value is emitted. A subscriber may end its old
 *    subscription inside that value: the informer keeps running for the new one.
 * 3. On the way out the listener leaves first, so that nothing is emitted while the source is being
 *    disconnected (G8).
 */
export function liveQuery<T, R>(
  { log, retain, slow }: LiveQueryContext<T>,
  stream: StreamName,
  listen: (listeners: Listeners<T>, listener: Listener<T>) => () => void,
  follower: () => Follower<T, R>,
): Observable<R> {
  return new Observable<R>((subscriber) => {
    const followed = follower();
    const emit = slow.timed(stream, (value: R) => {
      subscriber.next(value);
    });
    let hasStarted = false;
    const startFrom = (snapshot: IndexedSnapshot<T>): void => {
      if (hasStarted || subscriber.closed || snapshot.version === 0) return;
      hasStarted = true;
      followed.start(snapshot, emit);
    };
    subscriber.add(
      listen(log.listeners, {
        announce: (announcement, keys) => {
          if (subscriber.closed) return;
          try {
            if (hasStarted) followed.follow(announcement, keys, emit);
            else startFrom(announcement.commit.snapshot);
          } catch (error) {
            // A follower that fails ends its own stream; the announcement goes on with the others.
            subscriber.error(error);
          }
        },
        complete: () => {
          subscriber.complete();
        },
      }),
    );
    retain(subscriber);
    log.welcome(startFrom);
  });
}

/** A live query that is one value of a version, given again whenever it differs (by identity, unless told otherwise). */
export function liveValue<T, R>(
  read: (snapshot: IndexedSnapshot<T>) => R,
  isEqual: (a: R, b: R) => boolean = Object.is,
): () => Follower<T, R> {
  return () => {
    let last: R;
    return {
      start(snapshot, emit) {
        last = read(snapshot);
        emit(last);
      },
      follow({ previous, commit }, _keys, emit) {
        // A resync: the version knows better than a comparison that there is nothing to compare.
        if (commit.snapshot.version === previous.version) return;
        const value = read(commit.snapshot);
        if (isEqual(last, value)) return;
        last = value;
        emit(value);
      },
    };
  };
}

/**
 * Creates a live query for a value that a function of the subscriber computes. What `project` or
 * `isEqual` throws is reported and the last value stays, because data streams never error (G4).
 */
export function selectedValue<T, R>(
  project: (snapshot: IndexedSnapshot<T>) => R,
  isEqual: (a: R, b: R) => boolean,
  report: LiveQueryContext<T>['report'],
): () => Follower<T, R> {
  return () => {
    let last: { readonly value: R } | undefined;
    const start: Follower<T, R>['start'] = (snapshot, emit) => {
      let value: R;
      try {
        value = project(snapshot);
        if (last !== undefined && isEqual(last.value, value)) return;
      } catch (cause) {
        report(new SelectError(snapshot.version, cause));
        return;
      }
      last = { value };
      emit(value);
    };
    return {
      start,
      follow({ previous, commit }, _keys, emit) {
        if (commit.snapshot.version !== previous.version) start(commit.snapshot, emit);
      },
    };
  };
}

/** Compares by `Object.is`, and two arrays element by element. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!Array.isArray(a) || !Array.isArray(b)) return false;
  return a.length === b.length && a.every((item, position) => Object.is(item, b[position]));
}
