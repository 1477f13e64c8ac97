import type { Collection, Deployment, Pod, ReplicaSet } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { podStatus } from 'rx-informers/resources';

/** The Deployments that lack available replicas, with the states of their unready pods. */
export function unavailableDeployments(
  deployments: Collection<Deployment>,
  replicaSets: Collection<ReplicaSet>,
  pods: Collection<Pod>,
) {
  const tree = derived.ownerTree({ deployments, replicaSets, pods });
  const reasons = derived.rollUp(tree, {
    reasons: derived.tally((node) => {
      if (node.from !== 'pods') return undefined;
      const { reason, ready } = podStatus(node.object);
      return ready.ready < ready.total ? reason : undefined;
    }),
  });
  return derived.leftJoin(deployments, reasons, {
    on: ({ metadata }) => metadata.uid,
    select: ({ spec, status }, row) => {
      const [wanted, available] = [spec?.replicas ?? 1, status?.availableReplicas ?? 0];
      return available < wanted ? { wanted, available, reasons: row?.reasons ?? {} } : undefined;
    },
  });
}
