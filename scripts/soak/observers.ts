import {
  dedupDeltas,
  indexByLabel,
  informer,
  listWatch,
  mergeSources,
  partitionedKey,
  reduceStore,
  toDeltas,
  type ChangeSet,
  type Informer,
  type KubeClient,
  type KubernetesObject,
  type ListWatchOptions,
  type Resource,
  type Snapshot,
  shardOf,
  latestOnly,
  inNamespaces,
  addEventHandler,
} from 'rx-informers';
import { overlay } from 'rx-informers/controller';
import { Subscription, type Observable } from 'rxjs';
import { countRequests, type CountingClient } from './counting-client.js';

/** Versions by key. A comparison needs no more of the objects that an observer shows. */
type Versions = ReadonlyMap<string, string>;

/** One way to observe the cluster: an informer or a pipeline, with every kind of view of it. */
export interface Observer {
  readonly name: string;
  /** Returns true for the objects of the server that this observer must contain. */
  readonly follows: (object: KubernetesObject) => boolean;
  /** Returns the current contents of each view. */
  views(): ReadonlyMap<string, Versions>;
  /** Changes that contradict earlier changes (G1). */
  readonly contradictions: readonly string[];
  /** The number of errors on `errors$`, by error. */
  readonly errors: ReadonlyMap<string, number>;
  readonly client: CountingClient;
  /** The number of watches that it keeps open. */
  readonly watches: number;
  stop(): void;
}

/** What every observer watches, and its timeouts. */
interface ObserverSetting {
  readonly client: KubeClient;
  readonly resource: Resource<KubernetesObject>;
  readonly namespaces: readonly string[];
  readonly limits: ListWatchOptions<KubernetesObject>;
  /** Receives a line for each error. */
  readonly log: (line: string) => void;
}

/** The label that the objects of the soak carry, with values from 0 to 7. */
export const bucketLabel = 'bucket';

const byBucket = { [bucketLabel]: indexByLabel(bucketLabel) };
type SoakInformer = Informer<KubernetesObject, typeof bucketLabel>;

/** The observers, and a function that shows a write to the overlay. */
interface Observers {
  readonly observers: readonly Observer[];
  readonly show: (written: KubernetesObject) => void;
}

/**
 * Starts every observer. Each observer has a client of its own, so that its requests can be
 * counted.
 */
export function startObservers(setting: ObserverSetting): Observers {
  const { namespaces } = setting;
  const [namespace = 'default'] = namespaces;
  const isSelected = (object: KubernetesObject): boolean =>
    ['1', '2', '3'].includes(object.metadata?.labels?.[bucketLabel] ?? '');
  const overlaid = overlaidObserver(setting);
  const observers = [
    watching(setting, 'stream', {}),
    watching(setting, 'pages', { initialList: 'pages', pageSize: 50 }),
    watching(setting, 'pages, most recent', { initialList: 'pages', pageSize: 20, listConsistency: 'most-recent' }),
    watching(setting, 'dedup latest', { dedup: latestOnly }),
    watching(setting, 'metadata only', { metadataOnly: true }),
    { ...watching(setting, 'namespaces', { namespace: inNamespaces(namespaces) }), watches: namespaces.length },
    {
      ...watching(setting, 'one namespace', { namespace, initialList: 'pages' }),
      follows: (object: KubernetesObject) => object.metadata?.namespace === namespace,
    },
    { ...watching(setting, 'label selector', { labelSelector: `${bucketLabel} in (1,2,3)` }), follows: isSelected },
    shardedObserver(setting),
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
): Observer {
  const counted = countRequests(client);
  const source = listWatch(counted, resource, { ...limits, ...options });
  return informerObserver(
    name,
    counted,
    informer(source, { indexers: byBucket, dedup: options.dedup === latestOnly ? latestOnly : undefined }),
    log,
  );
}

/**
 * Returns an observer whose informer shows the program's own writes before the watch reports them.
 */
function overlaidObserver({ client, resource, limits, log }: ObserverSetting): {
  readonly observer: Observer;
  readonly show: Observers['show'];
} {
  const counted = countRequests(client);
  const source = overlay(listWatch(counted, resource, limits));
  return {
    observer: informerObserver('overlay', counted, informer(source, { indexers: byBucket }), log),
    show: (written) => source.show(written),
  };
}

/** Returns an observer with two list-watches that share the objects between them. */
function shardedObserver({ client, resource, limits, log }: ObserverSetting): Observer {
  const counted = countRequests(client);
  const shard = (index: number) => listWatch(counted, resource, { ...limits, shard: shardOf({ index, count: 2 }) });
  const source = mergeSources({ first: shard(0), second: shard(1) });
  // If a name is deleted and created again, the new object may arrive in the other shard before the
  // deletion of the first object arrives.
  const followed = informer(source, { indexers: byBucket, keyOf: partitionedKey() });
  return { ...informerObserver('two shards', counted, followed, log), watches: 2 };
}

/** Returns an observer with every kind of view of one informer. */
function informerObserver(
  name: string,
  client: CountingClient,
  followed: SoakInformer,
  log: ObserverSetting['log'],
): Observer {
  const views = new Map<string, () => Versions>([['list', () => versionsOf(followed.list())]]);
  const errors = new Map<string, number>();
  const contradictions: string[] = [];
  const held = new Subscription();

  held.add(
    followed.errors$.subscribe((error) => {
      errors.set(error.name, (errors.get(error.name) ?? 0) + 1);
      log(`${name}: ${error.name}: ${error.message}`);
    }),
  );
  views.set('changes$', fold(followed.changes$, contradictions, held));
  views.set('addEventHandler', handle(followed, held));
  views.set('list$', latest(followed.list$(), held));
  const buckets = Array.from({ length: 8 }, (_, bucket) =>
    latest(followed.byIndex$(bucketLabel, String(bucket)), held),
  );
  views.set('byIndex$', () => new Map(buckets.flatMap((bucket) => [...bucket()])));
  return {
    name,
    client,
    watches: 1,
    follows: () => true,
    views: () => new Map(Array.from(views, ([view, read]) => [view, read()])),
    contradictions,
    errors,
    stop: () => {
      held.unsubscribe();
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
      for (const error of commit.errors) {
        errors.set(error.name, (errors.get(error.name) ?? 0) + 1);
        log(`operators: ${error.name}: ${error.message}`);
      }
    });
  return {
    name: 'operators',
    follows: () => true,
    views: () => new Map([['snapshot', versionsOf(snapshot?.list() ?? [])]]),
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
    onUnobservedError: (error) => {
      errors.set(error.name, (errors.get(error.name) ?? 0) + 1);
      log(`hand-over: ${error.name}: ${error.message}`);
    },
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
    follows: (object) => object.metadata?.labels?.[bucketLabel] === String(bucket),
    views: () => new Map([['byIndex$', versionsOf(seen)]]),
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

function latest(list$: Observable<readonly KubernetesObject[]>, held: Subscription): () => Versions {
  let objects: readonly KubernetesObject[] = [];
  held.add(list$.subscribe((next) => (objects = next)));
  return () => versionsOf(objects);
}

function fold(
  changes$: Observable<ChangeSet<KubernetesObject>>,
  contradictions: string[],
  held: Subscription,
): () => Versions {
  const objects = new Map<string, KubernetesObject>();
  held.add(
    changes$.subscribe(({ reason, changes }) => {
      for (const change of changes) {
        const known = objects.get(change.key);
        const fits =
          change.type === 'added'
            ? known === undefined
            : change.type === 'updated'
              ? known === change.previous
              : known !== undefined;
        if (!fits) contradictions.push(`${reason} ${change.type} ${change.key}`);
        if (change.type === 'deleted') objects.delete(change.key);
        else objects.set(change.key, change.object);
      }
    }),
  );
  return () => versionsOf([...objects.values()]);
}

function handle(followed: SoakInformer, held: Subscription): () => Versions {
  const objects = new Map<string, KubernetesObject>();
  const registration = addEventHandler(followed, {
    onAdd: (object, { key }) => void objects.set(key, object),
    onUpdate: (_, object, { key }) => void objects.set(key, object),
    onDelete: (_, { key }) => void objects.delete(key),
  });
  held.add(() => {
    registration.unsubscribe();
  });
  return () => versionsOf([...objects.values()]);
}

/** Returns uid and version of each object, by namespace and name. */
export function versionsOf(objects: readonly KubernetesObject[]): Versions {
  return new Map(
    objects.map(({ metadata = {} }) => [
      `${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
      `${metadata.uid ?? ''}@${metadata.resourceVersion ?? ''}`,
    ]),
  );
}
