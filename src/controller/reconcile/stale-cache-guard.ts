import { finalize, merge, Subject, tap, type MonoTypeOperatorFunction, type SchedulerLike } from 'rxjs';
import { isRxInformersError } from '../../kubernetes/errors.js';
import { splitPartitionedKey } from '../../kubernetes/keys.js';
import type { Logger } from '../../requests/logger.js';
import { silently } from '../../scheduling/safely.js';
import type { KubeClient, RecordedWrite } from '../../sources/client/kube-client.js';
import { runStoppedError } from '../queue/errors.js';
import type { QueueInternals } from '../workqueue/held-keys.js';
import { safeHooksOf, type checkedWorkqueueOptions } from '../workqueue/workqueue-options.js';
import type { ClientOfPartition } from './cluster-of-run.js';
import { HandOverGuard } from './hand-over-guard.js';
import { holdUntilObserved, type ObserveWritesContext } from './observe-writes.js';
import { OwnWrites } from './own-writes.js';
import type { QueueEvent } from './reconcile-event.js';
import { recordingClient } from './recording-client.js';
import { type KeyBackoff, freeChain, OwnTriggers, absorbOwnWrites } from './self-triggered-runs.js';
import type { CachedSource } from './sources.js';
import type { Trigger } from './triggers.js';
import type { UnguardedRuns } from './unguarded-runs.js';

export interface StaleCacheGuardContext {
  readonly client: KubeClient | ClientOfPartition;
  readonly caches: readonly CachedSource[];
  readonly observeTimeout: number;
  readonly scheduler: SchedulerLike;
  readonly logger: Logger;
  readonly unguarded: UnguardedRuns;
  readonly queueOptions: ReturnType<typeof checkedWorkqueueOptions>;
  readonly observed: ObserveWritesContext['observed'];
}

/** A run that writes, to the objects of a partition if its controller has several clusters. */
interface WritingRun {
  readonly key: string;
  readonly partition?: string | undefined;
  readonly signal: AbortSignal;
}

/** The hooks for the queue of one subscription of a controller. */
export interface GuardedRuns extends Pick<QueueInternals, 'holdAfter' | 'heldBefore'> {
  /** Drops triggers that only report the write of a failed key. */
  readonly triggers: MonoTypeOperatorFunction<Trigger>;
  /** Observes the events of the runs. */
  readonly events: <
    Event extends QueueEvent<unknown> | { readonly type: 'refused' },
  >() => MonoTypeOperatorFunction<Event>;
}

/**
 * Prevents a controller (one `controller(…)`) from acting on a cache without the writes of its own
 * runs. Outlives its subscriptions, as the caches may.
 */
export class StaleCacheGuard {
  readonly #writes: OwnWrites;
  readonly handOver: HandOverGuard;

  constructor(private readonly context: StaleCacheGuardContext) {
    this.#writes = new OwnWrites(() => context.scheduler.now());
    this.handOver = new HandOverGuard(context);
  }

  /**
   * Returns the client of a run. All writes through it are writes of the key. It sends no write
   * after the run was unsubscribed from, so none after its leadership has ended by the clock.
   */
  clientOf(client: KubeClient, { key, partition, signal }: WritingRun): KubeClient {
    const record = (write: RecordedWrite): void => {
      this.#writes.record(key, write);
      this.handOver.record(write, partition);
    };
    const refusal = (): Error | undefined => {
      if (!this.handOver.endIfOverdue()) return runStoppedError(key);
      return isRxInformersError(signal.reason, 'RXI_RUN_STOPPED') ? signal.reason : undefined;
    };
    return recordingClient(client, record, (request) => this.context.unguarded.unrecordable(key, request), refusal);
  }

  begin(emit: ObserveWritesContext['emit']): GuardedRuns {
    const { client, caches, observeTimeout, scheduler, logger, queueOptions, observed, unguarded } = this.context;
    const partitionOf = (key: string) =>
      typeof client === 'function' ? splitPartitionedKey(key).partition : undefined;
    const observing = { writes: this.#writes, caches, observeTimeout, scheduler, emit, observed, partitionOf };
    const later$ = new Subject<Trigger>();
    const runsInCircles = (key: string): void => {
      const message =
        'each run of this key writes a change that triggers the next run, so its runs are delayed; ' +
        'write only what differs (a timestamp in a status always does)';
      logger.warn({ key, runs: freeChain }, message);
    };
    const own = new OwnTriggers(this.#writes, runsInCircles, backoffOf(queueOptions));
    return {
      triggers: (triggers$) =>
        triggers$.pipe(
          absorbOwnWrites(own, later$),
          unguarded.checkedTriggers(() => own.runningKeys),
        ),
      events: () =>
        tap((event) => {
          if (event.type === 'refused') return;
          for (const trigger of own.handled(event)) later$.next(trigger);
        }),
      heldBefore: () => this.#writes.unobservedKeys,
      holdAfter: (key) => {
        const observed$ = holdUntilObserved(key, observing);
        const reached$ = this.handOver.holdAfter(key, emit);
        const until$ = observed$ && reached$ ? merge(observed$, reached$) : (observed$ ?? reached$);
        const freed = (): void => own.freed(key);
        if (until$) return until$.pipe(finalize(freed));
        freed();
        return undefined;
      },
    };
  }
}

/** Returns waits like those of the queue, which reports the errors of the rate limiter. */
function backoffOf(options: StaleCacheGuardContext['queueOptions']): KeyBackoff {
  const limiter = safeHooksOf(options, silently).rateLimiter();
  return {
    next: (key) =>
      Math.max(
        1,
        silently('rateLimiter.when', () => limiter.when(key, options.scheduler.now()), 1_000),
      ),
    forget: (key) => limiter.forget(key),
  };
}
