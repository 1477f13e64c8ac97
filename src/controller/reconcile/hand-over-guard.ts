import { endWith, merge, NEVER, type Observable, Subject, take, takeUntil, tap, timer } from 'rxjs';
import type { CatchesUp } from '../../informer/observed-writes.js';
import { type Resource, resourceName } from '../../kubernetes/resource.js';
import type { KubeClient, RecordedWrite } from '../../sources/client/kube-client.js';
import {
  nothingWritten,
  recordVersion,
  type HandOver,
  type RunHandOver,
  type WrittenVersions,
  unreachedVersions,
} from '../lease/written-versions.js';
import { skipped, type Skipped } from '../workqueue/outcome.js';
import type { RunContext } from '../workqueue/run.js';
import { type ClientOfPartition, clusterOfRun, type ClusterOfRun, hasPartition } from './cluster-of-run.js';
import { type AwaitedWrite, holdKey, type HoldOptions } from './hold-key.js';
import { joinReasons, reasonText, type ReasonText } from './reconcile-event.js';
import type { CachedSource } from './sources.js';
import type { Trigger } from './triggers.js';

export interface HandOverContext extends Omit<HoldOptions, 'emit'> {
  readonly caches: readonly CachedSource[];
  /** The client through which the controller writes, or that of each partition. */
  readonly client: KubeClient | ClientOfPartition;
}

/** How long a cache may take to reach a version by its watch, before it is listed again. */
const relistAfter = 2_000;

/**
 * Prevents a controller (one `controller(…)`) from acting on a cache without the writes of a key's
 * former owner. A run that has to wait ends as `skipped`; its key is held, and runs again.
 */
export class HandOverGuard {
  readonly #written = new Map<string, string>();
  /** The keys of the runs that have to wait. */
  readonly #waiting = new Map<string, WrittenVersions>();
  /** The partitions in which all caches have reached the versions, as long as their hand-over. */
  readonly #reached = new WeakMap<WrittenVersions, Set<string | undefined>>();
  /** The keys that were released although the caches have not reached the versions. */
  readonly #released = new WeakMap<WrittenVersions, Set<string>>();
  #again = new Subject<Trigger>();
  #handOver: HandOver | undefined;

  constructor(private readonly context: HandOverContext) {}

  record({ resource, resourceVersion = '' }: RecordedWrite, partition?: string): void {
    recordVersion(this.#written, nameIn(partition, resource), resourceVersion);
  }

  /** Begins a subscription, and takes part in the hand-over of its leadership. */
  begin(handOver: HandOver | undefined): Observable<Trigger> {
    this.#handOver = handOver;
    handOver?.leave(this.#written);
    return (this.#again = new Subject());
  }

  /** Ends a leadership whose timer is late. Returns false if it is overdue, and cannot end yet. */
  endIfOverdue(): boolean {
    return this.#handOver?.endIfOverdue?.() ?? true;
  }

  /** Returns the part of a run's request, or the result of a run that has to wait. */
  runOf(key: string, run: Pick<RunContext<ReasonText>, 'reasons' | 'priority'>): RunHandOver | Skipped {
    const handOver: RunHandOver = {
      written: this.#written,
      awaits: (versions) => this.#awaits(key, versions, run),
    };
    return handOver.awaits(this.#handOver?.received(key) ?? nothingWritten) ? skipped(unreachedVersions) : handOver;
  }

  #awaits(
    key: string,
    versions: WrittenVersions,
    { reasons, priority }: Pick<RunContext<ReasonText>, 'reasons' | 'priority'>,
  ): boolean {
    if (versions.size === 0 || this.#released.get(versions)?.has(key)) return false;
    if (this.#waits(key, versions).length === 0) return false;
    this.#waiting.set(key, versions);
    const reason = reasons.length === 0 ? reasonText({ type: 'requeue' }) : joinReasons(reasons);
    this.#again.next({ key, priority, reason });
    return true;
  }

  /** Returns an Observable that completes when the key may run again. */
  holdAfter(key: string, emit: HoldOptions['emit']): Observable<never> | undefined {
    const versions = this.#waiting.get(key);
    this.#waiting.delete(key);
    const waits = versions === undefined ? [] : this.#waits(key, versions);
    if (versions === undefined || waits.length === 0) return undefined;
    return holdKey(
      key,
      waits,
      { ...this.context, emit },
      {
        gaveUp: () => {
          this.#released.set(versions, (this.#released.get(versions) ?? new Set()).add(key));
        },
      },
    );
  }

  /** Returns the versions that the caches have not reached. */
  #waits(key: string, versions: WrittenVersions): readonly AwaitedWrite[] {
    const cluster = clusterOfRun(this.context.client, key);
    const reached = this.#reached.get(versions) ?? new Set();
    if (reached.has(cluster.partition)) return [];
    const caches = this.context.caches.filter((cache) => hasPartition(cache, cluster.partition));
    const waits = caches.flatMap((cache) => this.#waitOf(cache, versions, cluster));
    if (waits.length === 0) this.#reached.set(versions, reached.add(cluster.partition));
    return waits;
  }

  #waitOf(
    { trigger, collection }: CachedSource,
    versions: WrittenVersions,
    { client, partition }: ClusterOfRun,
  ): readonly AwaitedWrite[] {
    const resource = collection.resource && resourceName(collection.resource);
    const version = collection.resource && versions.get(nameIn(partition, collection.resource));
    const cache = collection as Partial<CatchesUp>;
    if (resource === undefined || version === undefined || cache.reached$ === undefined) return [];
    const reached$ = cache.reached$(version, client).pipe(endWith(undefined), take(1));
    const reaching = reached$.subscribe();
    if (reaching.closed) return [];
    reaching.unsubscribe();
    const relist$ = timer(relistAfter, this.context.scheduler).pipe(tap(() => cache.catchUp?.(version, client)));
    const wait$ = merge(relist$, NEVER).pipe(takeUntil(reached$));
    const write = { verb: undefined, resource, object: undefined, resourceVersion: version, trigger };
    return [{ write, observed$: wait$ }];
  }
}

/** Returns the resource, after its partition: versions of two clusters cannot be compared. */
function nameIn(partition: string | undefined, resource: Resource<unknown>): string {
  const name = resourceName(resource);
  return partition === undefined ? name : `${encodeURIComponent(partition)}/${name}`;
}
