import { useEffect, useSyncExternalStore } from 'react';
import { createIndexer, type Collection } from 'rx-informers';
import { movableTime } from 'rx-informers/history';
import { toExternalStore } from 'rx-informers/views';
import { Subject, distinctUntilChanged, map, throttleTime, type Observable } from 'rxjs';
import { go, usePageAddress } from '../address/use-page-address.js';

/**
 * The time that the whole page shows: live, or a moment in the past. All collections of the page
 * are views of this time.
 */
export const shownTime = movableTime();

/** The only row of `shownSecond`. */
export interface ShownSecond {
  /** The shown time in milliseconds since the epoch; `undefined` while the page is live. */
  readonly time: number | undefined;
}

/** The key of the only row of `shownSecond`. */
export const shownSecondKey = 'shown';

/** The shown time in whole seconds, as a collection from which others can be derived. */
export const shownSecond: Collection<ShownSecond> = secondsOf(shownTime.time$);

function secondsOf(time$: Observable<number | undefined>): Collection<ShownSecond> {
  const row = createIndexer<ShownSecond>(() => shownSecondKey, {}, { name: 'shown second' });
  const second$ = time$.pipe(
    map((time) => (time === undefined ? undefined : Math.floor(time / 1000) * 1000)),
    distinctUntilChanged(),
  );
  second$.subscribe((time) => {
    row.add({ time });
  });
  return row;
}

const times = toExternalStore(shownTime.time$, undefined, { linger: 0 });
const past = toExternalStore(shownTime.time$.pipe(map(isDefined), distinctUntilChanged()), false, { linger: 0 });

/**
 * Returns the shown time in milliseconds since the epoch, or `undefined` while the page is live.
 * Renders the component again with each move.
 */
export function useShownTime(): number | undefined {
  return useSyncExternalStore(times.subscribe, times.getSnapshot);
}

/** Returns whether the page shows the past. Renders the component again only when that changes. */
export function useIsPast(): boolean {
  // The store has no value before its first subscriber.
  return useSyncExternalStore(past.subscribe, () => isDefined(shownTime.time));
}

/** The time that this module last wrote to the address or read from it. */
let writtenTime: number | undefined;

const moves = new Subject<void>();
// Browsers limit how often a page may write the address. Safari accepts a hundred changes in 30
// seconds.
moves.pipe(throttleTime(500, undefined, { leading: true, trailing: true })).subscribe(() => {
  writtenTime = shownTime.time;
  go({ at: writtenTime }, { replace: true });
});

/**
 * Shows another time, or the present for `undefined`, and stores the time in the address. It may be
 * called with every movement of the pointer.
 */
export function showTime(time: number | undefined): void {
  const isMoveInThePast = shownTime.time !== undefined && time !== undefined;
  shownTime.moveTo(time === undefined ? undefined : Math.round(time));
  if (isMoveInThePast) {
    moves.next();
    return;
  }
  // A move between live and the past adds a history entry, so that Back undoes it. A move within
  // the past adds none.
  writtenTime = shownTime.time;
  go({ at: writtenTime });
}

/** Shows the time that the address names: on load, after a link, and after Back. */
export function useTimeOfAddress(): void {
  const { at } = usePageAddress();
  useEffect(() => {
    if (at === writtenTime) return;
    writtenTime = at;
    // Nothing is known about the future, so a link to it shows the present.
    shownTime.moveTo(at !== undefined && at < Date.now() ? at : undefined);
  }, [at]);
}

function isDefined(time: number | undefined): boolean {
  return time !== undefined;
}
