import { services, type Deployment, type ReplicaSet } from 'rx-informers';
import { aDeployment, anyObject, aNode, aPod, aReplicaSet, type ApiServer } from 'rx-informers/testing';

const revision = 'deployment.kubernetes.io/revision';

/**
 * Creates a Deployment in a rollout, with two pods of the old revision and one of the new, a
 * Service that selects these pods, and a Service that selects none. Returns the new ReplicaSet.
 */
export function rollout(api: ApiServer): { readonly current: ReplicaSet } {
  const owner = api.apply(aDeployment({ name: 'web', namespace: 'shop', replicas: 2 }))[0] as Deployment;
  const set = (number: number, replicas: number): ReplicaSet => {
    const made = aReplicaSet({ name: `web-${number}`, namespace: 'shop', replicas, owner, selector: { app: 'web' } });
    const metadata = { ...made.metadata, annotations: { [revision]: String(number) } };
    return api.apply({ ...made, metadata })[0] as ReplicaSet;
  };
  const [old, current] = [set(1, 2), set(2, 1)];
  const labels = { app: 'web' };
  api.apply([
    aNode({ name: 'n1' }),
    aPod({ name: 'old-a', namespace: 'shop', node: 'n1', owner: old, labels }),
    aPod({ name: 'old-b', namespace: 'shop', node: 'n1', owner: old, labels }),
    aPod({ name: 'new-a', namespace: 'shop', node: 'n1', owner: current, labels }),
    anyObject(services, { name: 'web', namespace: 'shop', content: { spec: { selector: labels } } }),
    anyObject(services, { name: 'empty', namespace: 'shop', content: { spec: { selector: { app: 'gone' } } } }),
  ]);
  return { current };
}
