import { filter, firstValueFrom, Subject, tap } from 'rxjs';
import { informer, listWatch, pods, StatusError, type ListWatchOptions, type Pod } from '../../src/index.js';
import { kubeClient } from '../../src/node.js';
import { benchKubeConfig } from '../contestants/bench-kube-config.js';
import { settledHeap } from '../measure/memory.js';
import { startStopwatch } from '../measure/times.js';
import { observeClient, type ObservedClient } from './observed-client.js';

const MEGABYTE = 1024 * 1024;

/** The cost of a list and a watch. Data are in megabytes, times in milliseconds. */
export interface Followed {
  readonly client: ObservedClient;
  readonly objects: number;
  readonly read: number;
  readonly wall: number;
  readonly processor: number;
  /** The heap that the cache uses, together with everything that keeps it up to date. */
  readonly heap: number;
  /** Lists a path once more, and returns the cost in the same units. */
  readonly relist: (path: string) => Promise<{ readonly read: number; readonly processor: number }>;
  /** Stops the watch. The reference to this function also keeps the cache in memory. */
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
