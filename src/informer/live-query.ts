import { Observable, type Subscription } from 'rxjs';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { Announcement } from './announcement.js';
import type { CommitLog } from './commit-log.js';
import type { Listener, Listeners } from './listeners.js';

/** What every stream of a collection is made from. */
export interface LiveQueryContext<T> {
  readonly log: CommitLog<T>;
  /** Keeps the source connected until `holder` is closed; called when the subscriber has been given what there is. */
  readonly retain: (holder: Subscription) => void;
}

/** Follows one collection: how to start from a version, and what to say of a later commit. */
export interface Follower<T, R> {
  /** Gives the state of a version, to begin with. */
  start(snapshot: IndexedSnapshot<T>, emit: (value: R) => void): void;
  /** Called for each later commit that concerns this query. */
  follow(announcement: Announcement<T>, keys: readonly string[], emit: (value: R) => void): void;
}

/**
 * A stream over a collection: the state once there is one, then what changes it.
 *
 * Order matters here, which is why this is written by hand: the listener stands before the state is given out, so that a commit caused by
 * the subscriber is not lost; the source is connected last, so that a synchronous one finds the listener; on the way out the listener
 * leaves first, so that nothing is emitted while the source is being disconnected (G8).
 */
export function liveQuery<T, R>(
  { log, retain }: LiveQueryContext<T>,
  listen: (listeners: Listeners<T>, listener: Listener<T>) => () => void,
  follower: () => Follower<T, R>,
): Observable<R> {
  return new Observable<R>((subscriber) => {
    const followed = follower();
    const emit = (value: R): void => {
      subscriber.next(value);
    };
    let hasStarted = false;
    const startFrom = (snapshot: IndexedSnapshot<T>): void => {
      hasStarted = true;
      followed.start(snapshot, emit);
    };
    subscriber.add(
      listen(log.listeners, {
        announce: (announcement, keys) => {
          if (subscriber.closed) return;
          if (hasStarted) followed.follow(announcement, keys, emit);
          else if (announcement.commit.snapshot.version > 0) startFrom(announcement.commit.snapshot);
        },
        complete: () => {
          subscriber.complete();
        },
      }),
    );
    log.welcome((announced) => {
      if (announced.version > 0) startFrom(announced);
    });
    if (!subscriber.closed) retain(subscriber);
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
