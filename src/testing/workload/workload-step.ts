/** What the workload did: one change to the cluster, or the making of it. */
export type WorkloadStep =
  | { readonly type: 'seeded'; readonly nodes: number; readonly pods: number }
  | {
      readonly type: 'created' | 'scheduled' | 'started' | 'restarted' | 'finished' | 'terminating' | 'deleted';
      readonly namespace: string;
      readonly name: string;
      /** Where the pod runs; undefined as long as it is not scheduled. */
      readonly node: string | undefined;
    };
