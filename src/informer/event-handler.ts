import type { Observable, Unsubscribable } from 'rxjs';

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

export interface EventHandlerOptions {
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
