import { asyncScheduler, type Observable, type SchedulerLike } from 'rxjs';
import type { CollectionOptions } from '../collections/collection.js';
import { collectionOptionNames, type ReportOptions, type SlowSubscriberOptions } from '../collections/reports.js';
import { type KeyFunction, metaNamespaceKey } from '../kubernetes/keys.js';
import { resourceName } from '../kubernetes/resource.js';
import { checkedDuration, steady } from '../scheduling/clock.js';
import type { ListWatchOptions, ReceivedObject } from '../sources/list-watch-options.js';
import type { Backoff } from '../sources/model/backoff.js';
import { checkNames } from '../sources/model/checked-options.js';
import type { Source } from '../sources/model/source.js';
import type { DedupMode } from '../store/dedup.js';
import type { Indexers } from '../store/index-functions.js';
import type { SnapshotOptions } from '../store/snapshot-draft.js';

/** Options of `informer`. */
export interface InformerOptions<T, I extends string>
  extends CollectionOptions, SnapshotOptions, ReportOptions, SlowSubscriberOptions {
  /**
   * Index functions by name. Default: none; `addIndexers` adds more. Each function is called once
   * for each object that is added or updated.
   */
  readonly indexers?: Indexers<T, I> | undefined;
  /**
   * Returns the key under which an object is stored. Default `metaNamespaceKey`. With any other
   * function, a relist parses unchanged objects again.
   */
  readonly keyOf?: KeyFunction<T> | undefined;
  /**
   * Deduplicates the events of one batch before the cache applies them. Default `client-go`: drops
   * only repeated deletions. `latestOnly` keeps the net effect on each key; a `listWatch` then does
   * not even parse superseded events. `latestOnly` costs less when statuses change often, but
   * `changes$` and event handlers do not see intermediate states.
   */
  readonly dedup?: DedupMode | undefined;
  /**
   * How long the source stays connected after the last subscriber has left, in milliseconds.
   * Default 1,000: operators that unsubscribe before they subscribe again (`switchMap`, `concat`,
   * `retry`) then share one list. A longer time keeps the connection and the memory longer; `0`
   * disconnects at once. A source that has completed does not linger. The timer does not keep a
   * Node process alive, but the connection does, for at most this time; `stop()` ends the
   * connection at once.
   */
  readonly linger?: number | undefined;
  /**
   * The wait before a list is read again because an object could not be stored, or before an index
   * function that failed is called again. Default: 0.8 s, doubled each time, up to 5 minutes.
   * Jitter adds up to 100 % to each wait.
   */
  readonly relistBackoff?: Backoff | undefined;
  /**
   * The informer calls `recheck` for each emission of this Observable. Default: none. The informer
   * subscribes to it while it is connected, so share an expensive Observable. In browsers,
   * `browserWake$()` of `rx-informers/views` emits when the connection may have died unnoticed. If
   * `wakeOn` errors, `errors$` emits the error, and the informer continues without it.
   */
  readonly wakeOn?: Observable<unknown> | undefined;
  /**
   * The clock of lingering, backoff and resync. Default: the clock of the source, which is the
   * clock of its client.
   */
  readonly scheduler?: SchedulerLike | undefined;
  /**
   * Returns numbers in [0, 1) for jitter. Default: the function of the source, which is the
   * function of its client.
   */
  readonly random?: (() => number) | undefined;
}

/**
 * Options of `informer(client, resource, options)`: those of `listWatch` (what to read, and how)
 * and those of `informer` over a source (how to keep it). `scheduler` and `random` apply to both.
 */
export type ResourceInformerOptions<
  T,
  I extends string,
  MetadataOnly extends boolean = false,
  R = ReceivedObject<T, MetadataOnly>,
> = ListWatchOptions<T, MetadataOnly, R> & Omit<InformerOptions<NoInfer<R>, I>, 'resource' | 'scheduler' | 'random'>;

type Defaulted = 'name' | 'keyOf' | 'linger' | 'scheduler' | 'random';

type CheckedInformerOptions<T, I extends string> = InformerOptions<T, I> &
  Pick<Source<T>, 'client'> & { readonly [Name in Defaulted]-?: NonNullable<InformerOptions<T, I>[Name]> };

/** Returns the options with their defaults, some of which come from the source. */
export function checkedInformerOptions<T, I extends string>(
  source: Source<T>,
  options: InformerOptions<T, I>,
): CheckedInformerOptions<T, I> {
  checkNames<InformerOptions<never, never>>('an option of informer', options, () => ({
    ...informerDefaults,
    ...collectionOptionNames,
    ...{ freeze: 1, indexers: 1, relistBackoff: 1, wakeOn: 1, scheduler: 1, random: 1 },
  }));
  const resource = options.resource ?? source.resource;
  return {
    ...options,
    resource,
    client: source.client,
    name: options.name ?? (resource && resourceName(resource)) ?? 'informer',
    keyOf: options.keyOf ?? (informerDefaults.keyOf as KeyFunction<T>),
    linger: checkedDuration('linger', options.linger ?? informerDefaults.linger),
    scheduler: steady(options.scheduler ?? source.scheduler ?? asyncScheduler),
    random: options.random ?? source.random ?? Math.random,
  };
}

/** The defaults of `informer` that are the same for every source. */
export const informerDefaults = {
  keyOf: metaNamespaceKey,
  dedup: 'client-go',
  /** Long enough for an operator that unsubscribes and then subscribes again. */
  linger: 1_000,
} as const;
