import {
  BTreeIndex,
  count,
  createCollection,
  createLiveQueryCollection,
  eq,
  max,
  min,
  sum,
  type SyncConfig,
} from '@tanstack/db';
import { keyOf, type WorkloadNode, type WorkloadPod } from '../fixtures/workloads.js';

type Write<T extends object> = Parameters<SyncConfig<T, string>['sync']>[0];

/**
 * Creates a collection of TanStack DB that receives data as from a server. Each queried field has
 * an index.
 */
function fedCollection<T extends object>(id: string, getKey: (object: T) => string) {
  const syncs: Write<T>[] = [];
  const collection = createCollection<T, string>({
    id,
    getKey,
    startSync: true,
    autoIndex: 'eager',
    defaultIndexType: BTreeIndex,
    sync: {
      sync: (parameters) => {
        syncs.push(parameters);
      },
    },
  });
  const write = (type: 'insert' | 'update', values: readonly T[]): void => {
    for (const { begin, write: add, commit, markReady } of syncs) {
      begin();
      for (const value of values) add({ type, value });
      void commit();
      markReady();
    }
  };
  return { collection, write };
}

/** Joins pods with their nodes in a live query of TanStack DB. */
export function tanstackJoin() {
  const pods = fedCollection<WorkloadPod>('pods', keyOf);
  const nodes = fedCollection<WorkloadNode>('nodes', (node) => node.metadata.name);
  return {
    fill: (allPods: readonly WorkloadPod[], allNodes: readonly WorkloadNode[]): void => {
      pods.write('insert', allPods);
      nodes.write('insert', allNodes);
    },
    update: (pod: WorkloadPod): void => pods.write('update', [pod]),
    join: async (onChange: () => void): Promise<{ readonly size: number }> => {
      const rows = createLiveQueryCollection((query) =>
        query
          .from({ pod: pods.collection })
          .leftJoin({ node: nodes.collection }, ({ pod, node }) => eq(pod.spec.nodeName, node.metadata.name))
          .select(({ pod, node }) => ({
            pod: pod.metadata.name,
            phase: pod.status.phase,
            version: pod.metadata.resourceVersion,
            node: node.metadata.name,
          })),
      );
      rows.subscribeChanges(onChange);
      await rows.preload();
      return rows;
    },
  };
}

/** The pods of a live query of TanStack DB. */
export interface Followed {
  readonly fill: (pods: readonly WorkloadPod[]) => void;
  readonly update: (pod: WorkloadPod) => void;
  readonly follow: (onChange: () => void) => Promise<{ readonly size: number }>;
}

/** Returns the reference to a field of the first item. The types of TanStack DB have no items. */
const restartsOf = (statuses: unknown): number =>
  (statuses as readonly [{ readonly restartCount: number }])[0].restartCount;

/** Groups pods by their nodes. */
export function tanstackGroups(): Followed {
  return followed((pods) =>
    createLiveQueryCollection((query) =>
      query
        .from({ pod: pods })
        .groupBy(({ pod }) => pod.spec.nodeName)
        .select(({ pod }) => ({
          node: pod.spec.nodeName,
          pods: count(pod.metadata.name),
          restarts: sum(restartsOf(pod.status.containerStatuses)),
          least: min(restartsOf(pod.status.containerStatuses)),
          most: max(restartsOf(pod.status.containerStatuses)),
        })),
    ),
  );
}

/** Keeps the pods with the newest versions. */
export function tanstackNewest(limit: number): Followed {
  return followed((pods) =>
    createLiveQueryCollection((query) =>
      query
        .from({ pod: pods })
        .orderBy(({ pod }) => pod.metadata.resourceVersion, { direction: 'desc', stringSort: 'lexical' })
        .limit(limit),
    ),
  );
}

/** The part of a live query that a scenario needs. */
interface LiveRows {
  readonly size: number;
  readonly subscribeChanges: (onChange: () => void) => unknown;
  readonly preload: () => Promise<void>;
}

function followed(query: (pods: ReturnType<typeof fedCollection<WorkloadPod>>['collection']) => LiveRows): Followed {
  const { collection, write } = fedCollection<WorkloadPod>('pods', keyOf);
  return {
    fill: (all) => write('insert', all),
    update: (pod) => write('update', [pod]),
    follow: async (onChange) => {
      const rows = query(collection);
      rows.subscribeChanges(onChange);
      await rows.preload();
      return rows;
    },
  };
}
