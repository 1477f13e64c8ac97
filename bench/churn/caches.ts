import { createIndexer, type Indexer, informer, type Informer, fromEvents } from 'rx-informers';
import { type ChangeEvent, type WatchEvent, watchEvent, batchToDeltas } from 'rx-informers/store';
import { concat, defer, of, Subject, Subscription } from 'rxjs';
import type { BenchPod } from '../fixtures/pod.js';
import { keyOfPod, podIndexers } from '../fixtures/retained-pods.js';
import type { ChurnEvent, Population } from './population.js';
import { Visitors } from './visitors.js';

const { listed } = watchEvent;

type Index = keyof typeof podIndexers;

const VISITORS = 100;

/**
 * Every this many batches, a list replaces a batch. The cache must then find the changes by
 * comparing the list with its content.
 */
const RELIST_EVERY = 500;

/** The number of batches that arrive while a list is applied in slices. */
const BATCHES_OF_A_LIST = 20;

/**
 * Every `every` batches, a subscriber starts the second informer. After `length` further batches it
 * unsubscribes, so that the informer stops.
 */
const VISIT = { every: 200, length: 20 } as const;

/** A cache that receives the events of a population of pods and stores the pods. */
export interface ChurnCache {
  /** Applies the events since the last call, in order. */
  readonly take: (events: readonly ChurnEvent[]) => void;
  /**
   * Returns false while the cache briefly contains more objects than usual. The heap is not
   * measured then.
   */
  readonly isSettled: () => boolean;
  /** Returns the keys of the stored pods. */
  readonly keys: () => readonly string[];
}

/** Returns an indexer with subscribers that come and go. */
export function indexerCache(population: Population): ChurnCache {
  const indexer = createIndexer(keyOfPod, podIndexers);
  indexer.replace(population.list().map(parse));
  const visitors = new Visitors(indexer, VISITORS);
  return {
    take: (events) => {
      const [first, ...others] = events.map(changeOf);
      if (first) applyAlone(indexer, first);
      indexer.apply(batchToDeltas(others, keyOfPod));
      visitors.come(population.anyone());
    },
    isSettled: () => true,
    keys: () => indexer.keys(),
  };
}

/**
 * Returns a cache with two informers. The first informer always runs, and its subscribers come and
 * go. The second informer is started and stopped by its only subscriber.
 */
export function informerCache(population: Population): ChurnCache {
  const batches = new Subject<readonly WatchEvent<BenchPod>[]>();
  const list = (): readonly WatchEvent<BenchPod>[] => [listed(population.list().map(parse))];
  const source = fromEvents(defer(() => concat(of(list()), batches)));
  const running: Informer<BenchPod, Index> = informer(source, { indexers: podIndexers });
  running.connect();
  const visited: Informer<BenchPod, Index> = informer(source, { indexers: podIndexers });
  const visitors = new Visitors(running, VISITORS);
  let visit = Subscription.EMPTY;
  let count = 0;
  return {
    take: (events) => {
      count++;
      batches.next(count % RELIST_EVERY === 0 ? list() : events.map(changeOf));
      const pod = population.anyone();
      visitors.come(pod);
      if (count % VISIT.every === 0) visit = visited.byIndex$('node', pod.spec.nodeName).subscribe();
      if (count % VISIT.every === VISIT.length) visit.unsubscribe();
    },
    isSettled: () => !visited.isRunning && count % RELIST_EVERY > BATCHES_OF_A_LIST,
    keys: () => running.keys(),
  };
}

/** Returns a cache that is only a Map. Its figures show how precisely the heap can be measured. */
export function plainMap(population: Population): ChurnCache {
  const parsed = (text: string): readonly [string, BenchPod] => {
    const pod = parse(text);
    return [keyOfPod(pod), pod];
  };
  const pods = new Map(population.list().map(parsed));
  return {
    take: (events) => {
      for (const event of events) {
        const [key, pod] = parsed(event.pod);
        if (event.type === 'DELETED') pods.delete(key);
        else pods.set(key, pod);
      }
    },
    isSettled: () => true,
    keys: () => [...pods.keys()],
  };
}

/**
 * Writes one change as a single call. The other changes of a batch are one commit, so each batch
 * uses both ways to write to an indexer.
 */
function applyAlone(indexer: Indexer<BenchPod, Index>, { type, object }: ChangeEvent<BenchPod>): void {
  switch (type) {
    case 'ADDED':
      return indexer.add(object);
    case 'MODIFIED':
      return indexer.update(object);
    case 'DELETED':
      return indexer.delete(object);
  }
}

function changeOf({ type, pod }: ChurnEvent): ChangeEvent<BenchPod> {
  return { type, object: parse(pod) };
}

function parse(text: string): BenchPod {
  return JSON.parse(text) as BenchPod;
}
