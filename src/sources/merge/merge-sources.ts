import { asyncScheduler, isObservable, map, Observable, of, scan, Subscription, type SchedulerLike } from 'rxjs';
import { InvalidOptionError } from '../model/errors.js';
import { commonFacts, withFacts, type Source } from '../model/source.js';
import { asUrgentAs, toBatch, type StatusEvent, type WatchEvent, type WatchEventBatch } from '../model/watch-event.js';
import { createHeldBack, leastHealthy, saysTheSame, stampPartition, statusesByPartition } from './merge-state.js';

/** Sources by name. The name becomes the partition of what the source emits. */
export type SourceSet<T> = Readonly<Record<string, Source<T>>>;

export interface MergeOptions {
  /**
   * The states in which a source of the first set does not hold back the first lists of the others.
   * Default `[]`: the first lists wait for every source, so an informer that has synced knows all
   * existing objects.
   *
   * With `['forbidden', 'not-found']`, a source that must not list (401, 403), or whose kind is not
   * installed (404), counts as synced and empty after its first failure. With `'backing-off'`, so
   * does a source that cannot be reached. `errors$` still emits its error, and the status has its
   * state. The cost: an object that is not in the cache may exist, so a controller that deletes
   * what it does not find should not use this.
   */
  readonly startWithout?: readonly ('forbidden' | 'not-found' | 'backing-off')[] | undefined;
  /**
   * The clock for the status of a set that became empty. Default: the clock of the sources,
   * otherwise `asyncScheduler`.
   */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Merges several sources into one: namespaces, clusters, or any other sources with names. The set
 * of sources may change.
 *
 * | in | out |
 * | --- | --- |
 * | changes and lists of a source named `a` | the same with partition `a` (`a/x` if they have a partition `x`) |
 * | the first lists | held back until every source of the first set has listed once, then all in one batch |
 * | `ERROR` | at once, with the partition |
 * | `STATUS` | the status of the least healthy source, with its partition, and `members` with all of them; whenever one changes |
 * | a source joins | its list, when it arrives |
 * | a source leaves | an empty `LISTED` for each of its partitions, in one batch |
 * | an empty first set, or one that becomes empty before its lists | an empty `LISTED` |
 * | a set that becomes empty | also the status `watching` |
 *
 * The order of health, the worst first: `forbidden`, `not-found`, `backing-off`, `reconnecting`,
 * `listing`, `watching`, `stopped`. Among equal states, the first source to join counts. `listing`
 * has the sums of the numbers of all sources that list.
 *
 * What is held back is kept as one list for each partition, so it never grows larger than the
 * existing objects. A source that is never allowed to list (403) holds the first lists back for
 * ever, as `WaitForCacheSync` would; status and errors report it. To release the others, name its
 * state in `startWithout`, remove it from the set, or complete it. A source that joins later holds
 * back nothing.
 *
 * A source that `startWithout` skipped begins with an empty `LISTED`. When it is allowed to list,
 * its objects are added. A source that fails after its list, for any reason, keeps its objects:
 * losing a permission is not a deletion. They are stale, and status and `lastMessageAt` report
 * that. Its next list replaces them, with tombstones for the objects that were deleted meanwhile.
 *
 * **Guarantees**: a source with the same name and identity stays subscribed when the set changes.
 * One with another identity leaves and joins. Unsubscribing unsubscribes all sources. Completes
 * when the set and all its sources have completed. **Does not guarantee**: any order between
 * sources. **Errors**: passes on an error of a source or of the set. `InvalidOptionError` if two
 * sources have the same partition, such as a source `a/x` and a source `x` in a merged source `a`.
 *
 * @param sources the sources by name, or an Observable of such sets
 * @param options the states of a source in which it does not hold back the others
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
): Observable<WatchEventBatch<T>> {
  const facts = isObservable(sources) ? {} : commonFacts(Object.values(sources));
  const { startWithout = [], scheduler = facts.scheduler ?? asyncScheduler } = options;
  const skippedStates = new Set<string>(startWithout);
  const sets = isObservable(sources) ? sources : of(sources);
  const merged = new Observable<WatchEventBatch<T>>((subscriber) => {
    const members = new Map<string, Member<T>>();
    const heldBack = createHeldBack<T>();
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
      const emptied = awaited === undefined ? leaving.flatMap(listsOfNothing<T>) : [];
      isFirstSet = false;
      emit([...emptied, ...release(), ...newStatus()]);
      joining.forEach(join);
      completeIfDone();
    }

    function join(member: Member<T>): void {
      // The first event of an earlier source may have changed the set, or ended the subscription.
      if (member.subscription.closed || subscriber.closed) return;
      subscriber.add(member.subscription);
      const inner = member.source.subscribe({
        next: (emitted) => receive(member, emitted),
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
      if (awaited !== undefined) member.partitions.forEach((partition) => heldBack.drop(partition));
    }

    function receive(member: Member<T>, emitted: WatchEvent<T> | readonly WatchEvent<T>[]): void {
      if (member.subscription.closed) return;
      const passed: WatchEvent<T>[] = [];
      const batch = toBatch(emitted);
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
              subscriber.error(new InvalidOptionError('sources', stamped.partition, onePartition));
              return;
            }
            if (awaited === undefined) {
              passed.push(stamped);
              break;
            }
            heldBack.add(stamped);
            if (stamped.type === 'LISTED') awaited.delete(member.name);
        }
      }
      emit(asUrgentAs(batch, [...release(), ...passed]));
    }

    /**
     * Returns false if another source has the partition: a list of this one would remove the
     * objects of that source.
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
      if (member.status !== undefined) member.status = { ...member.status, status: { state: 'stopped' } };
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
      return [...heldBack.take(), ...skipped.flatMap(listsOfNothing<T>)];
    }

    function newStatus(): readonly StatusEvent[] {
      const worst = members.size === 0 ? emptied() : leastHealthy(statuses());
      if (worst === undefined) return [];
      const status = { ...worst, status: { ...worst.status, members: statusesByPartition(members.values()) } };
      if (saysTheSame(status, lastStatus)) return [];
      lastStatus = status;
      return [status];
    }

    function statuses(): readonly StatusEvent[] {
      return [...members.values()].flatMap((member) => member.status ?? []);
    }

    /**
     * Returns a status for a set that became empty: the status of the last source must not stay.
     */
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
            // The value is not a set of sources, or the `subscribe` of a member throws.
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
  return withFacts(merged, { ...facts, scheduler });
}

/** Represents several namespaces for `listWatch`; `inNamespaces` creates it. */
export interface NamespaceSet {
  readonly names: readonly string[] | Observable<readonly string[]>;
  readonly startWithout: MergeOptions['startWithout'];
  /**
   * Merges the sources of the namespaces. It is part of the value, so programs that follow one namespace
   * do not load it.
   *
   * @internal
   */
  readonly merge: typeof mergeNamespaces;
}

/**
 * Selects several namespaces for `listWatch`, or a set that changes while it is watched.
 *
 * Each is one LIST and WATCH, merged as `mergeSources` does, with the namespace as partition. With some hundreds, all namespaces
 * and a filter cost less.
 *
 * @param names the namespaces; of an Observable, the last set that it emitted
 * @param options states in which a namespace no longer holds back the first lists of the others. Default `[]`: nothing is emitted before
 * every namespace has listed, and one that is forbidden holds back all
 * @example
 * import { inNamespaces, informer, pods, type KubeClient } from 'rx-informers';
 *
 * declare const client: KubeClient;
 * informer(client, pods, { namespace: inNamespaces(['web', 'api']) });
 */
export function inNamespaces(
  names: readonly string[] | Observable<readonly string[]>,
  { startWithout }: Pick<MergeOptions, 'startWithout'> = {},
): NamespaceSet {
  return { names, startWithout, merge: mergeNamespaces };
}

function mergeNamespaces<T>(
  { names, startWithout }: NamespaceSet,
  sourceOf: (namespace: string) => Observable<WatchEventBatch<T>>,
  scheduler: SchedulerLike,
): Observable<WatchEventBatch<T>> {
  const options = { startWithout, scheduler };
  if (!isObservable(names)) {
    return mergeSources(Object.fromEntries(names.map((name) => [name, sourceOf(name)])), options);
  }
  const sources = names.pipe(
    scan(
      (known, current) => new Map(current.map((name) => [name, known.get(name) ?? sourceOf(name)])),
      new Map<string, Observable<WatchEventBatch<T>>>(),
    ),
    map((byName) => Object.fromEntries(byName)),
  );
  return mergeSources(sources, options);
}

const onePartition = 'a partition of one source only (rename the source whose name contains "/")';

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

function listsOfNothing<T>({ partitions }: Member<T>): readonly WatchEvent<T>[] {
  return [...partitions].map((partition) => ({ type: 'LISTED', items: [], resourceVersion: '', partition }));
}
