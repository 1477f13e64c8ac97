import { formatMicroTime } from '../../kubernetes/object.js';
import type { EventObject, ObjectReference } from './event-object.js';

/** An event and its repeats, from the first occurrence until the series is forgotten. */
export interface Series {
  /** The event of the first occurrence. All fields except `series` stay the same. */
  readonly event: EventObject;
  /** How often the event was recorded. */
  readonly count: number;
  readonly lastObservedAt: number;
  /** The time of day of the last occurrence, for the event. */
  readonly lastObservedTime: number;
  /** The count in the last write that has ended, successful or not; 0 before the first write. */
  readonly tried: number;
  /** When the last write ended; before the first write, when the series began. */
  readonly triedAt: number;
  /** The count that was last written to the API server; 0 if nothing was written. */
  readonly written: number;
  /** `due`: waits for a worker; `writing`: a write is under way; `resting`: only counts. */
  readonly phase: 'due' | 'writing' | 'resting';
  /** True if the recorder is closing: the count is written, and no occurrences follow. */
  readonly isClosing: boolean;
}

/** Returns the event to write, with a `series` (count of at least 2) from the first repeat on. */
export function eventWithSeries({ event, count, lastObservedTime }: Series): EventObject {
  return count === 1 ? event : { ...event, series: { count, lastObservedTime: formatMicroTime(lastObservedTime) } };
}

/** The inputs of a series. `at` is elapsed time, in milliseconds of the scheduler. */
export type Input =
  /** Recorded once more, at time of day `time` (default `at`). `hasRoom`: queue not full. */
  | { readonly type: 'observed'; readonly at: number; readonly time?: number; readonly hasRoom: boolean }
  /** A worker is free for the series, after the series was enqueued or its wait has ended. */
  | { readonly type: 'turn'; readonly at: number }
  | { readonly type: 'write-ended'; readonly at: number; readonly end: WriteEnd }
  | { readonly type: 'closing' };

/** How a write ended. `count` is the count in the write. */
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
  /** Requests a worker in this many milliseconds. */
  | { readonly type: 'wait'; readonly delay: number }
  | { readonly type: 'forget' }
  /** Reports that a write ended. `written` is the count that was written before this write. */
  | { readonly type: 'tell'; readonly end: WriteEnd; readonly written: number };

export interface Step {
  readonly state: Series;
  readonly effects: readonly Effect[];
}

/** A series is finished after this many milliseconds without an occurrence (E7). */
export const finishAfter = 6 * 60_000;

/** The count of a continuing series is written once in this many milliseconds (E7). */
export const refreshAfter = 30 * 60_000;

/** Returns the series of an event, before its first occurrence is observed. */
export function newSeries(event: EventObject, at: number): Series {
  const nothingTried = { tried: 0, triedAt: at, written: 0, isClosing: false };
  return { event, count: 0, lastObservedAt: at, lastObservedTime: at, ...nothingTried, phase: 'resting' };
}

/** Returns the next state of a series (E7), and the effects to run. Pure. */
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
      const report: Effect = { type: 'tell', end, written: series.written };
      // Forget a series before its end is reported, because a subscriber may then record the event
      // again.
      return { state, effects: effects[0]?.type === 'forget' ? [...effects, report] : [report, ...effects] };
    }
    case 'closing':
      return close({ ...series, isClosing: true });
    default:
      return input satisfies never;
  }
}

/**
 * Decides whether an occurrence is written at once. The first two occurrences are. Later
 * occurrences are only counted, until the count is written again or the series is finished (E7).
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

/** Writes, rests or ends the series. Occurrences during a write keep it alive. */
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

/** True if the write of the event, or after the first repeat of its count, was not tried yet. */
function isToBeMade({ tried, count }: Series): boolean {
  return tried < Math.min(count, 2);
}

function isToBeRefreshed({ count, tried, triedAt }: Series, at: number): boolean {
  return count > tried && at >= triedAt + refreshAfter;
}

/**
 * Returns a key that is equal for an event and its repeats (E7): same type, action, reason and
 * objects. Without note and resourceVersion (▲ client-go compares the latter), so an event after a
 * write of the status is a repeat. Controller and instance are equal in a recorder.
 */
export function isomorphicKey({ type, action, reason, regarding, related }: EventObject): string {
  return JSON.stringify([type, action, reason, partsOf(regarding), related && partsOf(related)]);
}

function partsOf({ apiVersion, kind, namespace, name, uid, fieldPath }: ObjectReference): readonly unknown[] {
  return [apiVersion, kind, namespace, name, uid, fieldPath];
}
