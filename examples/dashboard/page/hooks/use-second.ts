import { useSyncExternalStore } from 'react';
import { interval, map, startWith } from 'rxjs';
import { toExternalStore } from 'rx-informers/views';

/** One clock for all ages of the page, which ticks while any of them is shown. */
const seconds = toExternalStore(
  interval(1000).pipe(
    startWith(0),
    map(() => Date.now()),
  ),
  Date.now(),
);

/** What is read from the time, each second; renders only where that is another value. */
export function useSecond<V extends string | number>(read: (now: number) => V): V {
  return useSyncExternalStore(seconds.subscribe, () => read(seconds.getSnapshot()));
}
