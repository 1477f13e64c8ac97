import { throwError } from 'rxjs';
import { knownInternals } from '../../collections/log-collection.js';
import { RxInformersError } from '../../kubernetes/errors.js';
import { splitPartitionedKey } from '../../kubernetes/keys.js';
import type { KubeClient } from '../../sources/client/kube-client.js';
import type { CachedSource } from './sources.js';

/**
 * Returns the client of a partition of `mergeSources`, such as a cluster, or `undefined` if there
 * is none.
 */
export type ClientOfPartition = (partition: string) => KubeClient | undefined;

/** The cluster to which a run writes. */
export interface ClusterOfRun {
  readonly client: KubeClient;
  /** The partition of the key; `undefined` if the controller has one client for all keys. */
  readonly partition: string | undefined;
}

/** Returns the cluster of a key. An unknown partition has a client that refuses all requests. */
export function clusterOfRun(client: KubeClient | ClientOfPartition, key: string): ClusterOfRun {
  if (typeof client !== 'function') return { client, partition: undefined };
  const { partition } = splitPartitionedKey(key);
  try {
    const found = client(partition);
    return { client: found ?? refusing(key, partition), partition };
  } catch (cause) {
    return { client: refusing(key, partition, cause), partition };
  }
}

/** Returns true if the cache can have objects of the partition. */
export function hasPartition({ collection }: CachedSource, partition: string | undefined): boolean {
  return partition === undefined || knownInternals(collection)?.isPartitioned === true;
}

function refusing(key: string, partition: string, cause?: unknown): KubeClient {
  const message = `nothing was sent for ${key}, because the client function of the controller has no client for the partition ${JSON.stringify(partition)}; return one for each partition of mergeSources`;
  const error = new RxInformersError('RXI_UNKNOWN_PARTITION', message, { key, partition, cause });
  return { exchange: () => throwError(() => error) };
}
