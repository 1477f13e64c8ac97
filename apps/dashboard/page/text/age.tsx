import { useSyncExternalStore, type ReactNode } from 'react';
import { toExternalStore } from 'rx-informers/views';
import { interval, map, of, startWith, switchMap } from 'rxjs';
import { serverOffset } from '../cluster/server-clock.js';
import { shownTime } from '../history/shown-time.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Returns the age of a time: `45s`, `7m`, `26h`, `12d`.
 *
 * Returns `0s` for a time in the future, because the clocks of a cluster differ. Returns a dash if
 * there is no time.
 */
export function ageText(now: number, timestamp: string | undefined): string {
  const then = timestamp === undefined ? NaN : Date.parse(timestamp);
  return Number.isNaN(then) ? '–' : durationText(now - then);
}

/**
 * Returns milliseconds in the largest unit of which there are at least two; never negative. kubectl
 * adds a second unit to small values (`3m12s`). Here that would change every row every second.
 */
export function durationText(milliseconds: number): string {
  const duration = Math.max(0, milliseconds);
  if (duration < 2 * MINUTE) return `${Math.floor(duration / SECOND)}s`;
  if (duration < 2 * HOUR) return `${Math.floor(duration / MINUTE)}m`;
  if (duration < 2 * DAY) return `${Math.floor(duration / HOUR)}h`;
  return `${Math.floor(duration / DAY)}d`;
}

const seconds$ = interval(1000).pipe(
  startWith(0),
  map(() => Date.now()),
);

/** One clock for all ages of the page. It ticks only while an age is shown. */
const seconds = toExternalStore(seconds$, Date.now());

/**
 * The clock of the shown time, in the time of the API server, which wrote the times in objects. It
 * stands still while the page shows the past.
 */
const shownSeconds = toExternalStore(
  shownTime.time$.pipe(
    switchMap((time) => (time === undefined ? seconds$ : of(time))),
    map((time) => time + serverOffset()),
  ),
  Date.now(),
);

/**
 * Returns the result of `read` for the time that the page shows, every second while the page is
 * live. Renders the component again only when the result changes.
 */
export function useSecond<V extends string | number>(read: (now: number) => V): V {
  return useSyncExternalStore(shownSeconds.subscribe, () => read(shownSeconds.getSnapshot()));
}

/**
 * Returns the result of `read` for the current time, regardless of the time that the page shows.
 * The connection line uses it.
 */
export function useLiveSecond<V extends string | number>(read: (now: number) => V): V {
  return useSyncExternalStore(seconds.subscribe, () => read(seconds.getSnapshot()));
}

/** Renders the age of a time, and keeps it up to date. */
export function Age({ since }: { readonly since: string | undefined }): ReactNode {
  const text = useSecond((now) => ageText(now, since));
  return since === undefined ? text : <time dateTime={since}>{text}</time>;
}
