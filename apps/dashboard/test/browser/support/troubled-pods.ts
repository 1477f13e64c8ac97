import { aNode, aPod, type ApiServer } from 'rx-informers/testing';

/** Creates three running pods, one that has not been ready for an hour, and one that failed. */
export function troubledPods(api: ApiServer): void {
  const unready = aPod({ name: 'unready', namespace: 'blog', node: 'worker-1', ready: false });
  // A pod that became not ready just now is not in trouble yet.
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: since }];
  api.apply([
    aNode({ name: 'worker-1' }),
    ...['a', 'b', 'c'].map((name) => aPod({ name, namespace: 'shop', node: 'worker-1', labels: { app: 'web' } })),
    { ...unready, status: { ...unready.status, conditions } },
    aPod({ name: 'zz-failed', namespace: 'blog', node: 'worker-1', phase: 'Failed' }),
  ]);
}
