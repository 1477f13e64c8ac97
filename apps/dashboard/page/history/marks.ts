import type { Change, Collection, KubernetesEvent, KubernetesNode, Pod } from 'rx-informers';
import { nodeStatus } from 'rx-informers/resources';
import { filter, map, merge, scan, throttleTime, type Observable } from 'rxjs';
import { statusOf } from '../pods/pod-phase.js';
import { reach } from './recordings.js';

/**
 * A notable change on the time line: a warning of the cluster, a pod or a node that began to fail.
 */
export interface Mark {
  /**
   * When the page received the change, in milliseconds since the epoch. The change is visible on
   * the page from that time on.
   */
  readonly time: number;
  readonly tone: 'warning' | 'failing' | 'node';
  readonly text: string;
}

/** The maximum number of marks. More marks cannot be distinguished on the time line. */
const most = 600;

/** Emits the marks since the subscription, oldest first, at most twice a second. */
export function marksOf(
  pods: Collection<Pod>,
  nodes: Collection<KubernetesNode>,
  events: Collection<KubernetesEvent>,
  now: () => number = () => Date.now(),
): Observable<readonly Mark[]> {
  return merge(marksIn(pods, podMark), marksIn(nodes, nodeMark), marksIn(events, eventMark)).pipe(
    map((added) => added.map((mark) => ({ ...mark, time: now() }))),
    scan((marks: readonly Mark[], added) => {
      const kept = [...marks, ...added].slice(-most);
      const first = kept.findIndex(({ time }) => time > now() - reach);
      return first <= 0 ? kept : kept.slice(first);
    }, []),
    throttleTime(500, undefined, { leading: true, trailing: true }),
  );
}

type Unplaced = Omit<Mark, 'time'>;

function marksIn<T>(
  collection: Collection<T>,
  markOf: (change: Change<T>) => Unplaced | undefined,
): Observable<readonly Unplaced[]> {
  return collection.changes$.pipe(
    // Ignores the initial objects, because they changed at an unknown earlier time.
    filter(({ reason }) => reason !== 'initial'),
    map(({ changes }) => changes.map(markOf).filter((mark) => mark !== undefined)),
    filter((marks) => marks.length > 0),
  );
}

function podMark(change: Change<Pod>): Unplaced | undefined {
  if (change.type !== 'updated' || !isFailing(change.object) || isFailing(change.previous)) return undefined;
  return { tone: 'failing', text: `${change.key}: ${statusOf(change.object).reason}` };
}

function isFailing(pod: Pod): boolean {
  const { severity } = statusOf(pod);
  return severity === 'failing' || severity === 'failed';
}

function nodeMark(change: Change<KubernetesNode>): Unplaced | undefined {
  if (change.type !== 'updated') return undefined;
  const { severity, reason } = nodeStatus(change.object);
  if (severity !== 'failing' || nodeStatus(change.previous).severity === 'failing') return undefined;
  return { tone: 'node', text: `node ${change.key}: ${reason}` };
}

function eventMark(change: Change<KubernetesEvent>): Unplaced | undefined {
  const { object } = change;
  if (change.type === 'deleted' || object.type !== 'Warning') return undefined;
  if (change.type === 'updated' && change.previous.count === object.count && object.series === undefined)
    return undefined;
  return { tone: 'warning', text: `${object.involvedObject.name ?? ''}: ${object.reason ?? 'Warning'}` };
}
