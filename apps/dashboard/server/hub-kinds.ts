import {
  cronJobs,
  daemonSets,
  deployments,
  events,
  jobs,
  nodes,
  pods,
  replicaSets,
  services,
  statefulSets,
  type Resource,
} from 'rx-informers';

/**
 * The kinds that a hub reads for all viewers: those of which the views of the page follow all
 * objects. `deploy/hub/cluster-role.yaml` grants exactly these, and a test compares both.
 *
 * The tables of the view Kinds and the managed fields of an opened object are not read by informers
 * of whole kinds, so they are not here. Secrets are never here.
 */
export const hubKinds: readonly Resource<unknown>[] = [
  pods,
  nodes,
  events,
  services,
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  cronJobs,
  jobs,
];
