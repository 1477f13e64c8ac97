import {
  catchError,
  concat,
  defer,
  EMPTY,
  filter,
  map,
  Observable,
  type SchedulerLike,
  type Subscription,
  take,
  timer,
} from 'rxjs';
import { hasObserved, type ObservesWrites } from '../../informer/when-observed.js';
import { metaNamespaceKey } from '../../kubernetes/keys.js';
import { compareResourceVersions, isAnotherIncarnation, type PartialObjectMetadata } from '../../kubernetes/object.js';
import { type Resource, resourceName } from '../../kubernetes/resource.js';
import type { RecordedWrite } from '../../sources/client/kube-client.js';
import type { OwnWrites } from './own-writes.js';
import type { KeyHeldUnobserved, KeyReleasedUnobserved, UnobservedWrite } from './reconcile-event.js';
import type { CachedSource } from './sources.js';

export interface ObserveWritesContext {
  readonly writes: OwnWrites;
  readonly caches: readonly CachedSource[];
  readonly observeTimeout: number;
  readonly scheduler: SchedulerLike;
  readonly tell: (event: KeyHeldUnobserved | KeyReleasedUnobserved) => void;
  /** Called for each write that was awaited, with the milliseconds from its response until now. */
  readonly observed: (took: number) => void;
}

/** When `held` reports a key. A watch that keeps up shows a write within milliseconds. */
const grace = 10_000;

interface Wait {
  /** The writes to one object. */
  readonly writes: readonly RecordedWrite[];
  readonly cache: CachedSource;
  readonly observed$: Observable<unknown>;
}

/**
 * Completes when a key may run again: the caches have observed the writes of its runs, each in
 * caches of its resource, or `observeTimeout` has passed. `undefined`: observed already.
 */
export function holdUntilObserved(key: string, context: ObserveWritesContext): Observable<never> | undefined {
  const awaited = waitsFor(key, context);
  const waits = awaited.filter(isPending);
  settleOthers(key, { awaited, waits }, context);
  return waits.length === 0 ? undefined : untilObserved(key, waits, context);
}

/** Settles each write that no cache needs to show, or that all show already. */
function settleOthers(
  key: string,
  { awaited, waits }: Readonly<Record<'awaited' | 'waits', readonly Wait[]>>,
  { writes, observed }: ObserveWritesContext,
): void {
  const [ofCaches, pending] = [awaited, waits].map((some) => new Set(some.flatMap((wait) => wait.writes)));
  for (const write of writes.unobserved(key).flat()) {
    if (pending?.has(write)) continue;
    const took = writes.settle(key, write);
    if (ofCaches?.has(write)) observed(took);
  }
}

function waitsFor(key: string, { writes, caches }: ObserveWritesContext): readonly Wait[] {
  return writes.unobserved(key).flatMap((ofObject) =>
    caches
      .filter(
        ({ collection: { resource } }) => resource && ofObject.some((write) => isSameKind(resource, write.resource)),
      )
      // Without the object, a cache has seen its deletion, or not seen its creation yet.
      .map((cache) => ({
        writes: ofObject,
        cache,
        observed$: concat(...ofObject.map((write) => observedIn(cache.collection, write))),
      })),
  );
}

/** Without API versions: an object has the same uid and resourceVersion in all of them. */
function isSameKind(one: Resource<unknown>, other: Resource<unknown>): boolean {
  return one.group === other.group && one.plural === other.plural;
}

function isPending({ observed$ }: Wait): boolean {
  let isOpen = true;
  observed$.subscribe({ complete: () => (isOpen = false) }).unsubscribe();
  return isOpen;
}

/** Completes when a cache shows a write or stops. A cache without the object's key need not. */
function observedIn(collection: CachedSource['collection'], write: RecordedWrite): Observable<unknown> {
  const { object, uid, isGone, resourceVersion = '' } = write;
  if (uid === '') return reached(collection, resourceVersion);
  if (isGone === undefined) {
    // The object may still have been created in this cache after its deletion.
    return concat(observedIn(collection, { ...write, isGone: false }), terminating(collection, object));
  }
  const { observed$ } = collection as Partial<ObservesWrites<unknown>>;
  return defer(() =>
    observed$ ? observed$.call(collection, object, { deleted: isGone }) : observedByReading(collection, object, isGone),
  ).pipe(catchError(() => EMPTY));
}

/** Emits once the cache has reached a version. Versions that do not compare are not awaited. */
function reached({ snapshot$ }: CachedSource['collection'], version: string): Observable<unknown> {
  return snapshot$.pipe(
    filter(({ resourceVersion }) => (compareResourceVersions(resourceVersion, version) ?? 0) >= 0),
    take(1),
  );
}

/** Emits once the cache no longer has an object, or shows that it is terminating. */
function terminating(collection: CachedSource['collection'], object: RecordedWrite['object']): Observable<unknown> {
  return collection.get$(metaNamespaceKey(object)).pipe(
    filter(
      (held) =>
        held === undefined ||
        isAnotherIncarnation(object, held) ||
        (held as PartialObjectMetadata).metadata.deletionTimestamp !== undefined,
    ),
    take(1),
  );
}

/** Observes a write in the content, for collections that do not report reached versions. */
function observedByReading(
  collection: CachedSource['collection'],
  object: RecordedWrite['object'],
  isGone: boolean,
): Observable<unknown> {
  let wasHeld = false;
  return collection.get$(metaNamespaceKey(object)).pipe(
    map((held) => {
      wasHeld ||= held !== undefined && !isAnotherIncarnation(object, held);
      return { held, wasHeld, reached: [collection.snapshot.resourceVersion] };
    }),
    filter((seen) => hasObserved(seen, object, isGone ? 'deleted' : 'written')),
    take(1),
  );
}

function untilObserved(key: string, waits: readonly Wait[], context: ObserveWritesContext): Observable<never> {
  const { writes, observeTimeout, scheduler, tell, observed } = context;
  return new Observable((subscriber) => {
    const pending = new Set(waits);
    const left = new Map<Wait['writes'], number>();
    for (const wait of waits) left.set(wait.writes, (left.get(wait.writes) ?? 0) + 1);
    const heldSince = scheduler.now();
    let isTold = false;
    const told = <Type extends 'held' | 'released'>(type: Type) => ({
      type,
      key,
      because: 'unobserved' as const,
      heldFor: scheduler.now() - heldSince,
      writes: [...pending].flatMap(unobservedWrite),
    });
    const settle = (wait: Wait): void => {
      for (const write of wait.writes) observed(writes.settle(key, write));
    };
    const end = (): void => {
      for (const wait of pending) settle(wait);
      const event = told('released');
      pending.clear();
      if (isTold || event.writes.length > 0) tell(event);
      subscriber.complete();
    };
    const after = (time: number, happen: () => void): Subscription => timer(time, scheduler).subscribe(happen);

    if (grace < observeTimeout) {
      const report = (): void => {
        isTold = true;
        tell(told('held'));
      };
      subscriber.add(after(grace, report));
    }
    if (observeTimeout !== Infinity) subscriber.add(after(observeTimeout, end));
    for (const wait of waits) {
      const shown = (): void => {
        pending.delete(wait);
        const caches = (left.get(wait.writes) ?? 1) - 1;
        left.set(wait.writes, caches);
        if (caches === 0) settle(wait);
        if (pending.size === 0) end();
      };
      subscriber.add(wait.observed$.subscribe({ complete: shown }));
    }
  });
}

/** Returns the last of the writes to one object that the cache does not show yet. */
function unobservedWrite({ writes, cache }: Wait): readonly UnobservedWrite[] {
  return writes.slice(-1).map(({ verb, resource, object, resourceVersion }) => ({
    verb,
    resource: resourceName(resource),
    object: metaNamespaceKey(object),
    resourceVersion,
    trigger: cache.trigger,
  }));
}
