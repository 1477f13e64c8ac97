import type { EventObject, ObjectReference } from './event-object.js';
import { formatMicroTime } from '../../kubernetes/object.js';

/** An event and its repeats, from the first one until they are forgotten. */
export interface Series {
  /** The first one; everything but `series` stays as it is. */
  readonly event: EventObject;
  /** How often it was recorded. */
  readonly count: number;
  readonly lastObservedAt: number;
  /** The time of day then, which the event says. */
  readonly lastObservedTime: number;
  /** The count that the latest finished write was to write, successful or not; 0 before. */
  readonly tried: number;
  /** When that write ended. */
  readonly triedAt: number;
  /** The count that the API server has; 0 where it has nothing. */
  readonly written: number;
  /** `due`: waits for a worker; `writing`: a write is under way; `resting`: repeats are only counted. */
  readonly phase: 'due' | 'writing' | 'resting';
  /** Whether the recorder is closing: what is counted is written, and nothing more comes. */
  readonly isClosing: boolean;
}

/** The event as the API server should have it: with a `series`, which has to count 2 at least, from the first repeat on. */
export function eventWithSeries({ event, count, lastObservedTime }: Series): EventObject {
  return count === 1 ? event : { ...event, series: { count, lastObservedTime: formatMicroTime(lastObservedTime) } };
}

/** What happens to a series; `at` is elapsed time, in milliseconds of the scheduler. */
export type Input =
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
export type Effect =
  | { readonly type: 'enqueue' }
  | { readonly type: 'write' }
  /** A turn in this many milliseconds. */
  | { readonly type: 'wait'; readonly delay: number }
  | { readonly type: 'forget' }
  | { readonly type: 'none' };

export interface Step {
  readonly series: Series;
  readonly effect: Effect;
}

/** E7: a series without activity for this long is finished. */
export const finishAfter = 6 * 60_000;

/** E7: the count of a series that goes on is written this often. */
export const refreshAfter = 30 * 60_000;

/** The first of a series: it is due at once. */
export function begin(event: EventObject, at: number, time = at): Step {
  const nothingTried = { tried: 0, triedAt: at, written: 0, isClosing: false };
  return {
    series: { event, count: 1, lastObservedAt: at, lastObservedTime: time, ...nothingTried, phase: 'due' },
    effect: { type: 'enqueue' },
  };
}

/** What follows from `input`: the life of a series (E7). Pure. */
export function step(series: Series, input: Input): Step {
  switch (input.type) {
    case 'observed':
      return observe(
        { ...series, count: series.count + 1, lastObservedAt: input.at, lastObservedTime: input.time ?? input.at },
        input,
      );
    case 'turn':
      return series.phase === 'writing' ? { series, effect: noEffect } : proceed(series, input.at);
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
function observe(series: Series, { at, hasRoom }: { readonly at: number; readonly hasRoom: boolean }): Step {
  if (series.phase !== 'resting' || !hasRoom || !(isToBeMade(series) || isToBeRefreshed(series, at))) {
    return { series, effect: noEffect };
  }
  return { series: { ...series, phase: 'due' }, effect: { type: 'enqueue' } };
}

function close(series: Series): Step {
  if (series.phase !== 'resting') return { series, effect: noEffect };
  if (series.count === series.tried) return { series, effect: { type: 'forget' } };
  return { series: { ...series, phase: 'due' }, effect: { type: 'enqueue' } };
}

/** What is next: a write, the end, or a rest. What came while a write was under way keeps the series alive. */
function proceed(series: Series, at: number): Step {
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

const noEffect = { type: 'none' } as const;

/**
 * What two events of one recorder have in common when one is a repeat of the other (E7): type, action, reason and both objects.
 *
 * The note is no part of it, and neither is the resourceVersion of the objects (▲; in client-go it is): what a controller records
 * again after it wrote the status is a repeat. Controller and instance are the same in all events of a recorder.
 */
export function isomorphicKey({ type, action, reason, regarding, related }: EventObject): string {
  return JSON.stringify([type, action, reason, partsOf(regarding), related && partsOf(related)]);
}

function partsOf({ apiVersion, kind, namespace, name, uid, fieldPath }: ObjectReference): readonly unknown[] {
  return [apiVersion, kind, namespace, name, uid, fieldPath];
}

/** Options of the spam filter (E5). */
export interface SpamFilterOptions {
  /** How many different events about one object, of one type, may come at once (default 25). */
  readonly burst?: number | undefined;
  /** Milliseconds until one more may come (default 300,000). Shorter asks more of the API server and of etcd. */
  readonly refillEvery?: number | undefined;
}

/** Whether an event may pass; asked once for each. */
export type SpamFilter = (event: EventObject, at: number) => boolean;

/** As many objects as client-go remembers (E2). */
const maxObjects = 4096;

/** E5: a token bucket for each object and type of event. One number a bucket says it all: when it will be full again. */
export function spamFilter({ burst = 25, refillEvery = 300_000 }: SpamFilterOptions = {}): SpamFilter {
  if (!(burst >= 1)) throw new RangeError(`the burst must be at least 1, not ${burst}`);
  if (!(refillEvery > 0)) throw new RangeError(`refillEvery must be above 0 ms, not ${refillEvery}`);
  const fullAt = new Map<string, number>();
  return ({ type, regarding: { apiVersion, kind, namespace, name, uid } }, at) => {
    const key = JSON.stringify([type, apiVersion, kind, namespace, name, uid]);
    const from = Math.max(fullAt.get(key) ?? at, at);
    const passes = from - at <= (burst - 1) * refillEvery;
    // The one that was asked for longest ago stands first, and is forgotten first.
    fullAt.delete(key);
    fullAt.set(key, passes ? from + refillEvery : from);
    if (fullAt.size > maxObjects) fullAt.delete(fullAt.keys().next().value ?? key);
    return passes;
  };
}
