import {
  EMPTY,
  filter,
  interval,
  map,
  type Observable,
  ReplaySubject,
  Subject,
  Subscription,
  type Unsubscribable,
} from 'rxjs';
import { type RxInformersError } from '../kubernetes/errors.js';
import { objectKey } from '../kubernetes/keys.js';
import { statedKind } from '../kubernetes/object.js';
import { filterObjects } from '../operators/filter-objects.js';
import { resyncOf } from '../operators/resync.js';
import { predicateOf, type ObjectSelection } from '../queries/object-queries.js';
import { checkedDuration } from '../scheduling/clock.js';
import { SlicedTasks } from '../scheduling/sliced-tasks.js';
import type { Slices } from '../scheduling/slices.js';
import { checkNames } from '../sources/model/checked-options.js';
import type { Change, ChangeReason, ChangeSet } from '../store/change.js';
import type { Snapshot } from '../store/snapshot.js';
import type { Collection } from './collection.js';
import { handlerError } from './errors.js';
import { internalChanges, internalsOf } from './log-collection.js';

/**
 * Receives the changes of a collection in callbacks: client-go's ResourceEventHandler. Callbacks
 * must not change the objects. None runs before `addEventHandler` has returned the registration:
 * cached content follows in a task of the scheduler (default: a timer of 0 ms).
 */
export interface EventHandler<T> {
  /**
   * Receives an object that was added.
   *
   * @param details.isInInitialList true if the object was in the cache when the handler was added,
   *   or in the list with which the informer synced
   */
  readonly onAdd?:
    | ((object: T, details: { readonly key: string; readonly isInInitialList: boolean }) => void)
    | undefined;
  /**
   * Receives an object that was updated, with its previous state.
   *
   * @param details.isResync true for a resync; `previous` is then the same object as `object`
   */
  readonly onUpdate?:
    | ((previous: T, object: T, details: { readonly key: string; readonly isResync: boolean }) => void)
    | undefined;
  /**
   * Receives an object that was deleted.
   *
   * @param details.finalStateUnknown true for a tombstone: the informer inferred the deletion from
   *   a list, and `object` is the last state that it knows
   */
  readonly onDelete?:
    | ((object: T, details: { readonly key: string; readonly finalStateUnknown: boolean }) => void)
    | undefined;
}

/** Options of `addEventHandler`. */
export interface EventHandlerOptions<T = unknown> {
  /**
   * Calls the handler only for objects that a label selector matches, or for which a function
   * returns true: client-go's FilteringResourceEventHandler. When an object enters the selection,
   * `onAdd` is called. When it leaves, `onDelete` is called with its last selected state; see
   * `filterObjects`. Default: all objects. If the function throws, `errors$` emits a
   * `RXI_HANDLER`, and the object is not selected. Costs the memory of one key for each selected
   * object.
   */
  readonly where?: ObjectSelection<T> | undefined;
  /**
   * The time between two resyncs in milliseconds. A resync calls `onUpdate(object, object)` for
   * every object in the cache, without a request. Default 0: no resyncs. The cost of each
   * resync grows with the cache.
   */
  readonly resyncPeriod?: number | undefined;
  /**
   * True to merge updates of an object that wait, because the handler is slower than the changes
   * arrive. Then the handler receives at most one addition or update of an object at a time, with
   * its newest state. `previous` is the state that the handler has received before. Additions,
   * deletions and re-creations are all delivered, in order. Default false: the handler receives
   * every update, and any number of them may wait (I6). Costs one entry for each object that waits.
   */
  readonly coalesce?: boolean | undefined;
}

/** Represents one added handler. Adding the same handler twice creates two registrations (I4). */
export interface EventHandlerRegistration extends Unsubscribable {
  /** Is true once the informer has synced and each initial `onAdd` has returned (I8). */
  readonly hasSynced: boolean;
  /** Emits once, when `hasSynced` becomes true, and completes. */
  readonly synced$: Observable<void>;
  /**
   * Removes the handler. Neither its callbacks nor `where` run again, not even for the remaining
   * changes of a commit that is being delivered. Idempotent (I5).
   */
  unsubscribe(): void;
}

/**
 * Calls a handler for the state of a collection and for every later change, in order and one call
 * at a time. Each error of a callback is reported separately.
 *
 * No callback, and no `where` function, runs before the registration is returned, so that these
 * functions can use the registration. Existing content is delivered in a task of the scheduler
 * (client-go uses a goroutine), followed by changes that arrived before that task. After that,
 * callbacks run in the round of the commit, as for every stream (G3). If the callbacks of a commit
 * take longer than 8 ms, the rest run in later tasks, and later changes wait for them. Reads of the
 * collection then already show newer states. When the collection is stopped, calls that wait are
 * dropped (I9).
 *
 * It works for informers, indexers and derived collections (client-go's AddEventHandler).
 *
 * The resync timer runs from the moment at which the handler is added, regardless of relists (▲
 * R20), until the registration is removed or the collection completes.
 *
 * @param collection the informer, indexer or derived collection
 * @param handler the functions to call; each is optional
 * @param options the resync period and a filter
 * @returns a registration; `unsubscribe()` removes the handler
 * @throws `RXI_INVALID_OPTION` if `resyncPeriod` is not a duration
 * @throws `RXI_INVALID_SELECTOR` if `where` is a malformed label selector
 * @example
 * import { addEventHandler, informer, pods, type KubeClient } from 'rx-informers';
 *
 * declare const client: KubeClient;
 * const registration = addEventHandler(informer(client, pods), {
 *   onAdd: (pod) => console.log(pod.metadata.name),
 * });
 * registration.unsubscribe();
 */
export function addEventHandler<T>(
  collection: Collection<T>,
  handler: EventHandler<T>,
  options: EventHandlerOptions<T> = {},
): EventHandlerRegistration {
  checkNames<EventHandler<never>>('a callback of addEventHandler', handler, () => ({
    onAdd: 1,
    onUpdate: 1,
    onDelete: 1,
  }));
  checkNames<EventHandlerOptions>('an option of addEventHandler', options, () => ({
    where: 1,
    resyncPeriod: 1,
    coalesce: 1,
  }));
  const { resyncPeriod = 0, where, coalesce = false } = options;
  const { log, report, scheduler, slow } = internalsOf(collection);
  const registration = new Subscription();
  const synced$ = new ReplaySubject<void>(1);
  let hasSynced = false;
  const isWanted = where === undefined ? undefined : contained(predicateOf(where), report);
  const isSelected = (object: T): boolean => !registration.closed && (isWanted?.(object) ?? true);
  const resyncs$ =
    resyncPeriod === 0
      ? EMPTY
      : interval(checkedDuration('resyncPeriod', resyncPeriod), scheduler).pipe(
          filter(() => hasSynced),
          map(() => resyncOf(announcedObjects(log.announced, isSelected))),
        );

  const tasks = new SlicedTasks(scheduler, rethrow);
  /** With `coalesce`, the last call for each key that waits. */
  const last = new Map<string, WaitingCall<T>>();
  const callNow = ({ change, reason }: WaitingCall<T>): void => callHandler(handler, change, reason, report);
  const call = slow?.timed(['addEventHandler'], callNow) ?? callNow;
  function* deliver(calls: readonly WaitingCall<T>[]): Slices<() => void> {
    for (const waiting of calls) {
      if (last.get(waiting.change.key) === waiting) last.delete(waiting.change.key);
      call(waiting);
      yield;
    }
    return () => {
      if (hasSynced) return;
      hasSynced = true;
      synced$.next();
      synced$.complete();
    };
  }
  // A change that a handler causes during a delivery is delivered afterwards (Q9).
  const enqueue = ({ reason, changes }: ChangeSet<T>): void => {
    const calls: WaitingCall<T>[] = [];
    for (const change of changes) {
      const before = last.get(change.key);
      if (before !== undefined && merge(before, change, reason)) continue;
      const waiting = { change, reason };
      if (coalesce) last.set(change.key, waiting);
      calls.push(waiting);
    }
    if (calls.length > 0 || !hasSynced) tasks.run(() => deliver(calls));
  };
  const end = (): void => registration.unsubscribe();
  const sets = new Subject<ChangeSet<T>>();

  /** The change sets that wait until the first task has ended; `undefined` after that. */
  let early: ChangeSet<T>[] | undefined = [];
  let beginning: Subscription | undefined;
  let hasStarted = false;
  let isComplete = false;
  const begin = (): void => {
    hasStarted = true;
    // Changes that a callback causes meanwhile join the end of this queue.
    for (let set = early?.shift(); set; set = early?.shift()) sets.next(set);
    early = undefined;
    if (isComplete) tasks.inTurn(end);
  };

  // If the handler is removed before it has synced, `synced$` completes without a value.
  registration.add(() => {
    tasks.clear();
    synced$.complete();
  });
  registration.add((isWanted ? sets.pipe(filterObjects(isSelected)) : sets).subscribe(enqueue));
  registration.add(resyncs$.subscribe(enqueue));
  registration.add(
    internalChanges(collection).subscribe({
      next: (set) => {
        if (early) early.push(set);
        else sets.next(set);
      },
      complete: () => {
        // The collection was stopped and is empty: calls that wait are dropped (I9).
        if (!log.isComplete) end();
        isComplete = true;
        if (hasStarted) tasks.inTurn(end);
        // If there is no task yet, `addEventHandler` has not returned, and creates the task below.
        else if (beginning) begin();
      },
    }),
  );
  if (early.length === 0) begin();
  else registration.add((beginning = scheduler.schedule(begin)));
  return {
    get hasSynced() {
      return hasSynced;
    },
    synced$: synced$.asObservable(),
    unsubscribe: end,
  };
}

/** Throws an error of a subscriber of `synced$`, for which there is no handler. */
function rethrow(error: unknown): never {
  throw error;
}

/** A call of the handler that waits. */
interface WaitingCall<T> {
  change: Change<T>;
  reason: ChangeReason;
}

/** Merges an update into the waiting call of the same key; false if impossible. */
function merge<T>(waiting: WaitingCall<T>, change: Change<T>, reason: ChangeReason): boolean {
  if (change.type !== 'updated' || waiting.change.type === 'deleted') return false;
  if (waiting.change.type === 'updated' && reason !== 'resync') waiting.reason = reason;
  waiting.change = { ...waiting.change, object: change.object };
  return true;
}

/** Returns a predicate that reports its errors: an object must not end the handler (G4). */
function contained<T>(predicate: (object: T) => boolean, report: (error: RxInformersError<'RXI_HANDLER'>) => void) {
  return (object: T): boolean => {
    try {
      return predicate(object);
    } catch (cause) {
      report(handlerError('where', objectKey(object) ?? 'an object without a name', cause, statedKind(object)));
      return false;
    }
  };
}

/**
 * Returns the objects to resync: those that were announced. The latest version may contain commits
 * that wait to be announced, which the handler has not received yet.
 */
function announcedObjects<T>(announced: Snapshot<T>, isSelected: (object: T) => boolean): ReadonlyMap<string, T> {
  const objects = new Map<string, T>();
  announced.forEach(({ key, object }) => {
    if (isSelected(object)) objects.set(key, object);
  });
  return objects;
}

function callHandler<T>(
  handler: EventHandler<T>,
  change: Change<T>,
  reason: ChangeReason,
  report: (error: RxInformersError<'RXI_HANDLER'>) => void,
): void {
  const { key } = change;
  switch (change.type) {
    case 'added':
      guard('onAdd', () => handler.onAdd?.(change.object, { key, isInInitialList: reason === 'initial' }));
      return;
    case 'updated':
      guard('onUpdate', () =>
        handler.onUpdate?.(change.previous, change.object, { key, isResync: reason === 'resync' }),
      );
      return;
    case 'deleted':
      guard('onDelete', () => handler.onDelete?.(change.object, { key, finalStateUnknown: change.finalStateUnknown }));
      return;
    default:
      change satisfies never;
  }

  function guard(name: RxInformersError<'RXI_HANDLER'>['handler'], call: () => void): void {
    try {
      call();
    } catch (cause) {
      report(handlerError(name, key, cause, statedKind(change.object)));
    }
  }
}
