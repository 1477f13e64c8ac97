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
  /**
   * `due`: waits for a worker; `writing`: a write is under way; `resting`: repeats are only
   * counted.
   */
  readonly phase: 'due' | 'writing' | 'resting';
  /** Whether the recorder is closing: what is counted is written, and nothing more comes. */
  readonly isClosing: boolean;
}

/**
 * Returns the event as the API server should have it: with a `series`, of 2 at least, from the
 * first repeat on.
 */
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
  /** A write ended. */
  | { readonly type: 'write-ended'; readonly at: number; readonly end: WriteEnd }
  /** The recorder is closing. */
  | { readonly type: 'closing' };

/** How a write ended; `count` is the count that it was to write. */
export type WriteEnd =
  | { readonly isWritten: true; readonly event: EventObject; readonly count: number }
  | {
      readonly isWritten: false;
      readonly event: EventObject;
      readonly count: number;
      readonly cause: 'refused' | 'retries-exhausted';
      readonly error: unknown;
    };

export type Effect =
  /** The series waits for a worker. */
  | { readonly type: 'enqueue' }
  | { readonly type: 'write' }
  /** A turn in this many milliseconds. */
  | { readonly type: 'wait'; readonly delay: number }
  | { readonly type: 'forget' }
  /** A write ended; the API server had `written` before. */
  | { readonly type: 'tell'; readonly end: WriteEnd; readonly written: number };

export interface Step {
  readonly state: Series;
  readonly effects: readonly Effect[];
}

/** E7: a series without activity for this long is finished. */
export const finishAfter = 6 * 60_000;

/** E7: the count of a series that goes on is written this often. */
export const refreshAfter = 30 * 60_000;

/** Returns the series of an event, before its first occurrence is observed. */
export function newSeries(event: EventObject, at: number): Series {
  const nothingTried = { tried: 0, triedAt: at, written: 0, isClosing: false };
  return { event, count: 0, lastObservedAt: at, lastObservedTime: at, ...nothingTried, phase: 'resting' };
}

/** Returns the next state of a series (E7), and what to do. Pure. */
export function step(series: Series, input: Input): Step {
  switch (input.type) {
    case 'observed': {
      const { at, time: lastObservedTime = at } = input;
      return observe({ ...series, count: series.count + 1, lastObservedAt: at, lastObservedTime }, input);
    }
    case 'turn':
      return series.phase === 'writing' ? { state: series, effects: [] } : proceed(series, input.at);
    case 'write-ended': {
      const { at, end } = input;
      const written = end.isWritten ? end.count : series.written;
      const { state, effects } = proceed({ ...series, tried: end.count, triedAt: at, written }, at);
      const told: Effect = { type: 'tell', end, written: series.written };
      // A series that is forgotten must not be found any more by a subscriber that records again.
      return { state, effects: effects[0]?.type === 'forget' ? [...effects, told] : [told, ...effects] };
    }
    case 'closing':
      return close({ ...series, isClosing: true });
    default:
      return input satisfies never;
  }
}

/**
 * E7: the first repeat makes the series known to the API server; others are counted until it is
 * refreshed, or finished.
 */
function observe(series: Series, { at, hasRoom }: { readonly at: number; readonly hasRoom: boolean }): Step {
  if (series.phase !== 'resting' || !hasRoom || !(isToBeMade(series) || isToBeRefreshed(series, at))) {
    return { state: series, effects: [] };
  }
  return { state: { ...series, phase: 'due' }, effects: [{ type: 'enqueue' }] };
}

function close(series: Series): Step {
  if (series.phase !== 'resting') return { state: series, effects: [] };
  if (series.count === series.tried) return { state: series, effects: [{ type: 'forget' }] };
  return { state: { ...series, phase: 'due' }, effects: [{ type: 'enqueue' }] };
}

/**
 * Decides between a write, the end, and a rest. What came during a write keeps the series alive.
 */
function proceed(series: Series, at: number): Step {
  const finishesIn = series.lastObservedAt + finishAfter - at;
  const isOver = series.isClosing || finishesIn <= 0;
  const isToBeFinished = isOver && series.count > series.tried;
  if (isToBeMade(series) || isToBeRefreshed(series, at) || isToBeFinished) {
    return { state: { ...series, phase: 'writing' }, effects: [{ type: 'write' }] };
  }
  if (isOver) return { state: { ...series, phase: 'resting' }, effects: [{ type: 'forget' }] };
  const refreshesIn = series.triedAt + refreshAfter - at;
  const delay = refreshesIn > 0 ? Math.min(finishesIn, refreshesIn) : finishesIn;
  return { state: { ...series, phase: 'resting' }, effects: [{ type: 'wait', delay }] };
}

/**
 * Returns true if the API server does not know yet that there is such an event, or that it was
 * repeated.
 */
function isToBeMade({ tried, count }: Series): boolean {
  return tried < Math.min(count, 2);
}

function isToBeRefreshed({ count, tried, triedAt }: Series, at: number): boolean {
  return count > tried && at >= triedAt + refreshAfter;
}

/**
 * Returns a key that is equal for two events of one recorder if one repeats the other (E7): the
 * same type, action, reason and objects.
 *
 * The note is not part of it, nor is the resourceVersion of the objects (▲ client-go compares it):
 * an event that a controller records again after it wrote the status is a repeat. Controller and
 * instance are the same in all events of a recorder.
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
  /**
   * Milliseconds until one more may come (default 300,000). Shorter asks more of the API server and
   * of etcd.
   */
  readonly refillEvery?: number | undefined;
}

/** Returns true if an event may pass; called once for each. */
export type SpamFilter = (event: EventObject, at: number) => boolean;

/** As many objects as client-go remembers (E2). */
const maxObjects = 4096;

/**
 * Returns a filter with a token bucket for each object and type of event (E5). All that a bucket
 * remembers is when it is full again.
 */
export function spamFilter({ burst = 25, refillEvery = 300_000 }: SpamFilterOptions = {}): SpamFilter {
  if (!(burst >= 1)) throw new RangeError(`the burst must be at least 1, not ${burst}`);
  if (!(refillEvery > 0)) throw new RangeError(`refillEvery must be above 0 ms, not ${refillEvery}`);
  const fullAt = new Map<string, number>();
  return ({ type, regarding: { apiVersion, kind, namespace, name, uid } }, at) => {
    const key = JSON.stringify([type, apiVersion, kind, namespace, name, uid]);
    const from = Math.max(fullAt.get(key) ?? at, at);
    const passes = from - at <= (burst - 1) * refillEvery;
    // The one that was used least recently stands first, and is forgotten first.
    fullAt.delete(key);
    fullAt.set(key, passes ? from + refillEvery : from);
    if (fullAt.size > maxObjects) fullAt.delete(fullAt.keys().next().value ?? key);
    return passes;
  };
}
