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
import { shownTime } from '../history/shown-time.js';
import { polling, type Poll } from './poll.js';
import { usagesOf, type Usage, type Usages } from './usage.js';

/** The kinds that metrics-server measures. */
export type MeasuredKind = 'pods' | 'nodes';

/** The usage of all pods, or of all nodes, that the page shows. */
export interface Measured {
  /** False before the first answer, and if the cluster has no readable metrics. */
  readonly isAvailable: boolean;
  /** Whether the last request failed. The request is retried. */
  readonly isFailing: boolean;
  /** The time of the figures, in milliseconds since the epoch; `undefined` if there are none. */
  readonly latestAt: number | undefined;
  /** Returns the usage of a pod or node, or `undefined` if it was not measured. */
  readonly of: (object: KubernetesObject) => Usage | undefined;
}

/** The parts of a cluster that are needed to read its metrics. */
export type MeasuredCluster = Pick<Cluster, 'client' | 'info'>;

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
 * every 15 s while there is a subscriber. All subscribers share one poll.
 *
 * @param namespace the only namespace to request; default: all, or the one to which the server is
 * bound
 */
export function measured$(
  cluster: MeasuredCluster,
  kind: MeasuredKind,
  namespace: string | undefined,
  options?: MeasuredOptions,
): Observable<Measured> {
  return combineLatest([pollOf(cluster, kind, namespace, options), isPast$]).pipe(
    map(([poll, isPast]) => measuredOf(poll, isPast)),
    distinctUntilChanged(),
  );
}

function measuredOf(poll: Poll<Usages>, isPast: boolean): Measured {
  if (!('latest' in poll)) return nothingMeasured;
  const { latest, failures } = poll;
  if (latest === undefined && failures === 0) return nothingMeasured;
  return {
    isAvailable: true,
    isFailing: failures > 0,
    latestAt: latest?.at,
    // Current figures do not apply to a time in the past.
    of: (object) => (isPast ? undefined : latest?.value.of(metaNamespaceKey(object))),
  };
}

const kinds = { pods: podMetrics, nodes: nodeMetrics } as const;

const shared = new WeakMap<KubeClient, Map<string, Observable<Poll<Usages>>>>();

/** Returns the poll of one cluster. The same arguments return the same poll. */
function pollOf(
  { client, info }: MeasuredCluster,
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
