import { EMPTY, filter, interval, map, ReplaySubject, type SchedulerLike, Subscription } from 'rxjs';
import { checkedDuration } from '../operators/checked-duration.js';
import type { Change, ChangeReason, ChangeSet } from '../store/change.js';
import type { Collection } from './collection.js';
import type { EventHandler, EventHandlerOptions, EventHandlerRegistration } from './event-handler.js';
import { inOrder } from './in-order.js';
import { HandlerError } from './informer-error.js';
import type { SlowSubscribers } from './slow-subscribers.js';

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
  { resyncPeriod = 0 }: EventHandlerOptions,
  { report, scheduler, slow }: EventHandlerContext,
): EventHandlerRegistration {
  const registration = new Subscription();
  const synced$ = new ReplaySubject<void>(1);
  let hasSynced = false;
  const resyncs$ =
    resyncPeriod === 0
      ? EMPTY
      : interval(checkedDuration('resyncPeriod', resyncPeriod), scheduler).pipe(
          filter(() => hasSynced),
          map(() => resyncOf(collection)),
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
    collection.changes$.subscribe({
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

function resyncOf<T>({ snapshot }: Collection<T>): ChangeSet<T> {
  const keys = snapshot.keys();
  const changes = snapshot.list().map((object, position): Change<T> => ({
    type: 'updated',
    key: keys[position] as string,
    object,
    previous: object,
  }));
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
