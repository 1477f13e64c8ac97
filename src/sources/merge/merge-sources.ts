import { asyncScheduler, isObservable, Observable, of, type SchedulerLike, Subscription } from 'rxjs';
import { invalidOptionError } from '../../kubernetes/errors.js';
import { wallTime } from '../../scheduling/clock.js';
import {
  batchesOf,
  commonFacts,
  Contacts,
  type KnownObjects,
  type ResourceSource,
  type Source,
  sourceWithKnownObjects,
  sourceWith,
} from '../model/source.js';
import type { StatusEvent, WatchEvent, WatchEventBatch } from '../model/watch-event.js';
import {
  createDeferredContent,
  leastHealthy,
  partitionIn,
  isEqualStatusEvent,
  stampPartition,
  statusesByPartition,
  stopped,
} from './merge-state.js';

/** Sources by name. The name becomes the partition of the source's events. */
export type SourceSet<T> = Readonly<Record<string, Source<T>>>;

/** Options of {@link mergeSources}. */
export interface MergeOptions {
  /**
   * The states in which a source of the first set does not hold back the first lists of other
   * sources. Default `[]`: the first lists wait for every source, so an informer that has synced
   * knows all existing objects.
   *
   * With `['forbidden', 'not-found']`, a source that is not allowed to list (401, 403), or whose
   * kind is not installed (404), counts as synced and empty after its first failure. With
   * `'backing-off'`, the same holds for a source that cannot be reached. `errors$` still emits the
   * error, and the status reports the state. The cost: an object that is not in the cache may
   * exist. So do not use this for a controller that deletes things because an object is absent.
   */
  readonly startWithout?: readonly ('forbidden' | 'not-found' | 'backing-off')[] | undefined;
  /**
   * The clock for the time in the `watching` status of a set that became empty. Default: the clock
   * that all sources share, otherwise `asyncScheduler`.
   */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Merges several sources into one: namespaces, clusters, or any other sources with names. The set
 * of sources may change.
 *
 * | in | out |
 * | --- | --- |
 * | changes and lists of a source named `a` | the same events with partition `a`, or `a/x` if they
 * already have a partition `x` |
 * | the first lists | all first lists in one batch, as soon as every source of the first set has
 * listed once |
 * | `ERROR` | the same error at once, with the partition of its source |
 * | `STATUS` of any source | the status of the least healthy source, with its partition, unless
 * nothing has changed; `members` has the status of each source |
 * | a source joins | the list of that source, when it arrives |
 * | a source leaves | an empty `LISTED` for each partition of that source, in one batch |
 * | an empty first set, or a first set that becomes empty before its lists | an empty `LISTED` |
 * | a set that becomes empty | the same as for sources that leave, and the status `watching` |
 *
 * The order of health, the worst first: `forbidden`, `not-found`, `backing-off`, `reconnecting`,
 * `listing`, `watching`, `stopped`. Among equal states, the source that joined first counts. The
 * numbers of `listing` are sums over all sources that list.
 *
 * Events that are held back are kept as one list for each partition. This list never needs more
 * memory than the existing objects. A source that is never allowed to list (403) holds back the
 * first lists forever, like `WaitForCacheSync`; status and errors report it. To release the other
 * lists, add the state of that source to `startWithout`, remove the source from the set, or
 * complete the source. A source that joins later does not hold back any list.
 *
 * If two sources have objects of one key, an informer keeps the first one (`RXI_KEY_COLLISION`).
 * The other one takes its place when the first one is deleted or its source leaves. So an object
 * that two sources have in common is deleted only when both have left or deleted it.
 *
 * A source that `startWithout` skipped begins with an empty `LISTED`. When it is allowed to list,
 * its objects are added. A source that fails after its list, for any reason, keeps its objects:
 * losing a permission is not a deletion. These objects are stale, and status and `lastMessageAt`
 * report that. The next list of the source replaces them, with tombstones for the objects that were
 * deleted meanwhile.
 *
 * **Guarantees**: a source with the same name and identity stays subscribed when the set changes.
 * If a name gets a source with another identity, the old source leaves and the new source joins.
 * Unsubscribing unsubscribes all sources. Completes when the set and all its sources have
 * completed. **Does not guarantee**: any order between sources. **Errors**: passes on an error of a
 * source or of the set. `RXI_INVALID_OPTION` if two sources have the same partition, such as a
 * source `a/x` and a source `x` in a merged source `a`.
 *
 * @param sources the sources by name, or an Observable of such sets
 * @param options the states in which a source does not hold back other sources
 * @returns a source; give the informer `keyOf: partitionedKey()` if the sources may share keys
 * @example
 * import { fetchClient, listWatch, mergeSources, pods } from 'rx-informers';
 *
 * const east = fetchClient({ baseUrl: 'http://127.0.0.1:8001' });
 * const west = fetchClient({ baseUrl: 'http://127.0.0.1:8002' });
 * const podsOfBoth = mergeSources({ east: listWatch(east, pods), west: listWatch(west, pods) });
 */
export function mergeSources<T>(
  sources: SourceSet<T> | Observable<SourceSet<T>>,
  options: MergeOptions = {},
): ResourceSource<T> {
  return merge(sources, options);
}

function merge<T>(
  sources: SourceSet<T> | Observable<SourceSet<T>>,
  options: MergeOptions,
  known?: KnownObjects<T>,
): ResourceSource<T> {
  const facts = isObservable(sources) ? {} : commonFacts(Object.values(sources));
  const { startWithout = [], scheduler = facts.scheduler ?? asyncScheduler } = options;
  const skippedStates = new Set<string>(startWithout);
  const sets = isObservable(sources) ? sources : of(sources);
  const contacts = new Contacts();
  const merged = new Observable<WatchEventBatch<T>>((subscriber) => {
    const members = new Map<string, Member<T>>();
    const deferred = createDeferredContent<T>();
    /** The sources whose first list is awaited; `undefined` once the first lists are released. */
    let awaited: Set<string> | undefined;
    let isFirstSet = true;
    let isSetCompleted = false;
    let lastStatus: StatusEvent | undefined;

    function change(set: SourceSet<T>): void {
      const leaving = [...members.values()].filter(({ name, source }) => !hasMember(set, name, source));
      leaving.forEach(leave);
      const joining = Object.entries(set)
        .filter(([name]) => !members.has(name))
        .map(([name, source]) => createMember(name, source));
      for (const member of joining) members.set(member.name, member);
      if (isFirstSet) awaited = new Set(members.keys());
      const emptied = awaited === undefined ? leaving.flatMap(emptyLists<T>) : [];
      isFirstSet = false;
      emit([...emptied, ...release(), ...newStatus()]);
      joining.forEach(join);
      completeIfDone();
    }

    function join(member: Member<T>): void {
      // The first event of an earlier source may have changed the set, or ended the subscription.
      if (member.subscription.closed || subscriber.closed) return;
      subscriber.add(member.subscription);
      const source =
        known === undefined ? member.source : sourceWithKnownObjects(member.source, knownOf(known, member.name));
      const { contact } = source;
      if (contact !== undefined) member.subscription.add(contacts.add(contact, wallTime(scheduler)));
      const inner = batchesOf(source).subscribe({
        next: (batch) => receive(member, batch),
        error: (error: unknown) => subscriber.error(error),
        complete: () => memberCompleted(member),
      });
      member.subscription.add(inner);
    }

    function leave(member: Member<T>): void {
      member.subscription.unsubscribe();
      subscriber.remove(member.subscription);
      members.delete(member.name);
      awaited?.delete(member.name);
      if (awaited !== undefined) member.partitions.forEach((partition) => deferred.drop(partition));
    }

    function receive(member: Member<T>, batch: WatchEventBatch<T>): void {
      if (member.subscription.closed) return;
      const passed: WatchEvent<T>[] = [];
      for (const event of batch) {
        const stamped = stampPartition(event, member.name);
        switch (stamped.type) {
          case 'STATUS':
            member.status = stamped;
            if (skippedStates.has(stamped.status.state) && awaited?.delete(member.name) === true)
              member.isSkipped = true;
            passed.push(...newStatus());
            break;
          case 'ERROR':
            passed.push(stamped);
            break;
          default:
            if (!claim(member, stamped.partition)) {
              emit(passed);
              subscriber.error(invalidOptionError('sources', stamped.partition, onePartition));
              return;
            }
            if (awaited === undefined) {
              passed.push(stamped);
              break;
            }
            deferred.add(stamped);
            if (stamped.type === 'LISTED') awaited.delete(member.name);
        }
      }
      emit([...release(), ...passed]);
    }

    /**
     * Returns false if another source has the partition, because a list of this source would remove
     * the objects of the other source.
     */
    function claim(member: Member<T>, partition: string): boolean {
      if (member.partitions.has(partition)) return true;
      if ([...members.values()].some(({ partitions }) => partitions.has(partition))) return false;
      member.partitions.add(partition);
      return true;
    }

    function memberCompleted(member: Member<T>): void {
      member.isCompleted = true;
      awaited?.delete(member.name);
      if (member.status !== undefined) member.status = stopped(member.status);
      emit([...release(), ...newStatus()]);
      completeIfDone();
    }

    /** Returns the first lists, once no source is awaited. */
    function release(): readonly WatchEvent<T>[] {
      if (awaited === undefined || awaited.size > 0) return [];
      awaited = undefined;
      if (members.size === 0) return [{ type: 'LISTED', items: [], resourceVersion: '' }];
      const skipped = [...members.values()].filter(({ isSkipped, partitions }) => isSkipped && partitions.size === 0);
      for (const { name, partitions } of skipped) partitions.add(name);
      return [...deferred.take(), ...skipped.flatMap(emptyLists<T>)];
    }

    function newStatus(): readonly StatusEvent[] {
      const worst = members.size === 0 ? emptied() : leastHealthy(statuses());
      if (worst === undefined) return [];
      const status = { ...worst, status: { ...worst.status, members: statusesByPartition(members.values()) } };
      if (isEqualStatusEvent(status, lastStatus)) return [];
      lastStatus = status;
      return [status];
    }

    function statuses(): readonly StatusEvent[] {
      return [...members.values()].flatMap((member) => member.status ?? []);
    }

    /** Returns a status for an emptied set, because that of the last source must not remain. */
    function emptied(): StatusEvent | undefined {
      if (lastStatus?.partition === undefined) return lastStatus;
      return { type: 'STATUS', status: { state: 'watching', since: scheduler.now(), resourceVersion: '' } };
    }

    function emit(batch: readonly WatchEvent<T>[]): void {
      if (batch.length > 0) subscriber.next(batch);
    }

    function completeIfDone(): void {
      if (isSetCompleted && [...members.values()].every((member) => member.isCompleted)) subscriber.complete();
    }

    subscriber.add(
      sets.subscribe({
        next: (set) => {
          try {
            change(set);
          } catch (error) {
            // The value is not a set of sources, or `subscribe` of a member has thrown.
            subscriber.error(error);
          }
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          isSetCompleted = true;
          completeIfDone();
        },
      }),
    );
  });
  return sourceWith(merged, {
    ...facts,
    scheduler,
    contact: contacts,
    clientOf: isObservable(sources) ? undefined : (partition) => clientIn(sources, partition),
    withKnownObjects: (known) => merge(sources, options, known as KnownObjects<T>),
  });
}

/** Returns the client of the member that delivers a partition, or the partition within it. */
function clientIn(sources: SourceSet<unknown>, partition: string): object | undefined {
  const [name, source] = Object.entries(sources).find(([each]) => `${partition}/`.startsWith(`${each}/`)) ?? [];
  return source && name !== undefined ? source.clientOf?.(partition.slice(name.length + 1)) : undefined;
}

/**
 * Returns the objects that a subscriber holds from one member. Objects of other members are not
 * included, even if they have the same keys.
 */
function knownOf<T>(known: KnownObjects<T>, name: string): KnownObjects<T> {
  return {
    get: (key, partition) => known.get(key, partitionIn(name, partition)),
    get size() {
      return known.size;
    },
  };
}

const onePartition = 'named so that each partition belongs to one source (rename the source whose name contains "/")';

interface Member<T> {
  readonly name: string;
  readonly source: Source<T>;
  /** The partitions of the events so far; several if the source is itself merged. */
  readonly partitions: Set<string>;
  readonly subscription: Subscription;
  status: StatusEvent | undefined;
  isCompleted: boolean;
  /** Is true if the first lists were released without the list of this source. */
  isSkipped: boolean;
}

function createMember<T>(name: string, source: Source<T>): Member<T> {
  return {
    name,
    source,
    partitions: new Set(),
    subscription: new Subscription(),
    status: undefined,
    isCompleted: false,
    isSkipped: false,
  };
}

function hasMember<T>(set: SourceSet<T>, name: string, source: Source<T>): boolean {
  return Object.hasOwn(set, name) && set[name] === source;
}

function emptyLists<T>({ partitions }: Member<T>): readonly WatchEvent<T>[] {
  return [...partitions].map((partition) => ({ type: 'LISTED', items: [], resourceVersion: '', partition }));
}
