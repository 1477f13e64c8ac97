import {
  type Observable,
  type Unsubscribable,
  EMPTY,
  filter,
  interval,
  map,
  ReplaySubject,
  type SchedulerLike,
  Subscription,
} from 'rxjs';
import { objectKey } from '../kubernetes/key.js';
import { checkedDuration } from '../time/clock.js';
import { filterObjects } from '../operators/filter-updates.js';
import { predicateOf, type Selection } from '../queries/object-queries.js';
import type { Change, ChangeReason, ChangeSet } from '../store/change.js';
import type { Collection } from './collection.js';
import { inOrder } from '../operators/sliced-tasks.js';
import { HandlerError } from './errors.js';
import type { SlowSubscribers } from './reports.js';

/**
 * client-go's ResourceEventHandler: callbacks instead of a stream. Objects must not be changed.
 *
 * No callback runs before `addEventHandler` has returned the registration. Content that is in the
 * cache by then is delivered in a task of the scheduler (default: a timer of 0 ms).
 */
export interface EventHandler<T> {
  /** @param details.isInInitialList true for what was there when the handler was added, or when the informer first synced */
  readonly onAdd?:
    ((object: T, details: { readonly key: string; readonly isInInitialList: boolean }) => void) | undefined;
  /** For a resync, `previous` is the same object as `object`. */
  readonly onUpdate?:
    ((previous: T, object: T, details: { readonly key: string; readonly isResync: boolean }) => void) | undefined;
  /** @param details.finalStateUnknown true for a tombstone: the delete was inferred, and `object` is the last state known */
  readonly onDelete?:
    ((object: T, details: { readonly key: string; readonly finalStateUnknown: boolean }) => void) | undefined;
}

/** Options of `addEventHandler`. */
export interface EventHandlerOptions<T = unknown> {
  /**
   * Calls the handler only for objects that a label selector matches, or for which a function returns
   * true: client-go's FilteringResourceEventHandler. An object that enters the selection is an
   * `onAdd`, one that leaves it an `onDelete` with the last object that was in it; see
   * `filterObjects`. Default: all objects. If the function throws, `errors$` emits a `HandlerError`, and
   * the object is not selected. Costs the memory of one key for each selected object.
   */
  readonly where?: Selection<T> | undefined;
  /** Milliseconds between two resyncs: `onUpdate(object, object)` for everything in the cache, without asking the server. Default 0: never. */
  readonly resyncPeriod?: number | undefined;
}

/** One handler that was added; adding the same handler twice gives two registrations (I4). */
export interface EventHandlerRegistration extends Unsubscribable {
  /** True once the informer has synced and every `onAdd` of the initial content has returned (I8). */
  readonly hasSynced: boolean;
  /** Emits once, when `hasSynced` becomes true, and completes. */
  readonly synced$: Observable<void>;
  /** Removes the handler: it is not called again, not even for events of the round in progress. May be called repeatedly (I5). */
  unsubscribe(): void;
}

/** What the handler needs besides the collection. */
export interface EventHandlerContext {
  readonly report: (error: HandlerError) => void;
  readonly scheduler: SchedulerLike;
  readonly slow: SlowSubscribers;
}

/**
 * Calls a handler for the state of a collection and everything after it: in order, one call at a
 * time, and each failure is reported on its own.
 *
 * No call is made before the registration is returned, so that the handler can use it. Content that
 * is there already is delivered in a task of the scheduler, as client-go delivers in a goroutine of
 * its own; changes that come meanwhile follow it. From then on calls are made in the round of the
 * commit, as for every stream (G3).
 *
 * The resync timer runs from the moment the handler was added, whatever relists happen meanwhile (▲ R20), until it is removed or the
 * collection completes.
 */
export function addEventHandler<T>(
  collection: Collection<T>,
  handler: EventHandler<T>,
  { resyncPeriod = 0, where }: EventHandlerOptions<T>,
  { report, scheduler, slow }: EventHandlerContext,
): EventHandlerRegistration {
  const registration = new Subscription();
  const synced$ = new ReplaySubject<void>(1);
  let hasSynced = false;
  const isSelected = where === undefined ? () => true : contained(predicateOf(where), report);
  const set$ = where === undefined ? collection.changes$ : collection.changes$.pipe(filterObjects(isSelected));
  const resyncs$ =
    resyncPeriod === 0
      ? EMPTY
      : interval(checkedDuration('resyncPeriod', resyncPeriod), scheduler).pipe(
          filter(() => hasSynced),
          map(() => resyncOf(collection, isSelected)),
        );

  // A change that a handler causes while it is being resynced is delivered after the resync (Q9).
  const deliver = inOrder<ChangeSet<T>>(({ reason, changes }) => {
    for (const change of changes) {
      if (registration.closed) return;
      callHandler(handler, change, reason, report);
    }
    if (hasSynced || registration.closed) return;
    hasSynced = true;
    synced$.next();
    synced$.complete();
  });
  const enqueue = slow.timed(['addEventHandler'], deliver);

  /** What came before the handler may be called; `undefined` from then on. */
  let early: ChangeSet<T>[] | undefined = [];
  let beginning: Subscription | undefined;
  let isComplete = false;
  const begin = (): void => {
    const waiting = early ?? [];
    early = undefined;
    waiting.forEach(enqueue);
    if (isComplete) registration.unsubscribe();
  };

  // Removed before it had synced, it never will.
  registration.add(() => {
    synced$.complete();
  });
  registration.add(resyncs$.subscribe(enqueue));
  registration.add(
    set$.subscribe({
      next: (set) => {
        if (early) early.push(set);
        else enqueue(set);
      },
      complete: () => {
        isComplete = true;
        // Inside this function, the task below delivers the content first.
        if (!early || beginning) begin();
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
    unsubscribe: () => {
      registration.unsubscribe();
    },
  };
}

/** Returns a predicate that reports what it throws instead: one object must not end the handler (G4). */
function contained<T>(predicate: (object: T) => boolean, report: EventHandlerContext['report']) {
  return (object: T): boolean => {
    try {
      return predicate(object);
    } catch (cause) {
      report(new HandlerError('where', objectKey(object) ?? 'an object without a name', cause));
      return false;
    }
  };
}

function resyncOf<T>({ snapshot }: Collection<T>, isSelected: (object: T) => boolean): ChangeSet<T> {
  const changes: Change<T>[] = [];
  snapshot.forEach(({ key, object }) => {
    if (isSelected(object)) changes.push({ type: 'updated', key, object, previous: object });
  });
  return { reason: 'resync', changes };
}

function callHandler<T>(
  handler: EventHandler<T>,
  change: Change<T>,
  reason: ChangeReason,
  report: (error: HandlerError) => void,
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

  function guard(name: HandlerError['handler'], call: () => void): void {
    try {
      call();
    } catch (cause) {
      report(new HandlerError(name, key, cause));
    }
  }
}
