import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { metaNamespaceKey, type KeyFunction } from '../kubernetes/key.js';
import { resourceName } from '../kubernetes/resource.js';
import { factsOf, type Source } from '../sources/source.js';
import type { DedupMode } from '../sources/dedup-mode.js';
import type { Backoff } from '../sources/backoff.js';
import type { Indexers } from '../store/indexing.js';
import type { CollectionOptions } from './collection.js';
import type { ReportOptions, SlowSubscriberOptions } from './reports.js';
import type { KeepOptions } from '../store/snapshot-draft.js';

/** Options of `informer`. */
export interface InformerOptions<T, I extends string>
  extends CollectionOptions, KeepOptions, ReportOptions, SlowSubscriberOptions {
  /** Index functions by name (default none); more can be added later. Each costs one call for every object that comes in. */
  readonly indexers?: Indexers<T, I> | undefined;
  /** The key under which an object is stored (default `metaNamespaceKey`). */
  readonly keyOf?: KeyFunction<T> | undefined;
  /**
   * What one batch says twice about one key: `client-go` (default) keeps everything but doubled deletes, `latest` keeps the net effect,
   * which is cheaper under status storms and hides intermediate states from `changes$` and event handlers.
   */
  readonly dedup?: DedupMode | undefined;
  /**
   * Milliseconds for which the source stays connected after the last subscriber has left (default
   * 1,000). Operators that unsubscribe before they subscribe again (`switchMap`, `concat`, `retry`)
   * then share one list. A longer time keeps the connection and the memory longer; `0` disconnects
   * at once. A source that has completed does not linger. The timer does not keep a Node process
   * alive, but the connection does, for at most this time; `stop()` ends it at once.
   */
  readonly linger?: number | undefined;
  /** The wait before the source is subscribed to again because an object could not be stored, or an index function is called again (default 0.8 s ×2, up to 5 minutes, jittered). */
  readonly relistBackoff?: Backoff | undefined;
  /** The clock of lingering, backoff and resync (default `asyncScheduler`); the source has its own. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Where jitter comes from (default `Math.random`). */
  readonly random?: (() => number) | undefined;
}

/** Returns the options with the resource of the source, and a name for messages, where they do not say them. */
export function identified<T, I extends string>(options: InformerOptions<T, I>, source: Source<T>) {
  const resource = options.resource ?? factsOf(source).resource;
  return { ...options, resource, name: options.name ?? (resource && resourceName(resource)) ?? 'informer' };
}

/** The defaults of `informer`, where they are values. */
export const informerDefaults = {
  keyOf: metaNamespaceKey,
  dedup: 'client-go',
  /** Long enough for an operator that unsubscribes before it subscribes again. */
  linger: 1_000,
  shareStructure: true,
  scheduler: asyncScheduler,
  random: Math.random,
} as const;
