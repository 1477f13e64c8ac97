import {
  auditTime,
  combineLatest,
  distinctUntilChanged,
  map,
  of,
  switchMap,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import type { Informer, Pod, SourceStatus } from 'rx-informers';

/** One row of the table: what runs under one index value. */
export interface GroupView {
  readonly name: string;
  readonly pods: number;
  readonly running: number;
  readonly pending: number;
  readonly other: number;
}

/** Everything the screen shows; a new one whenever a bucket changed. */
export interface ClusterView {
  readonly nodes: readonly GroupView[];
  readonly apps: readonly GroupView[];
  readonly pods: number;
}

export type PodIndexes = 'node' | 'app';

/** The live view: one `byIndex$` for every value that `indexValues$` names, put together at most ten times a second. */
export function clusterView$(
  podInformer: Informer<Pod, PodIndexes>,
  scheduler?: SchedulerLike,
): Observable<ClusterView> {
  return combineLatest([groups$(podInformer, 'node'), groups$(podInformer, 'app')]).pipe(
    auditTime(100, scheduler),
    map(([nodes, apps]) => ({ nodes, apps, pods: podInformer.snapshot.size })),
  );
}

/** The rows of one index, which come and go with its values. */
export function groups$(podInformer: Informer<Pod, PodIndexes>, index: PodIndexes): Observable<readonly GroupView[]> {
  return podInformer
    .indexValues$(index)
    .pipe(
      switchMap((names) =>
        names.length === 0 ? of([]) : combineLatest(names.map((name) => group$(podInformer, index, name))),
      ),
    );
}

/** One row, again only when its bucket changed in a way that shows. */
export function group$(podInformer: Informer<Pod, PodIndexes>, index: PodIndexes, name: string): Observable<GroupView> {
  return podInformer.byIndex$(index, name).pipe(
    map((pods) => summarise(name, pods)),
    distinctUntilChanged(isSameGroup),
  );
}

/** True where two rows look the same. */
export function isSameGroup(a: GroupView, b: GroupView): boolean {
  return (
    a.name === b.name && a.pods === b.pods && a.running === b.running && a.pending === b.pending && a.other === b.other
  );
}

function summarise(name: string, pods: readonly Pod[]): GroupView {
  const count = (phase: string): number => pods.filter((pod) => pod.status?.phase === phase).length;
  const running = count('Running');
  const pending = count('Pending');
  return { name, pods: pods.length, running, pending, other: pods.length - running - pending };
}

/** What a source is doing, in words. */
export function describeStatus(status: SourceStatus, now: number): string {
  switch (status.state) {
    case 'listing': {
      const expected = status.expected === undefined ? '' : ` of ${status.expected}`;
      return `listing (${status.by}): ${status.received}${expected} pods`;
    }
    case 'watching':
      return 'watching';
    case 'reconnecting':
      return 'reconnecting';
    case 'backing-off':
    case 'forbidden':
    case 'not-found':
      return `${status.state}, try ${status.attempt} in ${Math.max(0, Math.ceil((status.until - now) / 1000))} s: ${status.cause.message}`;
    case 'stopped':
      return 'stopped';
  }
}
