import type { SourceError } from '../source-error.js';

/**
 * What `listWatch` tells whoever measures it. Durations are in milliseconds of its scheduler; the names beside are those of
 * client-go's metrics.
 *
 * One object may be passed to several list-watches, or to one of several namespaces. If a method throws, the source emits an
 * `ERROR` and goes on.
 */
export interface ListWatchMetrics {
  /**
   * A list began, as a stream or in pages (`reflector_lists_total`). `cause` is the failure that made it necessary: `undefined` for the
   * first list of a subscription, and for one that looks for objects which the list before could not deliver (R12 ▲).
   */
  listStarted(cause: SourceError | undefined): void;
  /** The list is complete (`reflector_list_duration_seconds`, `reflector_items_per_list`). One that fails is followed by a `listStarted`. */
  listFinished(took: number, items: number): void;
  /** A watch is open: the server has answered, or a streaming list is complete (`reflector_watches_total`). */
  watchOpened(): void;
  /**
   * It is over, be it unsubscribed from (`reflector_watch_duration_seconds`, `reflector_items_per_watch`). `events` counts bookmarks, and not
   * the changes that belong to another shard.
   */
  watchEnded(took: number, events: number): void;
  /** There is a newer version from which to go on (`reflector_last_resource_version`). */
  resourceVersion(resourceVersion: string): void;
}
