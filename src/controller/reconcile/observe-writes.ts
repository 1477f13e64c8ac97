import { catchError, concat, defer, EMPTY, filter, map, type Observable, take } from 'rxjs';
import { internalQuery, internalSnapshots } from '../../collections/log-collection.js';
import { hasObserved, type ObservesWrites } from '../../informer/observed-writes.js';
import { metaNamespaceKey, partitionedKey } from '../../kubernetes/keys.js';
import { compareResourceVersions, isSameIncarnation, type PartialObjectMetadata } from '../../kubernetes/object.js';
import { type Resource, resourceName } from '../../kubernetes/resource.js';
import { objectByKey } from '../../queries/object-queries.js';
import type { RecordedWrite } from '../../sources/client/kube-client.js';
import { hasPartition } from './cluster-of-run.js';
import { type AwaitedWrite, holdKey, type HoldOptions } from './hold-key.js';
import type { OwnWrites } from './own-writes.js';
import type { UnobservedWrite } from './reconcile-event.js';
import type { CachedSource } from './sources.js';

export interface ObserveWritesContext extends HoldOptions {
  readonly writes: OwnWrites;
  readonly caches: readonly CachedSource[];
  /** Returns the partition to which the runs of a key write; see `ClusterOfRun`. */
  readonly partitionOf: (key: string) => string | undefined;
  /** Called for each write that was awaited, with the milliseconds from its response until now. */
  readonly observed: (took: number) => void;
}

/** A write to the objects of a partition. */
interface PartitionedWrite extends RecordedWrite {
  readonly partition: string | undefined;
}

interface Wait extends AwaitedWrite {
  /** The writes to one object. */
  readonly writes: readonly RecordedWrite[];
}

/**
 * Completes when a key may run again: the caches have observed the writes of its runs, each in
 * caches of its resource, or `observeTimeout` has passed. `undefined`: observed already.
 */
export function holdUntilObserved(key: string, context: ObserveWritesContext): Observable<never> | undefined {
  const awaited = waitsFor(key, context);
  const waits = awaited.filter(isPending);
  settleOthers(key, { awaited, waits }, context);
  if (waits.length === 0) return undefined;
  const settle = (ofObject: Wait['writes']): void => {
    for (const write of ofObject) context.observed(context.writes.settle(key, write));
  };
  return holdKey(key, waits, context, {
    observed: ({ writes }, left) => {
      if (![...left].some((other) => other.writes === writes)) settle(writes);
    },
    gaveUp: (left) => new Set(Array.from(left, ({ writes }) => writes)).forEach(settle),
  });
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

function waitsFor(key: string, { writes, caches, partitionOf }: ObserveWritesContext): readonly Wait[] {
  return writes.unobserved(key).flatMap((ofObject) => {
    const partition = partitionOf(key);
    return (
      caches
        .filter((cache) => hasPartition(cache, partition))
        .filter(
          ({ collection: { resource } }) => resource && ofObject.some((write) => isSameKind(resource, write.resource)),
        )
        // Without the object, a cache has seen its deletion, or not seen its creation yet.
        .map((cache) => ({
          writes: ofObject,
          write: unobservedWrite(ofObject, cache),
          observed$: concat(...ofObject.map((write) => observedIn(cache.collection, { ...write, partition }))),
        }))
    );
  });
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
function observedIn(collection: CachedSource['collection'], write: PartitionedWrite): Observable<unknown> {
  const { object, uid, partition, isGone, resourceVersion = '' } = write;
  if (uid === '') return reached(collection, resourceVersion);
  if (isGone === undefined) {
    // The object may still have been created in this cache after its deletion.
    return concat(observedIn(collection, { ...write, isGone: false }), terminating(collection, write));
  }
  const { observed$ } = collection as Partial<ObservesWrites<unknown>>;
  return defer(() =>
    observed$
      ? observed$.call(collection, object, { deleted: isGone, partition })
      : observedByReading(collection, write, isGone),
  ).pipe(catchError(() => EMPTY));
}

/** Emits once the cache has reached a version. Versions that do not compare are not awaited. */
function reached(collection: CachedSource['collection'], version: string): Observable<unknown> {
  return internalSnapshots(collection).pipe(
    filter(({ resourceVersion }) => (compareResourceVersions(resourceVersion, version) ?? 0) >= 0),
    take(1),
  );
}

/** Emits once the cache no longer has an object, or shows that it is terminating. */
function terminating(collection: CachedSource['collection'], write: PartitionedWrite): Observable<unknown> {
  return internalQuery(collection, objectByKey(keyOf(write))).pipe(
    filter(
      (cached) =>
        cached === undefined ||
        isSameIncarnation(write.object, cached) === false ||
        (cached as PartialObjectMetadata).metadata.deletionTimestamp !== undefined,
    ),
    take(1),
  );
}

/** Observes a write in the content, for collections that do not report reached versions. */
function observedByReading(
  collection: CachedSource['collection'],
  write: PartitionedWrite,
  isGone: boolean,
): Observable<unknown> {
  const { object } = write;
  let wasCached = false;
  return internalQuery(collection, objectByKey(keyOf(write))).pipe(
    map((cached) => {
      wasCached ||= cached !== undefined && isSameIncarnation(object, cached) !== false;
      return { cached, wasCached, reached: [collection.snapshot.resourceVersion] };
    }),
    filter((seen) => hasObserved(seen, object, isGone ? 'deleted' : 'written')),
    take(1),
  );
}

function keyOf({ object, partition }: PartitionedWrite): string {
  return partition === undefined ? metaNamespaceKey(object) : partitionedKey()(object, partition);
}

/** Returns the last of the writes to one object, as an event reports it. */
function unobservedWrite(writes: Wait['writes'], { trigger }: CachedSource): UnobservedWrite {
  const { verb, resource, object, uid, resourceVersion } = writes.at(-1) as RecordedWrite;
  const key = uid === '' ? undefined : metaNamespaceKey(object);
  return { verb, resource: resourceName(resource), object: key, resourceVersion, trigger };
}
