import type { KubeClient, KubernetesObject } from 'rx-informers';
import { resourcePath } from 'rx-informers/client';
import { requestJson, reviewAccess } from 'rx-informers/requests';
import { nodeMetrics, podMetrics } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import { tabHidden$, type ExternalStore } from 'rx-informers/views';
import {
  combineLatest,
  defer,
  distinctUntilChanged,
  first,
  map,
  Observable,
  of,
  ReplaySubject,
  share,
  switchMap,
  type SchedulerLike,
} from 'rxjs';
import type { Cluster } from '../cluster/cluster.js';
import { contextOf } from '../cluster/context-key.js';
import { shownTime } from '../history/shown-time.js';
import { polling, type Poll } from './poll.js';
import { usagesOf, type Usage, type Usages } from './usage.js';

/** The kinds that metrics-server measures. */
export type MeasuredKind = 'pods' | 'nodes';

/** The usage of all pods, or of all nodes, that the page shows. */
export interface Measured {
  /** False before the first answer, and if no cluster of the page has readable metrics. */
  readonly isAvailable: boolean;
  /** Whether the last request to a cluster failed. The request is retried. */
  readonly isFailing: boolean;
  /**
   * The time of the oldest figures among the failing clusters, in milliseconds since the epoch;
   * `undefined` if there are none.
   */
  readonly latestAt: number | undefined;
  /** Returns the usage of a pod or node, or `undefined` if it was not measured. */
  readonly of: (object: KubernetesObject) => Usage | undefined;
}

/** The parts of a cluster that are needed to read its metrics. */
export type MeasuredCluster = Pick<Cluster, 'client' | 'info'> & {
  readonly members: ReadonlyMap<string, MeasuredCluster>;
};

export const nothingMeasured: Measured = {
  isAvailable: false,
  isFailing: false,
  latestAt: undefined,
  of: () => undefined,
};

export interface MeasuredOptions {
  /**
   * Pauses the polls while it emits true. Default: while the tab is hidden, and while the page
   * shows the past.
   */
  readonly paused$?: Observable<boolean>;
  readonly scheduler?: SchedulerLike;
}

const isPast$ = shownTime.time$.pipe(
  map((time) => time !== undefined),
  distinctUntilChanged(),
);
const isUnseen$ = combineLatest([tabHidden$(), isPast$]).pipe(map((reasons) => reasons.some(Boolean)));

/**
 * Emits the usage of pods or nodes from metrics.k8s.io. That API cannot be watched, so it is read
 * every 15 s while there is a subscriber. All subscribers share one poll of each cluster.
 *
 * @param namespace the only namespace to request; default: all, or the one to which the server is
 * bound
 */
export function measured$(
  { members, ...own }: MeasuredCluster,
  kind: MeasuredKind,
  namespace: string | undefined,
  options?: MeasuredOptions,
): Observable<Measured> {
  const clusters = members.size === 0 ? [[undefined, own] as const] : [...members];
  const polls = clusters.map(([context, cluster]) =>
    pollOf(cluster, kind, namespace, options).pipe(map((poll) => [context, poll] as const)),
  );
  return combineLatest([combineLatest(polls), isPast$]).pipe(
    map(([all, isPast]) => measuredOf(new Map(all), isPast)),
    distinctUntilChanged(),
  );
}

type Polls = ReadonlyMap<string | undefined, Poll<Usages>>;

function measuredOf(polls: Polls, isPast: boolean): Measured {
  const readable = [...polls.values()].flatMap((poll) => ('latest' in poll ? [poll] : []));
  const isAvailable = readable.some(({ latest, failures }) => latest !== undefined || failures > 0);
  if (!isAvailable) return nothingMeasured;
  const failing = readable.filter(({ failures }) => failures > 0);
  const times = failing.flatMap(({ latest }) => latest?.at ?? []);
  return {
    isAvailable,
    isFailing: failing.length > 0,
    latestAt: times.length === 0 ? undefined : Math.min(...times),
    of(object) {
      // Current figures do not apply to a time in the past.
      if (isPast) return undefined;
      // In a view of one of several contexts, an object still has its context, but the only poll is
      // under `undefined`.
      const poll = polls.get(contextOf(object)) ?? polls.get(undefined);
      return poll && 'latest' in poll ? poll.latest?.value.of(metaNamespaceKey(object)) : undefined;
    },
  };
}

const kinds = { pods: podMetrics, nodes: nodeMetrics } as const;

const shared = new WeakMap<KubeClient, Map<string, Observable<Poll<Usages>>>>();

/** Returns the poll of one cluster. The same arguments return the same poll. */
function pollOf(
  { client, info }: Pick<MeasuredCluster, 'client' | 'info'>,
  kind: MeasuredKind,
  requested: string | undefined,
  { paused$ = isUnseen$, scheduler }: MeasuredOptions = {},
): Observable<Poll<Usages>> {
  const known = shared.get(client) ?? new Map<string, Observable<Poll<Usages>>>();
  shared.set(client, known);
  const id = `${kind} ${requested ?? ''}`;
  // The poll is created once. It remembers the last figures, or that metrics.k8s.io cannot be read.
  let made: Observable<Poll<Usages>> | undefined;
  const poll$ =
    known.get(id) ??
    valuesOf(info).pipe(
      first(({ isKnown }) => isKnown),
      switchMap(({ hasMetrics, forcedNamespace }) => {
        if (!hasMetrics) return of<Poll<Usages>>({ name: 'absent' });
        const namespace = kind === 'pods' ? (requested ?? forcedNamespace) : undefined;
        const path = resourcePath(kinds[kind], { namespace });
        made ??= polling({
          right$: defer(() => reviewAccess(client, { verb: 'list', resource: kinds[kind], namespace })),
          read$: defer(() => requestJson(client, { method: 'GET', path })).pipe(map(usagesOf)),
          paused$,
          ...(scheduler && { scheduler }),
        });
        return made;
      }),
      share({ connector: () => new ReplaySubject(1), resetOnComplete: false }),
    );
  known.set(id, poll$);
  return poll$;
}

function valuesOf<T>({ subscribe, getSnapshot }: ExternalStore<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    const stop = subscribe(() => {
      subscriber.next(getSnapshot());
    });
    subscriber.next(getSnapshot());
    return stop;
  }).pipe(distinctUntilChanged());
}
