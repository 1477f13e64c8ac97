import {
  BehaviorSubject,
  combineLatest,
  distinctUntilChanged,
  map,
  type Observable,
  concat,
  defer,
  EMPTY,
  of,
  ReplaySubject,
  share,
  switchMap,
} from 'rxjs';
import { messageOf } from '../../kubernetes/errors.js';
import { resourceName } from '../../kubernetes/resource.js';
import type { SourceError } from '../../sources/model/errors.js';
import type { SourceStatus } from '../../sources/model/watch-event.js';
import type { CachedSource } from './sources.js';

/**
 * The readiness of a controller: true if it could reconcile now, otherwise the reasons, in
 * sentences such as `for: listing pods failed: GET /api/v1/pods: 403 Forbidden: …`.
 */
export type Readiness = { readonly isReady: true } | { readonly isReady: false; readonly reasons: readonly string[] };

type Ending = 'stopping' | 'stopped';

/** The readiness of one controller: whether its caches have synced, and whether it was stopped. */
export class ControllerReadiness {
  readonly ready$: Observable<Readiness>;
  readonly #ending$ = new BehaviorSubject<Ending | undefined>(undefined);
  #runs = 0;
  #isStopped = false;

  constructor(private readonly caches: readonly WatchedCache[]) {
    const reasons$ = combineLatest(
      caches.map((cache) => cache.health$.pipe(map((health) => whyNotReady(cache, health)))),
    );
    this.ready$ = combineLatest([this.#ending$, reasons$]).pipe(
      map(([ending, reasons]) => readiness(ending, reasons)),
      distinctUntilChanged(isSame),
    );
  }

  get isReady(): boolean {
    return this.#ending$.value === undefined && this.caches.every(({ collection }) => collection.hasSynced);
  }

  /** Starts a subscription: no longer stopped if the last one has ended, except after `stop`. */
  begin(): void {
    this.#runs++;
    if (!this.#isStopped) this.#ending$.next(undefined);
  }

  /** Records that the subscription takes no more triggers. */
  stopping(): void {
    this.#ending$.next('stopping');
  }

  end(): void {
    this.#runs--;
    if (this.#ending$.value === 'stopping') this.#ending$.next('stopped');
  }

  /** Stops the controller for good: later subscriptions do not run anything. */
  stop(): void {
    this.#isStopped = true;
    if (this.#runs === 0) this.#ending$.next('stopped');
  }
}

/** Returns why a cache keeps a controller from being ready, until the cache has synced. */
export function whyNotReady(cache: WatchedCache, health: CacheHealth): string | undefined {
  return health.hasSynced ? undefined : `${cache.trigger}: ${whyWaiting(cache, health)}`;
}

function readiness(ending: Ending | undefined, whyNot: readonly (string | undefined)[]): Readiness {
  const ended = ending && { stopping: 'the controller is stopping', stopped: 'the controller has stopped' }[ending];
  const reasons = [ended, ...whyNot].filter((reason) => reason !== undefined);
  return reasons.length === 0 ? { isReady: true } : { isReady: false, reasons };
}

function isSame(a: Readiness, b: Readiness): boolean {
  if (a.isReady || b.isReady) return a.isReady === b.isReady;
  return a.reasons.join('\n') === b.reasons.join('\n');
}

/** The health of one cache of a controller. */
export interface CacheHealth {
  readonly hasSynced: boolean;
  /** The status of its source; none for an indexer, or a collection of another library. */
  readonly status: SourceStatus | undefined;
  /** The last failure of the cache's source. It is kept until the source has succeeded. */
  readonly error: SourceError | undefined;
}

export interface WatchedCache extends CachedSource {
  /** Emits at once and on each change. Does not keep an informer running. */
  readonly health$: Observable<CacheHealth>;
}

export function watchedCache(cache: CachedSource): WatchedCache {
  return { ...cache, health$: health$(cache) };
}

function health$({ collection }: CachedSource): Observable<CacheHealth> {
  const { status$ } = collection as { readonly status$?: Observable<SourceStatus> };
  const statuses$: Observable<SourceStatus | undefined> = status$ ?? of(undefined);
  const health$ = defer(() => {
    let error: SourceError | undefined;
    return statuses$.pipe(
      // `synced$` completes when an informer stops, so a restarted one needs a new subscription.
      switchMap((status) => concat(of(status), onceSynced(collection, status))),
      map((status) => ({ hasSynced: collection.hasSynced, status, error: (error = errorOf(status, error)) })),
      distinctUntilChanged((a, b) => a.status === b.status && a.hasSynced === b.hasSynced),
    );
  });
  // The stream is shared, so that a late subscriber receives the error of an earlier attempt too.
  return health$.pipe(share({ connector: () => new ReplaySubject(1) }));
}

function onceSynced<V>({ hasSynced, synced$ }: CachedSource['collection'], value: V): Observable<V> {
  return hasSynced ? EMPTY : synced$.pipe(map(() => value));
}

/** Why a cache has not synced or is not current: a sentence without a full stop. */
export function whyWaiting({ collection }: CachedSource, { hasSynced, status, error }: CacheHealth): string {
  const resource = collection.resource ? resourceName(collection.resource) : 'its objects';
  if (error) {
    const isWatch = hasSynced && 'request' in error && error.request.url.includes('watch=');
    return `${isWatch ? 'watching' : 'listing'} ${resource} failed: ${messageOf(error)}${error.advice ? `; ${error.advice}` : ''}`;
  }
  if (status?.state === 'stopped') return `the informer of ${resource} is not running`;
  if (status?.state !== 'listing') return `${resource} have not been listed yet`;
  const { received, expected } = status;
  return `listing ${resource}, ${received}${expected === undefined ? '' : ` of ${expected}`} received so far`;
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
