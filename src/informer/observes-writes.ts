import type { Observable } from 'rxjs';

/** Where in a merged cache a write is to be looked for. */
export interface ObservedOptions {
  /**
   * The name of the merged source that the object comes from (see `mergeSources`). Left out, every one of them has to have passed the
   * object's version, which means something only if they follow one cluster; and `keyOf` is not told a partition.
   */
  readonly partition?: string | undefined;
  /**
   * True: the object was deleted, and the cache has caught up when it no longer holds the object's uid.
   * The object then needs a uid and no resourceVersion. Default false. An object that the cache
   * has never held counts as gone, unless it has a version that the cache has not reached.
   */
  readonly deleted?: boolean | undefined;
}

/** Options of `whenObserved`. */
export interface WhenObservedOptions extends ObservedOptions {
  /** Aborting it rejects the promise with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Read your own writes: a cache that can say when it has caught up with one.
 *
 * It has where it holds the object in this version or a newer one, where a later incarnation stands under the key, and where the object is
 * gone and the cache has been told everything up to its version, also if it was never there: deleted before anybody looked, or not selected.
 * An object that namespace, label selector or shard of a `listWatch` leave out is observed as soon as the cache does not hold it; whether a
 * field selector leaves it out is known only to the server, so the next bookmark decides (about once a minute).
 *
 * **Does not guarantee**: an end where versions are not integers (some extension API servers): such a version may be skipped, and is met
 * only exactly. Pass a signal there.
 */
export interface ObservesWrites<T> {
  /**
   * Emits once, when the cache has caught up with the object, and completes. It observes only: it does not keep the informer running, goes
   * on waiting when the last subscriber leaves, and completes without a value when the informer is stopped or its source completes.
   *
   * **Errors**: throws `UnversionedObjectError` for an object without a resourceVersion (or, with `deleted`, without a uid as well), and what the key function throws.
   *
   * @param object as the API server answered the write
   */
  observed$(object: T, options?: ObservedOptions): Observable<void>;
  /**
   * Resolves when the cache has caught up with the object; rejects with the signal's reason when aborted, with `NotRunningError` where the
   * informer is not running or stops before, and with what `observed$` throws.
   *
   * @example
   * import { configMaps, informer, listWatch, type KubeClient } from 'rx-informers';
   * import { resourceClient } from 'rx-informers/controller';
   *
   * declare const client: KubeClient;
   * const settings = informer(listWatch(client, configMaps));
   *
   * settings.connect();
   * const written = await resourceClient(client, configMaps).patch('web/settings', { data: { mode: 'dark' } });
   * await settings.whenObserved(written);
   * console.log(settings.get('web/settings')?.data?.['mode']);
   */
  whenObserved(object: T, options?: WhenObservedOptions): Promise<void>;
}
