import type { EventObject } from './event-object.js';
import type { Series } from './series.js';

/** What happens to a series; `at` is elapsed time, in milliseconds of the scheduler. */
export type SeriesInput =
  /**
   * It was recorded once more, at the time of day `time` (default `at`); `hasRoom`: whether another
   * series may wait for a worker.
   */
  | { readonly type: 'observed'; readonly at: number; readonly time?: number; readonly hasRoom: boolean }
  /** A worker has time for it: it was enqueued, or its wait is over. */
  | { readonly type: 'turn'; readonly at: number }
  /** A write of this count ended. */
  | { readonly type: 'write-ended'; readonly at: number; readonly count: number; readonly isWritten: boolean }
  /** The recorder is closing. */
  | { readonly type: 'closing' };

/** What to do in the world. */
export type SeriesEffect =
  | { readonly type: 'enqueue' }
  | { readonly type: 'write' }
  /** A turn in this many milliseconds. */
  | { readonly type: 'wait'; readonly delay: number }
  | { readonly type: 'forget' }
  | { readonly type: 'none' };

export interface SeriesStep {
  readonly series: Series;
  readonly effect: SeriesEffect;
}

/** E7: a series without activity for this long is finished. */
export const finishAfter = 6 * 60_000;

/** E7: the count of a series that goes on is written this often. */
export const refreshAfter = 30 * 60_000;

/** The first of a series: it is due at once. */
export function begin(event: EventObject, at: number, time = at): SeriesStep {
  const nothingTried = { tried: 0, triedAt: at, written: 0, isClosing: false };
  return {
    series: { event, count: 1, lastObservedAt: at, lastObservedTime: time, ...nothingTried, phase: 'due' },
    effect: { type: 'enqueue' },
  };
}

/** What follows from `input`: the life of a series (E7). Pure. */
export function step(series: Series, input: SeriesInput): SeriesStep {
  switch (input.type) {
    case 'observed':
      return observe(
        { ...series, count: series.count + 1, lastObservedAt: input.at, lastObservedTime: input.time ?? input.at },
        input,
      );
    case 'turn':
      return series.phase === 'writing' ? { series, effect: none } : proceed(series, input.at);
    case 'write-ended': {
      const written = input.isWritten ? input.count : series.written;
      return proceed({ ...series, tried: input.count, triedAt: input.at, written }, input.at);
    }
    case 'closing':
      return close({ ...series, isClosing: true });
    default:
      return input satisfies never;
  }
}

/** E7: the first repeat makes the series known to the API server; others are counted until it is refreshed, or finished. */
function observe(series: Series, { at, hasRoom }: { readonly at: number; readonly hasRoom: boolean }): SeriesStep {
  if (series.phase !== 'resting' || !hasRoom || !(isToBeMade(series) || isToBeRefreshed(series, at))) {
    return { series, effect: none };
  }
  return { series: { ...series, phase: 'due' }, effect: { type: 'enqueue' } };
}

function close(series: Series): SeriesStep {
  if (series.phase !== 'resting') return { series, effect: none };
  if (series.count === series.tried) return { series, effect: { type: 'forget' } };
  return { series: { ...series, phase: 'due' }, effect: { type: 'enqueue' } };
}

/** What is next: a write, the end, or a rest. What came while a write was under way keeps the series alive. */
function proceed(series: Series, at: number): SeriesStep {
  const finishesIn = series.lastObservedAt + finishAfter - at;
  const isOver = series.isClosing || finishesIn <= 0;
  const isToBeFinished = isOver && series.count > series.tried;
  if (isToBeMade(series) || isToBeRefreshed(series, at) || isToBeFinished) {
    return { series: { ...series, phase: 'writing' }, effect: { type: 'write' } };
  }
  if (isOver) return { series, effect: { type: 'forget' } };
  const refreshesIn = series.triedAt + refreshAfter - at;
  const delay = refreshesIn > 0 ? Math.min(finishesIn, refreshesIn) : finishesIn;
  return { series: { ...series, phase: 'resting' }, effect: { type: 'wait', delay } };
}

/** The API server has not been told that there is such an event, or that it happened again. */
function isToBeMade({ tried, count }: Series): boolean {
  return tried < Math.min(count, 2);
}

function isToBeRefreshed({ count, tried, triedAt }: Series, at: number): boolean {
  return count > tried && at - triedAt >= refreshAfter;
}

const none = { type: 'none' } as const;
