import { BehaviorSubject, combineLatest, distinctUntilChanged, map, type Observable } from 'rxjs';
import { whyWaiting, type CacheHealth, type WatchedCache } from './cache-health.js';

/**
 * Whether a controller could work now, and if not, why: plain sentences such as
 * `for: listing pods failed: GET /api/v1/pods: 403 Forbidden: …`.
 */
export type Readiness = { readonly isReady: true } | { readonly isReady: false; readonly reasons: readonly string[] };

type Ending = 'stopping' | 'stopped';

/** The readiness of one controller: whether its caches have synced, and whether it was stopped. */
export class ControllerReadiness {
  readonly ready$: Observable<Readiness>;
  readonly #ending$ = new BehaviorSubject<Ending | undefined>(undefined);
  #lives = 0;
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

  /** A subscription begins. What an earlier one ended with no longer counts, except for `stop`. */
  begin(): void {
    this.#lives++;
    if (!this.#isStopped) this.#ending$.next(undefined);
  }

  /** The subscription takes no more triggers. */
  stopping(): void {
    this.#ending$.next('stopping');
  }

  /** The subscription has ended. */
  end(): void {
    this.#lives--;
    if (this.#ending$.value === 'stopping') this.#ending$.next('stopped');
  }

  /** No later subscription runs anything. */
  stop(): void {
    this.#isStopped = true;
    if (this.#lives === 0) this.#ending$.next('stopped');
  }
}

/** Returns why a cache keeps a controller from being ready; `undefined` once it has synced. */
export function whyNotReady(cache: WatchedCache, health: CacheHealth): string | undefined {
  return health.hasSynced ? undefined : `${cache.trigger}: ${whyWaiting(cache, health)}`;
}

function readiness(ending: Ending | undefined, whyNot: readonly (string | undefined)[]): Readiness {
  const ended = ending && { stopping: 'the controller is stopping', stopped: 'the controller was stopped' }[ending];
  const reasons = [ended, ...whyNot].filter((reason) => reason !== undefined);
  return reasons.length === 0 ? { isReady: true } : { isReady: false, reasons };
}

function isSame(a: Readiness, b: Readiness): boolean {
  if (a.isReady || b.isReady) return a.isReady === b.isReady;
  return a.reasons.join('\n') === b.reasons.join('\n');
}
