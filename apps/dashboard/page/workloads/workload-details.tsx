import type { ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import { useByIndex } from 'rx-informers/react';
import { severities } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import { podResource } from '../address/page-address.js';
import { PageLink } from '../address/use-page-address.js';
import { PhaseDot } from '../pods/phase-dot.js';
import { noFilter, workloadOfFilter } from '../pods/pod-filter.js';
import { podPhase, statusOf } from '../pods/pod-phase.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';
import { PodCells } from './pod-marks.js';
import type { Revision, Rollout } from './rollout.js';
import type { WorkloadCollections } from './workload-collections.js';
import { shortImage, workloadResources, type WorkloadNode } from './workload-node.js';
import { kindNames, podLabelsOf, type Workload } from './workload.js';

interface DetailsProps {
  readonly workload: Workload;
  readonly tree: WorkloadCollections['tree'];
}

/**
 * Renders the revisions of a Deployment as bars of pods. During a rollout, one bar shrinks while
 * the other grows.
 */
export function RolloutBars({ workload, tree }: DetailsProps): ReactNode {
  const { revisions, rollout, wanted } = workload;
  const widest = Math.max(wanted, ...revisions.map(({ totals }) => totals.pods));
  return (
    <div className="rollout">
      {rollout && <p className="rollout-text">{rolloutText(rollout)}</p>}
      {revisions.map((revision, index) => (
        <RevisionBar key={revision.uid} revision={revision} isCurrent={index === 0} widest={widest} tree={tree} />
      ))}
    </div>
  );
}

/** Returns the progress of a rollout as text: `3 of 10 new pods ready, 7 old remaining`. */
export function rolloutText({ updated, ready, wanted, old, blockedBy, isPaused, isScaling }: Rollout): ReactNode {
  const parts = isScaling
    ? [`scaling: ${updated} of ${wanted} pods, ${ready} ready`]
    : [`${ready} of ${wanted} new pods ready`, ...(old > 0 ? [`${old} old remaining`] : [])];
  return (
    <>
      {parts.join(', ')}
      {isPaused && ', paused'}
      {blockedBy !== undefined && <strong className="blocked"> — blocked: {plainText(blockedBy, 200)}</strong>}
    </>
  );
}

interface RevisionBarProps {
  readonly revision: Revision;
  readonly isCurrent: boolean;
  readonly widest: number;
  readonly tree: WorkloadCollections['tree'];
}

function RevisionBar({ revision, isCurrent, widest, tree }: RevisionBarProps): ReactNode {
  const pods = podsOf(useByIndex(tree, 'owner', revision.uid));
  const { totals, wanted } = revision;
  return (
    <div className={isCurrent ? 'revision current' : 'revision'}>
      <div className="revision-text">
        <PageLink to={{ opened: { resource: workloadResources.replicaSets, key: revision.key } }} title={revision.name}>
          {revision.number > 0 ? `revision ${revision.number}` : plainText(revision.name)}
        </PageLink>{' '}
        <span className="fine">
          {isCurrent ? 'new' : 'old'} · <Age since={revision.createdAt} />
        </span>
        <div className="image" title={plainText(revision.images.join(', '))}>
          {plainText(revision.images.map(shortImage).join(', '), 80)}
        </div>
      </div>
      <div className="revision-count">
        {totals.ready}/{wanted}
      </div>
      <PodCells pods={pods} wanted={isCurrent ? widest : 0} />
    </div>
  );
}

/** Renders the objects of a workload, down to its pods. */
export function WorkloadDetails({ workload, tree }: DetailsProps): ReactNode {
  const children = useByIndex(tree, 'owner', workload.uid);
  const branches = children.filter(({ from }) => from !== 'pods');
  const shown = workload.revisions.map(({ uid }) => uid);
  const withPods = workload.from === 'deployments' ? shown.flatMap((uid) => tree.get(uid) ?? []) : branches;
  const own = workload.from === 'pods' ? podsOf([tree.get(workload.uid)]) : podsOf(children);
  const earlier = branches.length - withPods.length;
  return (
    <div className="workload-details">
      {workload.revisions.length > 0 && <RolloutBars workload={workload} tree={tree} />}
      {withPods.length === 0 && own.length > 0 && <PodCells pods={own} wanted={workload.wanted} />}
      {withPods.map((branch) => (
        <Branch key={branch.uid} branch={branch} tree={tree} />
      ))}
      {own.length > 0 && <PodLines pods={own} />}
      {withPods.length === 0 && own.length === 0 && <p className="fine">No pods.</p>}
      {earlier > 0 && (
        <p className="fine">
          {earlier} earlier {earlier === 1 ? 'revision has' : 'revisions have'} no pods.
        </p>
      )}
      {workload.totals.pods > 0 && workload.from !== 'pods' && (
        <PodLinks owners={ownersOf([tree.get(workload.uid), ...branches])} />
      )}
    </div>
  );
}

/** Returns the values of a workload's pods in the facet `owner`. */
function ownersOf(nodes: readonly (WorkloadNode | undefined)[]): readonly string[] {
  const owners = nodes.flatMap((node) => {
    if (node === undefined) return [];
    const { name, namespace = '' } = node.object.metadata;
    return [workloadOfFilter(kindNames[node.from], namespace, name, podLabelsOf(node))];
  });
  return [...new Set(owners)];
}

/** Renders the links to the pods and to the logs of a workload. */
function PodLinks({ owners }: { readonly owners: readonly string[] }): ReactNode {
  const filter = { ...noFilter, chosen: { owner: owners } };
  return (
    <p className="pod-links">
      <PageLink to={{ view: 'pods', filter }} className="more-link">
        Show in the table of pods
      </PageLink>
      <PageLink to={{ view: 'logs', filter }} className="more-link">
        Follow the logs
      </PageLink>
    </p>
  );
}

interface BranchProps {
  readonly branch: WorkloadNode;
  readonly tree: WorkloadCollections['tree'];
}

/** Renders a ReplicaSet or a Job with its pods. */
function Branch({ branch, tree }: BranchProps): ReactNode {
  const pods = podsOf(useByIndex(tree, 'owner', branch.uid));
  const { name, creationTimestamp } = branch.object.metadata;
  return (
    <div className="branch">
      <h3>
        <PageLink to={{ opened: { resource: workloadResources[branch.from], key: branch.key } }}>
          {plainText(name)}
        </PageLink>{' '}
        <span className="fine">
          {branch.from === 'jobs' ? 'Job' : 'ReplicaSet'} · <Age since={creationTimestamp} />
        </span>
      </h3>
      <PodLines pods={pods} />
    </div>
  );
}

/** The maximum number of lines that are drawn. The table of pods has all pods. */
const most = 30;

/** Renders pods as lines, trouble first. */
export function PodLines({ pods }: { readonly pods: readonly Pod[] }): ReactNode {
  const sorted = pods.toSorted((a, b) => severityRank(a) - severityRank(b));
  return (
    <>
      <ul className="pod-lines">
        {sorted.slice(0, most).map((pod) => (
          <PodLine key={pod.metadata.uid} pod={pod} />
        ))}
      </ul>
      {sorted.length > most && <p className="fine">and {sorted.length - most} more</p>}
    </>
  );
}

function PodLine({ pod }: { readonly pod: Pod }): ReactNode {
  const { name, creationTimestamp } = pod.metadata;
  const { reason, ready, restartsText, restarts } = statusOf(pod);
  return (
    <li className="pod-line">
      <span className="cell">
        <PhaseDot phase={podPhase(pod)} />{' '}
        <PageLink to={{ opened: { resource: podResource, key: metaNamespaceKey(pod) } }}>{plainText(name)}</PageLink>
      </span>
      <span className="cell status">{plainText(reason, 60)}</span>
      <span className="cell ready">
        {ready.ready}/{ready.total}
      </span>
      <span className={restarts > 0 ? 'cell restarts' : 'cell restarts none'}>{restartsText}</span>
      <span className="cell node">{plainText(pod.spec?.nodeName ?? 'not scheduled')}</span>
      <span className="cell age">
        <Age since={creationTimestamp} />
      </span>
    </li>
  );
}

function severityRank(pod: Pod): number {
  return severities.indexOf(statusOf(pod).severity);
}

function podsOf(nodes: readonly (WorkloadNode | undefined)[]): readonly Pod[] {
  return nodes.flatMap((node) => (node?.from === 'pods' ? [node.object] : []));
}
