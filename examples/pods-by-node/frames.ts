import { combineLatest, interval, map, startWith, type Observable } from 'rxjs';
import type { Informer, Pod } from 'rx-informers';
import { clusterView$, describeStatus, type PodIndexes } from './cluster-view.js';
import { renderScreen } from './render-table.js';

/** The whole screen, again whenever it changes; for a terminal that draws it in place. */
export function frames$(title: string, podInformer: Informer<Pod, PodIndexes>, rows: () => number): Observable<string> {
  const view$ = clusterView$(podInformer).pipe(startWith(undefined));
  // Once a second although nothing changed: the countdown of a wait, and the age of the last message.
  const tick$ = interval(1000).pipe(startWith(0));
  return combineLatest([view$, podInformer.status$, tick$]).pipe(
    map(([view, status]) => {
      const now = Date.now();
      const age =
        podInformer.lastMessageAt === undefined
          ? ''
          : ` · last message ${Math.round((now - podInformer.lastMessageAt) / 1000)} s ago`;
      return renderScreen(title, describeStatus(status, now) + age, view, rows());
    }),
  );
}
