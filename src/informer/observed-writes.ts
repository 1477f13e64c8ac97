import { Observable, Subject } from 'rxjs';
import type { CommitLog } from '../collections/commit-log.js';
import { unversionedObjectError } from '../kubernetes/errors.js';
import { type KeyFunction } from '../kubernetes/keys.js';
import { compareResourceVersions, isSameIncarnation, resourceVersionOf, uidOf } from '../kubernetes/object.js';
import type { Selection, SourceFacts } from '../sources/model/source.js';
import type { WatchEvent } from '../sources/model/watch-event.js';
import { isRemovedPartition } from './freshness.js';

/** Options of `observed$`. */
export interface ObservedOptions {
  /**
   * The partition of the object in a merged source (see `mergeSources`). Default: all partitions
   * must have passed the object's version. The default is meaningful only if all partitions are of
   * one cluster. With the default, `keyOf` receives no partition.
   */
  readonly partition?: string | undefined;
  /**
   * Waits for a deletion: the cache has caught up when it no longer holds the object's uid. The
   * object then needs a uid and no resourceVersion. Default false. An object that the cache has
   * never held counts as deleted, unless it has a version that the cache has not reached.
   */
  readonly deleted?: boolean | undefined;
}

/** Options of `whenObserved`. */
export interface WhenObservedOptions extends ObservedOptions {
  /**
   * Rejects the promise with the reason of the signal when it is aborted. Default: none, so the
   * promise may stay pending.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lets a program read its own writes: reports when the cache has caught up with a write.
 *
 * The cache has caught up if it holds the object in this version or a later one, or holds a later
 * incarnation under the key. It also has caught up if it does not hold the object and has reached
 * the object's version: the object was deleted, or is not selected.
 *
 * If the namespace or the label selector of a `listWatch` excludes the object, it is
 * observed as soon as the cache does not hold it. Only the server can evaluate a field selector. If
 * it excludes the object, the object is observed at the next bookmark (about once a minute).
 *
 * **Does not guarantee**: that the wait ends if versions are not integers, as in some extension API
 * servers. The cache may skip such a version, but only exactly this version is observed. Pass a
 * signal for such a server.
 */
export interface ObservesWrites<T> {
  /**
   * Emits once, when the cache has caught up with the object, and completes.
   *
   * It only observes: it does not keep the informer running, and it keeps waiting after the last
   * subscriber of the informer has left. It completes without a value if the informer is stopped or
   * its source completes.
   *
   * @param object the object as the API server returned it for the write
   * @param options the partition, and whether to wait for a deletion
   * @throws `RXI_UNVERSIONED_OBJECT` if the object has no resourceVersion (with `deleted`: neither
   *   uid nor resourceVersion)
   * @throws any error of the key function
   */
  observed$(object: T, options?: ObservedOptions): Observable<void>;
  /**
   * Resolves when the cache has caught up with the object: `observed$` as a promise.
   *
   * @throws (rejects) the signal's reason when aborted, `RXI_NOT_RUNNING` if the informer is not
   *   running or stops while it waits, and all errors that `observed$` throws
   * @example
   * import { configMaps, informer, type KubeClient } from 'rx-informers';
   * import { resourceClient } from 'rx-informers/requests';
   *
   * declare const client: KubeClient;
   * const settings = informer(client, configMaps);
   *
   * settings.connect();
   * const written = await resourceClient(client, configMaps).patch('web/settings', {
   *   data: { mode: 'dark' },
   * });
   * await settings.whenObserved(written);
   * console.log(settings.get('web/settings')?.data?.['mode']);
   */
  whenObserved(object: T, options?: WhenObservedOptions): Promise<void>;
}

/** Reports when a cache has reached a version of its resource, and lets it catch up. */
export interface CatchesUp {
  /**
   * Emits once the cache has received everything up to this version, and completes; without a value
   * if the informer stops. Not awaited are versions that cannot be compared, and partitions that
   * `client` does not read, because they may be of other clusters.
   */
  reached$(version: string, client: object): Observable<void>;
  /**
   * Lists again, at this version or a later one, if the cache has not reached it. Does nothing if
   * some partition is not read by `client`.
   */
  catchUp(version: string, client: object): void;
}

/**
 * Notifies waiting subscribers once the cache has caught up with their write. Bookmarks wake them
 * too, because they move the version. It keeps versions by partition: a merged store has none.
 */
export class ObservedWrites<T> {
  readonly #delivered = new Subject<void>();
  readonly #partitions = new Map<string, string>();

  constructor(
    private readonly log: CommitLog<T>,
    private readonly keyOf: KeyFunction<T>,
    private readonly selects: Selection = () => true,
    private readonly clientOf: NonNullable<SourceFacts['clientOf']> = () => undefined,
  ) {}

  /** Records a batch that the cache has applied and announced. */
  delivered(batch: readonly WatchEvent<T>[]): void {
    for (const event of batch) {
      const { partition } = event;
      if (partition === undefined) continue;
      const version = versionAfter(event);
      if (version === undefined) continue;
      // A partition that has left is no longer awaited.
      if (isRemovedPartition(event)) this.#partitions.delete(partition);
      else this.#partitions.set(partition, version);
    }
    this.#delivered.next();
  }

  /** Forgets all versions, because the cache was emptied. */
  reset(): void {
    this.#partitions.clear();
  }

  observed$(object: T, { partition, deleted = false }: ObservedOptions = {}): Observable<void> {
    const key = this.keyOf(object, partition);
    const isIdentified = deleted && uidOf(object) !== undefined;
    if (!isIdentified && resourceVersionOf(object) === undefined) throw unversionedObjectError(key);
    const isSelected = this.selects(object);
    const awaited = deleted ? 'deleted' : 'written';
    return this.#once([key], () => {
      let wasCached = false;
      return () => {
        const cached = this.log.latest.get(key);
        wasCached ||= cached !== undefined && isSameIncarnation(object, cached) !== false;
        return hasObserved({ cached, wasCached, isSelected, reached: this.#reached(partition) }, object, awaited);
      };
    });
  }

  reached$(version: string, client: object): Observable<void> {
    return this.#once([], () => () => {
      const reached = this.#partitions.size === 0 ? this.#reached(undefined) : this.#reachedBy(client);
      return reached.every((each) => (compareResourceVersions(each, version) ?? 0) >= 0);
    });
  }

  /** Returns true if `client` reads all partitions. */
  isReadBy(client: object): boolean {
    return this.#reachedBy(client).length === this.#partitions.size;
  }

  #reachedBy(client: object): readonly string[] {
    return [...this.#partitions].flatMap(([name, version]) => (this.clientOf(name) === client ? [version] : []));
  }

  /** Emits once, when the cache has synced and `begin()` returns a function that returns true. */
  #once(keys: readonly string[], begin: () => () => boolean): Observable<void> {
    // `new Observable`, because both the end of the log and batches without a commit must be
    // observed.
    return new Observable((subscriber) => {
      const isObserved = begin();
      const look = (): void => {
        // The function follows what the cache holds, so it is called before the first list, too.
        // But an empty cache has no meaning before its first list.
        if (!isObserved() || this.log.latest.version === 0) return;
        subscriber.next();
        subscriber.complete();
      };
      subscriber.add(
        this.log.listeners.add({ type: 'keys', keys }, { announce: look, complete: () => subscriber.complete() }),
      );
      subscriber.add(this.#delivered.subscribe(look));
      // Completes this subscriber as well if the log has completed.
      this.log.startSubscriber(look);
    });
  }

  #reached(partition: string | undefined): readonly string[] {
    if (partition !== undefined) return [this.#partitions.get(partition) ?? ''];
    return this.#partitions.size > 0 ? [...this.#partitions.values()] : [this.log.latest.resourceVersion];
  }
}

function versionAfter<T>(event: WatchEvent<T>): string | undefined {
  switch (event.type) {
    case 'LISTED':
    case 'BOOKMARK':
      return event.resourceVersion;
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return resourceVersionOf(event.object);
    case 'ERROR':
    case 'STATUS':
      return undefined;
  }
}

/** The knowledge of a cache about one object. */
export interface Seen {
  /** The object in the cache under the key of the awaited object. */
  readonly cached: unknown;
  /** True if the awaited object, by its uid, was in the cache since the subscription. */
  readonly wasCached: boolean;
  /** The versions that possible partitions of the object have reached; `''` if not known. */
  readonly reached: readonly string[];
  /** False if the source never delivers the object: its namespace or labels do not match. */
  readonly isSelected?: boolean;
}

/** The awaited state: the cache shows the object, or no longer holds it. */
export type Awaited = 'written' | 'deleted';

/**
 * Returns true if a cache has caught up with `object` at its resourceVersion. Pure.
 *
 * | in the cache under the key | observed if |
 * | --- | --- |
 * | the object, and its deletion is awaited | not yet |
 * | the object | its version is that of the write, or a later one |
 * | the object, without a version | the cache has reached the version of the write |
 * | anything else, and the object is not selected, or was deleted and has no version | at once |
 * | another incarnation | its version is later than that of the write, so the object is gone; if versions cannot be compared: the object was in the cache before |
 * | nothing | the cache has reached the version of the write; if versions cannot be compared: the object was in the cache before |
 *
 * Versions are compared by `compareResourceVersions`. A version that is not an integer is observed
 * only if exactly this version is in the cache.
 */
export function hasObserved(
  { cached, wasCached, reached, isSelected = true }: Seen,
  object: unknown,
  awaited: Awaited = 'written',
): boolean {
  const version = resourceVersionOf(object) ?? '';
  const isCached = cached !== undefined && isSameIncarnation(object, cached) !== false;
  if (isCached) {
    if (awaited === 'deleted') return false;
    const cachedVersion = resourceVersionOf(cached);
    if (cachedVersion !== undefined) return (compareResourceVersions(cachedVersion, version) ?? -1) >= 0;
  } else {
    if (!isSelected || (awaited === 'deleted' && version === '')) return true;
    if (cached !== undefined) {
      const order = compareResourceVersions(resourceVersionOf(cached) ?? '', version);
      return order === undefined ? wasCached : order > 0;
    }
  }
  const orders = reached.map((each) => compareResourceVersions(each, version));
  if (orders.length === 0 || orders.includes(undefined)) return cached === undefined && wasCached;
  return orders.every((order) => order !== undefined && order >= 0);
}
