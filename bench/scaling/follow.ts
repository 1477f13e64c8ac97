import { filter, firstValueFrom, Subject, tap } from 'rxjs';
import { informer, listWatch, pods, StatusError, type ListWatchOptions, type Pod } from '../../src/index.js';
import { kubeClient } from '../../src/node.js';
import { benchKubeConfig } from '../contestants/bench-kube-config.js';
import { settledHeap } from '../measure/settled-heap.js';
import { startStopwatch } from '../measure/stopwatch.js';
import { observeClient, type ObservedClient } from './observed-client.js';

const MEGABYTE = 1024 * 1024;

/** What it took to know everything that was asked for; megabytes and milliseconds. */
export interface Followed {
  readonly client: ObservedClient;
  readonly objects: number;
  readonly read: number;
  readonly wall: number;
  readonly processor: number;
  /** What the cache, and all that keeps it current, holds. */
  readonly heap: number;
  /** What one more list of what a path names costs, in the same units. */
  readonly relist: (path: string) => Promise<{ readonly read: number; readonly processor: number }>;
  /** Also keeps the cache in memory, for as long as somebody may call it. */
  readonly stop: () => void;
}

/** Follows pods until the first list is in the cache. */
export async function followPods<MetadataOnly extends boolean = false, R = unknown>(
  url: string,
  options: ListWatchOptions<Pod, MetadataOnly, R>,
): Promise<Followed> {
  const before = await settledHeap();
  const client = observeClient(kubeClient(benchKubeConfig(url)));
  const lists = new Subject<void>();
  const source = listWatch(client, pods, options).pipe(
    tap((batch) => {
      if (batch.some(({ type }) => type === 'LISTED')) lists.next();
    }),
  );
  const elapsed = startStopwatch();
  const podInformer = informer(source);
  podInformer.errors$
    .pipe(filter((error) => !(error instanceof StatusError && error.statusCode === 410)))
    .subscribe((error) => {
      throw error;
    });
  podInformer.connect();
  await podInformer.whenSynced();
  const { wall, processor } = elapsed();
  const read = client.bytes / MEGABYTE;
  return {
    client,
    objects: podInformer.keys().length,
    read,
    wall,
    processor,
    heap: ((await settledHeap()) - before) / MEGABYTE,
    relist: async (path) => {
      const bytes = client.bytes;
      const listed = firstValueFrom(lists);
      const relistElapsed = startStopwatch();
      client.expire(path);
      await listed;
      return { read: (client.bytes - bytes) / MEGABYTE, processor: relistElapsed().processor };
    },
    stop: () => {
      podInformer.stop();
    },
  };
}
