import {
  asyncScheduler,
  auditTime,
  distinctUntilChanged,
  map,
  merge,
  mergeMap,
  skipWhile,
  startWith,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { Collection } from 'rx-informers';
import { describeCpu, describeStatus, phasesOf, type ClusterView, type NodeLoad } from './cluster-view.js';

/** What changed, a line each; for a pipe or a log. */
export function lines$(
  title: string,
  { podInformer, nodeInformer, nodes, apps }: ClusterView,
  scheduler: SchedulerLike = asyncScheduler,
): Observable<string> {
  const status$ = (name: string, collection: Collection<unknown>): Observable<string> =>
    collection.status$.pipe(
      skipWhile(({ state }) => state === 'stopped'),
      // Of several in one moment the last one counts.
      auditTime(0, scheduler),
      map((status) => `${name}: ${describeStatus(status, scheduler.now())}`),
      distinctUntilChanged(),
    );
  return merge(
    status$('pods', podInformer),
    status$('nodes', nodeInformer),
    changeLines$('node', nodes),
    changeLines$('app', apps),
  ).pipe(
    map((line) => `${new Date(scheduler.now()).toISOString()} ${line}`),
    startWith(title),
  );
}

/** A row that stays equal is no change, so there is a line for what differs. */
function changeLines$(name: string, collection: Collection<NodeLoad>): Observable<string> {
  return collection.changes$.pipe(
    mergeMap(({ changes }) =>
      changes.map(
        (change) => `${name} ${change.key}: ${change.type === 'deleted' ? 'gone' : describeLoad(change.object)}`,
      ),
    ),
  );
}

function describeLoad(load: NodeLoad): string {
  const { running, pending, other } = phasesOf(load);
  const zone = load.zone === undefined ? '' : `, ${load.zone}`;
  return `${load.pods} pods, ${running} running, ${pending} pending, ${other} other, ${describeCpu(load)} CPU requested${zone}`;
}
