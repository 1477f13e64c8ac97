import { Observable, type Subscription } from 'rxjs';
import type { Footprint, Query } from '../queries/query.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { CommitLog } from './commit-log.js';
import { SelectError } from './errors.js';
import type { Announcement } from './listeners.js';
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
  footprint: Footprint,
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
      log.listeners.add(footprint, {
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

/**
 * Follows a query: its answer, and again whenever that differs. What a function of the query throws
 * is reported and the last answer stays, because data streams never error (G4).
 */
export function liveAnswer<T, R>(
  query: Query<T, R>,
  stream: StreamName,
  { slow, report }: Pick<LiveQueryContext<T>, 'slow' | 'report'>,
): () => Follower<T, R> {
  return () => {
    const read = query.track?.() ?? timedRead(query, stream, slow);
    let last: { readonly answer: R } | undefined;
    let hasMissed = false;
    const show = (
      snapshot: IndexedSnapshot<T>,
      keys: readonly string[] | undefined,
      emit: (answer: R) => void,
    ): void => {
      let answer: R;
      try {
        answer = read(snapshot, hasMissed ? undefined : keys);
        hasMissed = false;
        if (last !== undefined && query.isEqual(last.answer, answer)) return;
      } catch (cause) {
        hasMissed = true;
        report(new SelectError(snapshot.version, cause));
        return;
      }
      last = { answer };
      emit(answer);
    };
    return {
      start(snapshot, emit) {
        show(snapshot, undefined, emit);
      },
      follow({ previous, commit, isFirst }, keys, emit) {
        // A resync: the version knows better than a comparison that there is nothing to compare.
        if (commit.snapshot.version === previous.version) return;
        show(commit.snapshot, isFirst ? undefined : keys, emit);
      },
    };
  };
}

/** A query without an id comes from the caller, so its function is timed like a subscriber. */
function timedRead<T, R>({ id, read }: Query<T, R>, stream: StreamName, slow: SlowSubscribers): Query<T, R>['read'] {
  return id === undefined ? slow.timed(stream, read) : read;
}
