import { auditTime, map, type Observable, type SchedulerLike } from 'rxjs';
import type { Informer, Pod, Snapshot, SourceStatus } from 'rx-informers';

/** One row of the table: what runs under one index value. */
export interface GroupView {
  readonly name: string;
  readonly pods: number;
  readonly running: number;
  readonly pending: number;
  readonly other: number;
}

/** Everything the screen shows. */
export interface ClusterView {
  readonly nodes: readonly GroupView[];
  readonly apps: readonly GroupView[];
  readonly pods: number;
}

export type PodIndexes = 'node' | 'app';

/** The live view, at most ten times a second; all of it is of one version. */
export function clusterView$(
  podInformer: Informer<Pod, PodIndexes>,
  scheduler?: SchedulerLike,
): Observable<ClusterView> {
  return podInformer.snapshot$.pipe(
    auditTime(100, scheduler),
    map((snapshot) => ({
      nodes: groupsOf(snapshot, 'node'),
      apps: groupsOf(snapshot, 'app'),
      pods: snapshot.size,
    })),
  );
}

/** The rows of one index, again whenever one of its buckets changed. */
export function groups$(podInformer: Informer<Pod, PodIndexes>, index: PodIndexes): Observable<readonly GroupView[]> {
  return podInformer.select$((snapshot) => groupsOf(snapshot, index));
}

function groupsOf(snapshot: Snapshot<Pod, PodIndexes>, index: PodIndexes): readonly GroupView[] {
  return snapshot.indexValues(index).map((name) => groupOf(name, snapshot.byIndex(index, name)));
}

/** A bucket that did not change is the same array, so its row is counted once. */
const counted = new WeakMap<readonly Pod[], GroupView>();

function groupOf(name: string, pods: readonly Pod[]): GroupView {
  const known = counted.get(pods);
  if (known) return known;
  const count = (phase: string): number => pods.filter((pod) => pod.status?.phase === phase).length;
  const running = count('Running');
  const pending = count('Pending');
  const group = { name, pods: pods.length, running, pending, other: pods.length - running - pending };
  counted.set(pods, group);
  return group;
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
