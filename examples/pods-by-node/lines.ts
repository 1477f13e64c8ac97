import type { Collection } from 'rx-informers';
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
import { describeCpu, describeStatus, phasesOf, type ClusterView, type NodeLoad } from './cluster-view.js';

/** Emits each change as one line, for a pipe or a log. */
export function lines$(
  title: string,
  { podInformer, nodeInformer, nodes, apps }: ClusterView,
  scheduler: SchedulerLike = asyncScheduler,
): Observable<string> {
  const status$ = (name: string, collection: Collection<unknown>): Observable<string> =>
    collection.status$.pipe(
      skipWhile(({ state }) => state === 'stopped'),
      // If the status changes several times at the same moment, emits only the last one.
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

/** Emits a line for each changed row. A row that stays equal is not a change. */
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
