import { resourceName, type Resource } from '../../kubernetes/resource.js';
import type { Collection } from '../../informer/collection.js';
import { InvalidOptionError } from '../../sources/list-watch-options.js';

/** A cache that a call reads instead of the server: an informer, or any other collection of the same resource. */
export type ReadCache<T> = Pick<Collection<T>, 'hasSynced' | 'snapshot' | 'resource'>;

/** Returns the cache; throws `InvalidOptionError` if it is known to hold another resource. */
export function checkedCache<T>(
  cache: ReadCache<T> | undefined,
  resource: Resource<unknown>,
): ReadCache<T> | undefined {
  const held = cache?.resource && resourceName(cache.resource);
  if (held === undefined || held === resourceName(resource)) return cache;
  throw new InvalidOptionError('from', held, `a cache of ${resourceName(resource)}`);
}
