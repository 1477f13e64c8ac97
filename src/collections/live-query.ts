import { Observable, type SchedulerLike, type Subscription } from 'rxjs';
import { type RxInformersError } from '../kubernetes/errors.js';
import { isSameIncarnation } from '../kubernetes/object.js';
import type { Footprint, Query } from '../queries/query.js';
import { Bucket } from '../store/bucket.js';
import type { Change, ChangeSet, DeletedChange } from '../store/change.js';
import type { IndexedSnapshot } from '../store/indexed-snapshot.js';
import type { BucketReads } from '../store/snapshot.js';
import type { CommitLog } from './commit-log.js';
import { selectError } from './errors.js';
import type { Announcement } from './listeners.js';
import type { SlowSubscribers, StreamName } from './reports.js';

/** The dependencies of every stream of a collection. */
export interface LiveQueryContext<T> {
  readonly log: CommitLog<T>;
  /** Keeps the source connected until `holder` is closed. */
  readonly retain: (holder: Subscription) => void;
  /** Reports an error that a function of the subscriber threw. */
  readonly report: (error: RxInformersError<'RXI_SELECT'> | RxInformersError<'RXI_HANDLER'>) => void;
  /** Finds slow subscribers; `undefined` if they are parts of this package. */
  readonly slow: SlowSubscribers | undefined;
  /** The clock of event handlers. */
  readonly scheduler: SchedulerLike;
}

/**
 * Turns the versions of one collection into the values of one subscriber: emits the state of its
 * first version, and then, with an announcement, the changes of each later commit. After an emptied
 * collection it is the first content again (`announcement.isFirst`), without `keys`, and replaces
 * what the subscriber has.
 */
export type Follower<T, R> = (
  snapshot: IndexedSnapshot<T>,
  emit: (value: R) => void,
  announcement?: Announcement<T>,
  keys?: readonly string[],
) => void;

/**
 * Creates a stream over a collection: the state as soon as there is one, then changes.
 *
 * It uses `new Observable`, because the order of these steps matters:
 *
 * 1. The listener is added first, for commits of a synchronous source or the subscriber itself.
 * 2. The reference is taken before the first value. If a subscriber ends its old subscription
 * during that emission, the informer keeps running for the new one.
 * 3. On teardown the listener is removed first: nothing is emitted while disconnecting (G8).
 */
export function liveQuery<T, R>(
  { log, retain, slow }: LiveQueryContext<T>,
  stream: StreamName,
  footprint: Footprint,
  follower: () => Follower<T, R>,
): Observable<R> {
  return new Observable<R>((subscriber) => {
    const follow = follower();
    const next = (value: R): void => subscriber.next(value);
    const emit = slow?.timed(stream, next) ?? next;
    let hasStarted = false;
    const startFrom = (snapshot: IndexedSnapshot<T>): void => {
      if (hasStarted || subscriber.closed || snapshot.version === 0) return;
      hasStarted = true;
      follow(snapshot, emit);
    };
    subscriber.add(
      log.listeners.add(footprint, {
        announce: (announcement, keys) => {
          if (subscriber.closed) return;
          try {
            const { snapshot } = announcement.commit;
            if (hasStarted) follow(snapshot, emit, announcement, keys);
            else startFrom(snapshot);
          } catch (error) {
            // An error of a follower ends only its own stream. The other listeners are still
            // called.
            subscriber.error(error);
          }
        },
        complete: () => subscriber.complete(),
      }),
    );
    retain(subscriber);
    log.startSubscriber(startFrom);
  });
}

/**
 * Creates followers of a query, which emit the answer, and again whenever it differs. An error of
 * the query is reported and the last answer stays, because data streams never error (G4).
 */
export function liveAnswer<T, R>(
  query: Query<T, R>,
  stream: StreamName,
  { slow, report }: Pick<LiveQueryContext<T>, 'slow' | 'report'>,
): () => Follower<T, R> {
  return () => {
    const timed = query.id === undefined ? slow?.timed(stream, query.read) : undefined;
    const read = query.track?.() ?? timed ?? query.read;
    // Two variables instead of an object: a bucket may have thousands of subscribers.
    let last: R | undefined;
    let hasAnswered = false;
    let hasMissed = false;
    return (snapshot, emit, announcement, keys) => {
      // The version did not change, as in a resync, so no comparison is needed.
      if (snapshot.version === announcement?.previous.version) return;
      let answer: R;
      try {
        answer = read(snapshot, hasMissed || announcement?.isFirst === true ? undefined : keys);
        hasMissed = false;
        if (hasAnswered && query.isEqual(last as R, answer)) return;
      } catch (cause) {
        hasMissed = true;
        report(selectError(snapshot.version, cause));
        return;
      }
      last = answer;
      hasAnswered = true;
      emit(answer);
    };
  };
}

/**
 * Follows one bucket: its state as a change set with reason `initial`, then the changes of each
 * commit (`changesOf`). First content after an emptied collection replaces the state: objects that
 * it lacks are deleted, as by a relist.
 */
export function liveChanges<T>(
  bucketOf: (snapshot: IndexedSnapshot<T>) => BucketReads<T> | undefined,
  changesOf: (announcement: Announcement<T>, keys: readonly string[]) => readonly Change<T>[],
): () => Follower<T, ChangeSet<T>> {
  return () => {
    let current: BucketReads<T> = Bucket.empty<T>();
    return (snapshot, emit, announcement, keys = []) => {
      const before = current;
      current = bucketOf(snapshot) ?? Bucket.empty<T>();
      if (announcement === undefined) {
        emit(stateChangeSet(current));
        return;
      }
      const { isFirst, commit } = announcement;
      const changes = isFirst ? replacement(before, current) : changesOf(announcement, keys);
      if (changes.length > 0) emit({ reason: isFirst ? 'relist' : commit.reason, changes });
    };
  };
}

/**
 * Returns the changes of one bucket in a commit: the net effect on each key.
 *
 * | before the commit | after it | change |
 * | --- | --- | --- |
 * | outside | inside | added |
 * | inside | inside, another object | updated; deleted and added if the uid differs |
 * | inside | outside, still in the store | deleted, with the object as it was in the bucket (D10) |
 * | inside | gone from the store | deleted, with its final state |
 */
export function bucketChanges<T>(
  before: BucketReads<T> | undefined,
  after: BucketReads<T> | undefined,
  keys: readonly string[],
  announcement: Announcement<T>,
): readonly Change<T>[] {
  return differences(before, after, keys, (key, object) => announcement.deletion(key) ?? deletion(key, object, false));
}

/** Returns the changes from one state to another: deletions, as tombstones, first (D3). */
function replacement<T>(before: BucketReads<T>, after: BucketReads<T>): readonly Change<T>[] {
  const gone = before.keys().filter((key) => !after.has(key));
  return differences(before, after, [...gone, ...after.keys()], (key, object) => deletion(key, object, true));
}

function differences<T>(
  before: BucketReads<T> | undefined,
  after: BucketReads<T> | undefined,
  keys: readonly string[],
  removal: (key: string, object: T) => DeletedChange<T>,
): readonly Change<T>[] {
  return keys.flatMap((key): Change<T>[] => {
    const previous = before?.get(key)?.object;
    const object = after?.get(key)?.object;
    if (previous === object) return [];
    if (previous === undefined) return object === undefined ? [] : [{ type: 'added', key, object }];
    if (object === undefined) return [removal(key, previous)];
    if (isSameIncarnation(previous, object) === false) return [removal(key, previous), { type: 'added', key, object }];
    return [{ type: 'updated', key, object, previous }];
  });
}

/** Returns the state as a change set, which every subscriber receives first (G1). */
function stateChangeSet<T>(bucket: BucketReads<T>): ChangeSet<T> {
  const changes: Change<T>[] = [];
  bucket.forEach(({ key, object }) => changes.push({ type: 'added', key, object }));
  return { reason: 'initial', changes };
}

function deletion<T>(key: string, object: T, finalStateUnknown: boolean): DeletedChange<T> {
  return { type: 'deleted', key, object, finalStateUnknown };
}
