import { finalize, Subject, tap, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { checkedDuration } from '../../operators/checked-duration.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import { recordingClient } from '../api/recording-client.js';
import type { Logger } from '../logger.js';
import type { QueueInternals } from '../workqueue/held-keys.js';
import { absorbOwnWrites, freeChain, OwnTriggers } from './absorb-own-writes.js';
import type { QueueEvent } from './from-queue-event.js';
import { holdUntilObserved, type ObserveWritesContext } from './observe-writes.js';
import { OwnWrites } from './own-writes.js';
import type { CachedSource } from './sources.js';
import type { Trigger } from './triggers.js';

/** What carries the guard. */
export interface StaleCacheGuardContext {
  readonly caches: readonly CachedSource[];
  readonly observeTimeout: number | undefined;
  readonly scheduler: SchedulerLike;
  readonly logger: Logger;
}

/** What one subscription of a controller adds to its keys. */
export interface GuardedRuns extends Pick<QueueInternals, 'holdAfter' | 'heldBefore'> {
  /** Drops what only says that a write of a failed key has come back. */
  readonly triggers: MonoTypeOperatorFunction<Trigger>;
  /** Follows the runs. */
  readonly events: <
    Event extends QueueEvent<unknown> | { readonly type: 'refused' },
  >() => MonoTypeOperatorFunction<Event>;
}

/** Longer than the minute between two bookmarks of a watch. */
const defaultTimeout = 90_000;

/**
 * Keeps a controller from acting on a cache that does not show what its own runs have written.
 *
 * It belongs to one `controller(…)` and outlives its subscriptions, as the caches may.
 */
export class StaleCacheGuard {
  readonly #writes = new OwnWrites();

  constructor(private readonly context: StaleCacheGuardContext) {
    const { observeTimeout = defaultTimeout } = context;
    if (observeTimeout !== Infinity) checkedDuration('observeTimeout', observeTimeout);
  }

  /** Returns the client of a run: what is written through it is a write of the key. */
  clientOf(client: KubeClient, key: string): KubeClient {
    return recordingClient(client, (write) => {
      this.#writes.record(key, write);
    });
  }

  begin(tell: ObserveWritesContext['tell']): GuardedRuns {
    const { caches, observeTimeout = defaultTimeout, scheduler, logger } = this.context;
    const observing = { writes: this.#writes, caches, observeTimeout, scheduler, tell };
    const later$ = new Subject<Trigger>();
    const own = new OwnTriggers(this.#writes, (key) => {
      const message =
        'the runs of this key trigger each other: each writes something that leads to the next, and they are slowed down now; ' +
        'write only what differs (a timestamp in a status always does)';
      logger.warn({ key, runs: freeChain }, message);
    });
    return {
      triggers: absorbOwnWrites(own, later$),
      events: () =>
        tap((event) => {
          if (event.type === 'refused') return;
          for (const trigger of own.happened(event)) later$.next(trigger);
        }),
      heldBefore: () => this.#writes.unobservedKeys,
      holdAfter: (key) => {
        const until$ = holdUntilObserved(key, observing);
        const freed = (): void => {
          own.freed(key);
        };
        if (until$) return until$.pipe(finalize(freed));
        freed();
        return undefined;
      },
    };
  }
}
