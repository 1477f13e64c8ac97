import type { Collection, Pod } from 'rx-informers';
import * as derived from 'rx-informers/derived';
import { isTrouble } from 'rx-informers/resources';
import { isSettling, type PodEntry } from '../pods/pod-entries.js';
import { filterPredicate, type PodFilter } from '../pods/pod-filter.js';
import { podPhase, statusOf } from '../pods/pod-phase.js';
import { noPods, notReady, type PodTotals, type WorkloadNode, type WorkloadSource } from './workload-node.js';
import { workloadOf, type Workload } from './workload.js';

/** The collections from which the tree is built; `undefined` for one that is not read. */
export type WorkloadInputs = Readonly<Partial<Record<WorkloadSource, Collection<unknown> | undefined>>>;

export interface WorkloadCollections {
  readonly tree: derived.OwnerTree<WorkloadNode>;
  /** The totals of the pods below each node, by uid. */
  readonly totals: derived.DerivedCollection<PodTotals>;
  /** The roots of the tree, by uid. */
  readonly workloads: derived.DerivedCollection<Workload>;
  /** Returns a row for each of these nodes of the tree, by uid. */
  readonly rowsOf: (nodes: Collection<WorkloadNode>) => derived.DerivedCollection<Workload>;
}

/**
 * Returns the owner tree of pods and their owners, and a row for each root.
 *
 * @param entries the pods with their trouble, which depends on the time
 */
export function workloadCollections(inputs: WorkloadInputs, entries: Collection<PodEntry>): WorkloadCollections {
  const read = Object.fromEntries(Object.entries(inputs).flatMap(([from, input]) => (input ? [[from, input]] : [])));
  const tree = derived.ownerTree(read, {
    startWithout: ['forbidden', 'not-found'],
  }) as unknown as derived.OwnerTree<WorkloadNode>;
  const totals: derived.DerivedCollection<PodTotals> = derived.rollUp(tree, {
    pods: derived.count((node: WorkloadNode) => node.from === 'pods'),
    ready: derived.count((node: WorkloadNode) => node.from === 'pods' && isReady(node.object)),
    restarts: derived.sum((node: WorkloadNode) => (node.from === 'pods' ? statusOf(node.object).restarts : undefined)),
    phases: derived.tally((node: WorkloadNode) => (node.from === 'pods' ? podPhase(node.object) : undefined)),
    severities: derived.tally((node: WorkloadNode) =>
      node.from === 'pods' ? statusOf(node.object).severity : undefined,
    ),
    reasons: derived.tally((node: WorkloadNode) => (node.from === 'pods' ? statusOf(node.object).reason : undefined)),
    troubles: derived.tally((node: WorkloadNode) => (node.from === 'pods' ? troubleOf(node.object) : undefined)),
  });
  const roots = derived.filter(tree, ({ owner }) => owner === undefined);
  const settling = derived.groupBy(rootsOf(tree, derived.filter(entries, isSettling)), ({ root }) => root, {
    pods: derived.count(),
  });
  const rowsOf = (nodes: Collection<WorkloadNode>): derived.DerivedCollection<Workload> =>
    derived.derive(nodes, { tree, totals, settling }, (node, read): Workload => {
      // Read only for Deployments. Otherwise the rows of other roots would be computed again with
      // each change of their pods.
      const children = node.from === 'deployments' ? read.tree.byIndex('owner', node.uid) : [];
      return workloadOf({
        node,
        totals: read.totals.get(node.uid) ?? noPods,
        settling: read.settling.get(node.uid)?.pods ?? 0,
        replicaSets: children
          .filter(({ from }) => from === 'replicaSets')
          .map((child) => ({ node: child, totals: read.totals.get(child.uid) ?? noPods })),
      });
    });
  return { tree, totals, workloads: rowsOf(roots), rowsOf };
}

/** Returns the uid of the root above each pod. */
function rootsOf(
  tree: WorkloadCollections['tree'],
  entries: Collection<PodEntry>,
): derived.DerivedCollection<{ readonly root: string }> {
  return derived.derive(entries, { tree }, ({ pod }, read): { readonly root: string } => {
    let node = read.tree.get(pod.metadata.uid);
    while (node?.owner !== undefined) node = read.tree.get(node.owner);
    return { root: node?.uid ?? '' };
  });
}

/** The facets that pods have, but their owners do not. */
const facetsOfPods: readonly string[] = ['node', 'trouble', 'phase'];

/**
 * Returns the part of a filter that is about single pods: their node, their trouble, their phase.
 * Returns `undefined` if the filter has no such part.
 */
export function podPart({ chosen }: PodFilter): PodFilter | undefined {
  const ofPods = Object.entries(chosen).filter(([facet]) => facetsOfPods.includes(facet));
  return ofPods.length === 0 ? undefined : { chosen: Object.fromEntries(ofPods), text: '' };
}

/** Returns the workloads with at least one pod that passes the filter. */
export function workloadsWithPods(
  { tree, workloads }: WorkloadCollections,
  entries: Collection<PodEntry>,
  filter: PodFilter,
): derived.DerivedCollection<Workload> {
  const passing = derived.filter(entries, filterPredicate(filter) ?? (() => true));
  const matching = derived.groupBy(rootsOf(tree, passing), ({ root }) => root, { pods: derived.count() });
  return derived.derive(workloads, { matching }, (workload, read) =>
    read.matching.get(workload.uid) === undefined ? undefined : workload,
  );
}

/** Returns whether a pod counts as ready: its condition is true, and it is not terminating. */
export function isReady({ metadata, status }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

function troubleOf(pod: Pod): string | undefined {
  const { severity, reason } = statusOf(pod);
  if (!isTrouble(severity)) return undefined;
  return reason === 'Running' ? notReady : reason;
}
