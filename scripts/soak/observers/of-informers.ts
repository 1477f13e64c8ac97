import {
  dedupDeltas,
  inNamespaces,
  indexByLabel,
  informer,
  listWatch,
  reduceStore,
  toDeltas,
  type Informer,
  type KubernetesObject,
  type ListWatchOptions,
  type Snapshot,
} from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { latestOnly } from 'rx-informers/store';
import { Subscription } from 'rxjs';
import { countRequests, type CountingClient } from './counting-client.js';
import {
  bucketLabel,
  bucketOf,
  countErrors,
  fold,
  handle,
  latest,
  viewOf,
  type Observer,
  type ObserverSetting,
} from './observer.js';

const buckets = Array.from({ length: 8 }, (_, bucket) => String(bucket));
const byBucket = { [bucketLabel]: indexByLabel(bucketLabel) };
type SoakInformer = Informer<KubernetesObject, typeof bucketLabel>;

/** The observers of a room, and a function that shows a write to the overlay. */
export interface InformerObservers {
  readonly observers: readonly Observer[];
  readonly show: (written: KubernetesObject) => void;
}

/**
 * Starts an informer for each kind of source, with every kind of view. Each has a client of its
 * own, so that its requests can be counted.
 */
export function observersOfInformers(setting: ObserverSetting): InformerObservers {
  const { namespaces } = setting;
  const [namespace = 'default'] = namespaces;
  const overlaid = overlaidObserver(setting);
  const observers = [
    watching(setting, 'stream', {}),
    watching(setting, 'pages', { initialList: 'pages', pageSize: 50 }),
    watching(setting, 'pages, most recent', { initialList: 'pages', pageSize: 20, listConsistency: 'most-recent' }),
    watching(setting, 'dedup latest', { dedup: latestOnly }),
    watching(setting, 'metadata only', { metadataOnly: true }),
    { ...watching(setting, 'namespaces', { namespace: inNamespaces(namespaces) }), watches: namespaces.length },
    watching(
      setting,
      'one namespace',
      { namespace, initialList: 'pages' },
      (object) => object.metadata?.namespace === namespace,
    ),
    watching(setting, 'label selector', { labelSelector: `${bucketLabel} in (1,2,3)` }, (object) =>
      ['1', '2', '3'].includes(bucketOf(object)),
    ),
    pipelineObserver(setting),
    leavingObserver(setting),
    overlaid.observer,
  ];
  return { observers, show: overlaid.show };
}

/** Returns an observer with an informer over one list-watch. */
function watching(
  { client, resource, limits, log }: ObserverSetting,
  name: string,
  options: ListWatchOptions<KubernetesObject, boolean, KubernetesObject>,
  follows?: (object: KubernetesObject) => boolean,
): Observer {
  const counted = countRequests(client);
  const source = listWatch(counted, resource, { ...limits, ...options });
  const isLatestOnly = options.dedup === latestOnly;
  return informerObserver(
    name,
    counted,
    informer(source, { indexers: byBucket, dedup: isLatestOnly ? latestOnly : undefined }),
    log,
    // An object may leave the selector and come back within one batch.
    { follows, seesEveryUpdate: !isLatestOnly && options.labelSelector === undefined },
  );
}

/**
 * Returns an observer whose informer shows the program's own writes before the watch reports them.
 */
function overlaidObserver({ client, resource, limits, log }: ObserverSetting): {
  readonly observer: Observer;
  readonly show: InformerObservers['show'];
} {
  const counted = countRequests(client);
  const source = overlay(listWatch(counted, resource, limits));
  return {
    observer: informerObserver('overlay', counted, informer(source, { indexers: byBucket }), log),
    show: (written) => source.show(written),
  };
}

/** Returns an observer with every kind of view of one informer. */
export function informerObserver(
  name: string,
  client: CountingClient,
  followed: SoakInformer,
  log: ObserverSetting['log'],
  {
    follows,
    seesEveryUpdate,
  }: {
    /** Returns true for the objects that the informer selects. Default: all. */
    readonly follows?: ((object: KubernetesObject) => boolean) | undefined;
    /** See `fold`. */
    readonly seesEveryUpdate?: boolean;
  } = {},
): Observer {
  const errors = new Map<string, number>();
  const contradictions: string[] = [];
  const subscriptions = new Subscription();
  subscriptions.add(followed.errors$.subscribe(countErrors(name, errors, log)));
  const inBuckets = buckets.map((bucket) => latest(followed.byIndex$(bucketLabel, bucket), [], subscriptions));
  return {
    name,
    client,
    watches: 1,
    views: [
      viewOf('list', () => followed.list(), follows),
      viewOf('changes$', fold(followed.changes$, contradictions, subscriptions, seesEveryUpdate), follows),
      viewOf('addEventHandler', handle(followed, contradictions, subscriptions), follows),
      viewOf('list$', latest(followed.list$(), [], subscriptions), follows),
      viewOf('byIndex$', () => inBuckets.flatMap((read) => read()), follows),
    ],
    contradictions,
    errors,
    stop: () => {
      subscriptions.unsubscribe();
      followed.stop();
    },
  };
}

/** Returns an observer that uses the operators one by one, in a pipe. */
function pipelineObserver({ client: troubled, resource, limits, log }: ObserverSetting): Observer {
  const client = countRequests(troubled);
  let snapshot: Snapshot<KubernetesObject> | undefined;
  const errors = new Map<string, number>();
  const running = listWatch(client, resource, limits)
    .pipe(toDeltas(), dedupDeltas(), reduceStore())
    .subscribe((commit) => {
      snapshot = commit.snapshot;
      commit.errors.forEach(countErrors('operators', errors, log));
    });
  return {
    name: 'operators',
    views: [viewOf('snapshot', () => snapshot?.list() ?? [])],
    contradictions: [],
    errors,
    client,
    watches: 1,
    stop: () => running.unsubscribe(),
  };
}

/**
 * Returns an observer whose subscriber moves from bucket to bucket. It unsubscribes from a bucket
 * during the first emission of the next bucket.
 */
function leavingObserver({ client: troubled, resource, limits, log }: ObserverSetting): Observer {
  const client = countRequests(troubled);
  const errors = new Map<string, number>();
  const followed = informer(listWatch(client, resource, limits), {
    indexers: byBucket,
    onUnobservedError: countErrors('hand-over', errors, log),
  });
  let bucket = 0;
  let current = Subscription.EMPTY;
  let seen: readonly KubernetesObject[] = [];
  const moveOn = (): void => {
    bucket = (bucket + 1) % 8;
    const leaving = current;
    current = new Subscription();
    current.add(
      followed.byIndex$(bucketLabel, String(bucket)).subscribe((objects) => {
        leaving.unsubscribe();
        seen = objects;
      }),
    );
  };
  moveOn();
  const moving = setInterval(moveOn, 250);
  return {
    name: 'hand-over',
    views: [
      viewOf(
        'byIndex$',
        () => seen,
        (object) => bucketOf(object) === String(bucket),
      ),
    ],
    contradictions: [],
    errors,
    client,
    watches: 1,
    stop: () => {
      clearInterval(moving);
      current.unsubscribe();
      followed.stop();
    },
  };
}
