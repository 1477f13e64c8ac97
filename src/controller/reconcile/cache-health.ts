import {
  concat,
  defer,
  distinctUntilChanged,
  EMPTY,
  map,
  of,
  ReplaySubject,
  share,
  switchMap,
  type Observable,
} from 'rxjs';
import { messageOf } from '../../kubernetes/message-of.js';
import { resourceName } from '../../kubernetes/resource.js';
import type { SourceError } from '../../sources/source-error.js';
import type { SourceStatus } from '../../sources/source-status.js';
import type { CachedSource } from './sources.js';

/** What is known about one cache of a controller. */
export interface CacheHealth {
  readonly hasSynced: boolean;
  /** What its source is doing. An indexer, or a collection of another library, has no status. */
  readonly status: SourceStatus | undefined;
  /** The last failure of its source. It is kept while the source tries again, until it succeeds. */
  readonly error: SourceError | undefined;
}

/** A cache of a controller, and what is known about it. */
export interface WatchedCache extends CachedSource {
  /** Emits at once, to each subscriber. It only observes: it does not keep an informer running. */
  readonly health$: Observable<CacheHealth>;
}

/** Returns a cache with its health. */
export function watchedCache(cache: CachedSource): WatchedCache {
  return { ...cache, health$: health$(cache) };
}

function health$({ collection }: CachedSource): Observable<CacheHealth> {
  const { status$ } = collection as { readonly status$?: Observable<SourceStatus> };
  const statuses$: Observable<SourceStatus | undefined> = status$ ?? of(undefined);
  const health$ = defer(() => {
    let error: SourceError | undefined;
    return statuses$.pipe(
      // `synced$` completes when an informer stops, so that a restarted one needs another subscription.
      switchMap((status) => concat(of(status), onceSynced(collection, status))),
      map((status) => ({ hasSynced: collection.hasSynced, status, error: (error = errorOf(status, error)) })),
      distinctUntilChanged((a, b) => a.status === b.status && a.hasSynced === b.hasSynced),
    );
  });
  // Shared, so that a late subscriber knows the error of an earlier attempt too.
  return health$.pipe(share({ connector: () => new ReplaySubject(1) }));
}

function onceSynced<V>({ hasSynced, synced$ }: CachedSource['collection'], value: V): Observable<V> {
  return hasSynced ? EMPTY : synced$.pipe(map(() => value));
}

/** Returns why a cache has not synced, or cannot be kept current, as a sentence without a full stop. */
export function whyWaiting({ collection }: CachedSource, { hasSynced, status, error }: CacheHealth): string {
  const resource = collection.resource ? resourceName(collection.resource) : 'its objects';
  if (error) {
    const isWatch = hasSynced && 'request' in error && error.request.url.includes('watch=');
    return `${isWatch ? 'watching' : 'listing'} ${resource} failed: ${messageOf(error)}${adviceFor(error, resource)}`;
  }
  if (status?.state === 'stopped') return `the informer of ${resource} is not running`;
  if (status?.state !== 'listing') return `${resource} have not been read yet`;
  const { received, expected } = status;
  return `listing ${resource}, ${received}${expected === undefined ? '' : ` of ${expected}`} received so far`;
}

function adviceFor(error: SourceError, resource: string): string {
  if (error.name === 'ConnectionError') return '; is the API server reachable?';
  if (error.name !== 'StatusError') return '';
  if (error.statusCode === 401) return '; check the credentials';
  if (error.statusCode === 403) return `; grant list and watch of ${resource}`;
  return error.statusCode === 404 ? `; install ${resource}, or correct the group, version and plural` : '';
}

function errorOf(status: SourceStatus | undefined, before: SourceError | undefined): SourceError | undefined {
  switch (status?.state) {
    case 'backing-off':
    case 'forbidden':
    case 'not-found':
      return status.cause;
    case 'reconnecting':
      return status.cause ?? before;
    case 'listing':
      return before;
    default:
      return undefined;
  }
}
