import { informer, mergeSources, type Indexers, type Informer, type KubernetesObject } from 'rx-informers';
import { partitionedKey, watchEvent, type WatchEvent } from 'rx-informers/store';
import type { VirtualClock } from 'rx-informers/testing';
import { startWith, Subject } from 'rxjs';

/** The two clusters. The name of the second one contains characters that keys encode. */
export type Cluster = 'eu' | 'us:1';

/** An informer over two clusters, and the events that a cluster sends later. */
export interface Merged<T, I extends string> {
  readonly informer: Informer<T, I>;
  readonly send: (cluster: Cluster, ...events: readonly WatchEvent<T>[]) => void;
}

/**
 * Returns an informer over two clusters. Its keys contain the cluster: `eu:web/a`, `us%3A1:web/a`.
 *
 * @param lists the objects of each cluster at the beginning
 */
export function merged<T extends KubernetesObject, const I extends string = never>(
  clock: VirtualClock,
  lists: Readonly<Record<Cluster, readonly T[]>>,
  indexers?: Indexers<T, I>,
): Merged<T, I> {
  const later = { eu: new Subject<readonly WatchEvent<T>[]>(), 'us:1': new Subject<readonly WatchEvent<T>[]>() };
  const sourceOf = (name: Cluster) => later[name].pipe(startWith([watchEvent.listed(lists[name], '1')]));
  const both = mergeSources<T>({ eu: sourceOf('eu'), 'us:1': sourceOf('us:1') });
  return {
    informer: informer<T, I>(both, { keyOf: partitionedKey(), scheduler: clock, ...(indexers && { indexers }) }),
    send: (cluster, ...events) => {
      later[cluster].next(events);
    },
  };
}
