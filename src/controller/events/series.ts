import type { EventObject } from './event-object.js';
import { formatMicroTime } from '../../kubernetes/micro-time.js';

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
