import { defer, distinctUntilChanged, fromEvent, map, of, startWith, type Observable } from 'rxjs';

/** As much of a page's `document` as it takes to know whether anybody sees it. */
export interface VisibilityTarget {
  readonly visibilityState: string;
  addEventListener(type: 'visibilitychange', listener: () => void): void;
  removeEventListener(type: 'visibilitychange', listener: () => void): void;
}

/**
 * Whether the tab is hidden: now, and again whenever that changes.
 *
 * Where there is no document (in Node, in a worker), it says `false` and completes.
 *
 * **Guarantees**: one listener for each subscription, gone with it.
 *
 * @param document default the page's own
 * @example
 * tabHidden$().subscribe((isHidden) => console.log(isHidden ? 'nobody is looking' : 'somebody is'));
 */
export function tabHidden$(document?: VisibilityTarget): Observable<boolean> {
  return defer(() => {
    const target = document ?? (globalThis as { readonly document?: VisibilityTarget }).document;
    if (!target) return of(false);
    return fromEvent(target, 'visibilitychange').pipe(
      startWith(undefined),
      map(() => target.visibilityState === 'hidden'),
      distinctUntilChanged(),
    );
  });
}
