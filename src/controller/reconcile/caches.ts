import {
  combineLatest,
  concat,
  defer,
  distinctUntilChanged,
  filter,
  map,
  of,
  startWith,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { LifeInput } from './life-step.js';
import type { CachedSource } from './sources.js';

type CacheState = 'syncing' | 'synced' | 'ended';

/** Keeps the collections running while subscribed to; says when all of them have synced, and when one has ended. */
export function caches(sources: readonly CachedSource[], scheduler: SchedulerLike): Observable<LifeInput> {
  return defer(() => {
    const subscribedAt = scheduler.now();
    return combineLatest(sources.map(cacheState)).pipe(
      map((states) => inputOf(sources, states, scheduler.now() - subscribedAt)),
      filter((input) => input !== undefined),
      distinctUntilChanged((a, b) => a.type === b.type),
    );
  });
}

function cacheState({ collection: { snapshot$ } }: CachedSource): Observable<CacheState> {
  const synced$ = snapshot$.pipe(map((): CacheState => 'synced'));
  return concat(synced$, of<CacheState>('ended')).pipe(startWith<CacheState>('syncing'), distinctUntilChanged());
}

function inputOf(sources: readonly CachedSource[], states: readonly CacheState[], took: number): LifeInput | undefined {
  const ended = sources.find((_, index) => states[index] === 'ended');
  if (ended) return { type: 'stopping', cause: 'collection-ended', trigger: ended.trigger };
  return states.includes('syncing') ? undefined : { type: 'synced', took };
}
