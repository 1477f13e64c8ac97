import {
  auditTime,
  concatMap,
  distinctUntilChanged,
  from,
  map,
  merge,
  pairwise,
  skipWhile,
  startWith,
  type Observable,
} from 'rxjs';
import type { Informer, Pod } from 'rx-informers';
import { describeStatus, groups$, type GroupView, type PodIndexes } from './cluster-view.js';

/** What changed, a line each; for a pipe or a log. */
export function lines$(title: string, podInformer: Informer<Pod, PodIndexes>): Observable<string> {
  const status$ = podInformer.status$.pipe(
    skipWhile(({ state }) => state === 'stopped'),
    // Of several in one moment the last one counts.
    auditTime(0),
    map((status) => describeStatus(status, Date.now())),
    distinctUntilChanged(),
  );
  return merge(status$, groupLines$(podInformer, 'node'), groupLines$(podInformer, 'app')).pipe(
    map((line) => `${new Date().toISOString()} ${line}`),
    startWith(title),
  );
}

function groupLines$(podInformer: Informer<Pod, PodIndexes>, index: PodIndexes): Observable<string> {
  return groups$(podInformer, index).pipe(
    startWith<readonly GroupView[]>([]),
    pairwise(),
    concatMap(([before, after]) => from(changedRows(before, after).map((row) => `${index} ${row}`))),
  );
}

function changedRows(before: readonly GroupView[], after: readonly GroupView[]): readonly string[] {
  const known = new Map(before.map((row) => [row.name, row]));
  const names = new Set(after.map((row) => row.name));
  const gone = before.filter((row) => !names.has(row.name)).map((row) => `${row.name}: gone`);
  const changed = after
    .filter((row) => {
      const previous = known.get(row.name);
      return previous === undefined || !isSameGroup(previous, row);
    })
    .map(describeRow);
  return [...gone, ...changed];
}

/** True if two rows look the same. */
function isSameGroup(a: GroupView, b: GroupView): boolean {
  return a.pods === b.pods && a.running === b.running && a.pending === b.pending && a.other === b.other;
}

function describeRow({ name, pods, running, pending, other }: GroupView): string {
  return `${name}: ${pods} pods, ${running} running, ${pending} pending, ${other} other`;
}
