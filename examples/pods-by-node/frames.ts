import {
  asyncScheduler,
  auditTime,
  combineLatest,
  interval,
  map,
  startWith,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { describeStatus, type ClusterView } from './cluster-view.js';
import { renderScreen } from './render-table.js';

/** Emits the whole screen whenever it changes, for a terminal that draws it in place. */
export function frames$(
  title: string,
  { podInformer, nodeInformer, nodes, apps }: ClusterView,
  rows: () => number,
  scheduler: SchedulerLike = asyncScheduler,
): Observable<string> {
  const content$ = combineLatest({
    nodes: nodes.list$(),
    apps: apps.list$(),
    pods: podInformer.select$((snapshot) => snapshot.size),
  }).pipe(
    // Emits at most ten times a second, and only after a commit has been announced completely. So
    // all parts of a frame are of one commit (J1).
    auditTime(100, scheduler),
    startWith(undefined),
  );
  // Emits once a second even without a change, to update the countdown of a wait and the age of the
  // last message.
  const tick$ = interval(1000, scheduler).pipe(startWith(0));
  return combineLatest([content$, podInformer.status$, nodeInformer.status$, tick$]).pipe(
    map(([content, podStatus, nodeStatus]) => {
      const now = scheduler.now();
      const age =
        podInformer.lastMessageAt === undefined
          ? ''
          : ` · last message ${Math.round((now - podInformer.lastMessageAt) / 1000)} s ago`;
      const trouble = nodeStatus.state === 'watching' ? '' : `\nnodes: ${describeStatus(nodeStatus, now)}`;
      return renderScreen(title, `pods: ${describeStatus(podStatus, now)}${age}${trouble}`, content, rows());
    }),
  );
}
