import {
  asyncScheduler,
  concat,
  concatMap,
  dematerialize,
  EMPTY,
  from,
  ignoreElements,
  map,
  materialize,
  of,
  timer,
  type ObservableNotification,
  type SchedulerLike,
} from 'rxjs';
import { toBatch } from '../../sources/to-batch.js';
import type { WatchEventBatch } from '../../sources/watch-event.js';
import type { Fault } from './fault.js';

export interface SplitBatchesOptions {
  /** Events in one batch, at most; default 1. */
  readonly size?: number | undefined;
  /** Milliseconds between two batches, at least; default 0. */
  readonly interval?: number | undefined;
  /** Default `asyncScheduler`. */
  readonly scheduler?: SchedulerLike | undefined;
}

/**
 * Delivers batches in pieces: a slow drip.
 *
 * | in | out |
 * | --- | --- |
 * | a batch of up to `size` events | the same |
 * | a larger one | its events in order, `size` at a time; a `LISTED` stays one event |
 * | the error, completion | the same, after everything before it |
 *
 * @example
 * const drip = watchMarbles('L()[A(a)M(a)]|', { a: aPod({ name: 'a' }) }).pipe(splitBatches({ interval: 100 }));
 */
export function splitBatches<T>(options: SplitBatchesOptions = {}): Fault<T> {
  const { size = 1, interval = 0, scheduler = asyncScheduler } = options;
  const pause = interval > 0 ? timer(interval, scheduler).pipe(ignoreElements()) : EMPTY;
  return (source) =>
    source.pipe(
      map(toBatch),
      materialize(),
      concatMap((notification) => from(pieces(notification, size))),
      concatMap((piece) => concat(of(piece), pause)),
      dematerialize(),
    );
}

function pieces<T>(
  notification: ObservableNotification<WatchEventBatch<T>>,
  size: number,
): readonly ObservableNotification<WatchEventBatch<T>>[] {
  if (notification.kind !== 'N') return [notification];
  const { value } = notification;
  const count = Math.max(1, Math.ceil(value.length / size));
  return Array.from({ length: count }, (_, position) => ({
    kind: 'N',
    value: value.slice(position * size, (position + 1) * size),
  }));
}
