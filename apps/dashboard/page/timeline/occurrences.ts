import type { Change, Collection, Deployment, KubernetesEvent, Informer, KubernetesNode, Pod } from 'rx-informers';
import {
  bufferTime,
  concat,
  defer,
  filter,
  ignoreElements,
  map,
  merge,
  of,
  scan,
  takeUntil,
  timer,
  type Observable,
} from 'rxjs';
import { nodeResource, podResource } from '../address/page-address.js';
import { historyOf, keptLive, readBack } from '../history/recordings.js';
import { ownerOf, pairOf, podPairs, workloadKey } from '../pods/pod-filter.js';
import { statusOf } from '../pods/pod-phase.js';
import { resourceOfKind } from '../text/text.js';
import { emptyLog, withOccurrences, type Occurrence, type TimelineLog } from './timeline-log.js';
import { transitionsOf, type Versions } from './transitions.js';

/** The live collections from which the timeline is built. */
export interface TimelineInputs {
  readonly pods: Informer<Pod>;
  readonly nodes: Collection<KubernetesNode>;
  readonly deployments: Collection<Deployment>;
  readonly events: Collection<KubernetesEvent>;
}

/** Milliseconds after which the timeline begins without earlier changes. */
const patience = 3_000;

/** Milliseconds for which changes are collected. */
const pace = 200;

/**
 * Emits the timeline, newest first: what the page has recorded so far, and then each change. An
 * Event and a transition with the same meaning share one line.
 */
export function timelineOf(inputs: TimelineInputs, now: () => number = () => Date.now()): Observable<TimelineLog> {
  const { pods, nodes, deployments, events } = inputs;
  const readBack$ = merge(...[pods, nodes, deployments].map((each) => readBack(each, now() - keptLive.for)));
  const recorded$ = defer(() => {
    const occurrences = [...recorded(pods, ofPod), ...recorded(nodes, ofNode), ...recorded(deployments, ofDeployment)];
    return of(occurrences.sort(byTime));
  });
  // Changes during this time are in the recordings. A kind that cannot be read has none.
  const before$ = concat(readBack$.pipe(ignoreElements(), takeUntil(timer(patience))), recorded$);
  const live$ = merge(
    live(pods, ofPod, now),
    live(nodes, ofNode, now),
    live(deployments, ofDeployment, now),
    // Each Event contains its own time, so Events from before the start also have a place on the
    // timeline.
    events.changes$.pipe(map(({ changes }) => changes.flatMap((change) => ofEvent(change, pods)))),
  ).pipe(
    bufferTime(pace),
    map((batches) => batches.flat().sort(byTime)),
    filter(({ length }) => length > 0),
  );
  return concat(before$, live$).pipe(scan(withOccurrences, emptyLog));
}

function byTime(a: Occurrence, b: Occurrence): number {
  return a.time - b.time;
}

type OccurrencesOf<T> = (change: Change<T>, time: number) => readonly Occurrence[];

function live<T>(
  collection: Collection<T>,
  occurrencesOf: OccurrencesOf<T>,
  now: () => number,
): Observable<readonly Occurrence[]> {
  return collection.changes$.pipe(
    filter(({ reason }) => reason === 'watch' || reason === 'relist'),
    map(({ changes }) => {
      const time = now();
      return changes.flatMap((change) => occurrencesOf(change, time));
    }),
  );
}

/** Returns the occurrences in the history of a collection, version by version. */
function recorded<T>(collection: Collection<T>, occurrencesOf: OccurrencesOf<T>): readonly Occurrence[] {
  const history = historyOf(collection);
  const { versions } = history;
  return versions.slice(1).flatMap((version, index) => {
    const before = versions[index];
    if (before === undefined) return [];
    return history.diff(before, version).changes.flatMap((change) => occurrencesOf(change, version.time));
  });
}

function ofPod(change: Change<Pod>, time: number): readonly Occurrence[] {
  const { object: pod, key } = change;
  const owner = ownerOf(pod);
  return occurrencesOfEvents({ kind: 'Pod', ...versionsOf(change) }, time, {
    object: { kind: 'Pod', resource: podResource, key },
    group: owner ?? `Pod ${key}`,
    pairs: podPairs(pod),
  });
}

function ofNode(change: Change<KubernetesNode>, time: number): readonly Occurrence[] {
  const { key } = change;
  return occurrencesOfEvents({ kind: 'Node', ...versionsOf(change) }, time, {
    object: { kind: 'Node', resource: nodeResource, key },
    group: `Node ${key}`,
    pairs: [pairOf('node', key)],
  });
}

function ofDeployment(change: Change<Deployment>, time: number): readonly Occurrence[] {
  const { key, object } = change;
  const { namespace = '', name } = object.metadata;
  return occurrencesOfEvents({ kind: 'Deployment', ...versionsOf(change) }, time, {
    object: { kind: 'Deployment', resource: 'apps/v1/deployments', key },
    group: `Deployment ${key}`,
    pairs: [pairOf('namespace', namespace), pairOf('owner', workloadKey('Deployment', namespace, name))],
  });
}

function versionsOf<T>(change: Change<T>): { readonly before: T | undefined; readonly after: T | undefined } {
  switch (change.type) {
    case 'added':
      return { before: undefined, after: change.object };
    case 'updated':
      return { before: change.previous, after: change.object };
    case 'deleted':
      return { before: change.object, after: undefined };
  }
}

function occurrencesOfEvents(
  versions: Versions,
  time: number,
  about: Pick<Occurrence, 'object' | 'group' | 'pairs'>,
): readonly Occurrence[] {
  return transitionsOf(versions).map(({ tone, what, detail }) => ({ time, tone, what, detail, ...about }));
}

/** Reasons of Events that repeat a transition. */
const alreadyShown: ReadonlySet<string> = new Set([
  'Scheduled',
  'Pulling',
  'Pulled',
  'Created',
  'Started',
  'Killing',
  'SuccessfulCreate',
  'SuccessfulDelete',
  'NodeReady',
  'NodeNotReady',
]);

function ofEvent(change: Change<KubernetesEvent>, pods: Informer<Pod>): readonly Occurrence[] {
  if (change.type === 'deleted') return [];
  const { object: event, key: id } = change;
  const { involvedObject, reason = 'Event', message, type, series } = event;
  if (alreadyShown.has(reason) && type !== 'Warning') return [];
  const { kind = '', namespace = '', name = '' } = involvedObject;
  const key = namespace === '' || kind === 'Node' ? name : `${namespace}/${name}`;
  const pod = kind === 'Pod' ? pods.get(key) : undefined;
  const owner = pod && ownerOf(pod);
  return [
    {
      time: timeOf(event),
      tone: type === 'Warning' ? 'trouble' : 'movement',
      what: reason === 'BackOff' && pod !== undefined ? backOffOf(pod) : reason,
      detail: message,
      object: { kind, resource: resourceOfKind(involvedObject), key },
      group: owner ?? `${kind} ${key}`,
      pairs: pod === undefined ? pairsOf(kind, namespace, name, key) : podPairs(pod),
      series: { id, count: series?.count ?? event.count ?? 1 },
    },
  ];
}

/**
 * Returns the back-off reason in the pod's status, so that the Event and the transition share one
 * line.
 */
function backOffOf(pod: Pod): string {
  const { reason } = statusOf(pod);
  return reason.endsWith('BackOff') ? reason : 'BackOff';
}

function pairsOf(kind: string, namespace: string, name: string, key: string): readonly string[] {
  return kind === 'Node'
    ? [pairOf('node', key)]
    : [pairOf('namespace', namespace), pairOf('owner', workloadKey(kind, namespace, name))];
}

function timeOf({ lastTimestamp, series, eventTime, metadata }: KubernetesEvent): number {
  const time = Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '');
  return Number.isNaN(time) ? 0 : time;
}
