import { useMemo, type ReactNode } from 'react';
import type { KubernetesNode, Pod } from 'rx-informers';
import { useByIndex } from 'rx-informers/react';
import { nodeStatus } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import { nodeResource } from '../address/page-address.js';
import { PageLink } from '../address/use-page-address.js';
import { usePods } from '../cluster/informers.js';
import { MeasuredAgo, UsageLoads } from '../metrics/usage-loads.js';
import { allocatableOf } from '../metrics/usage.js';
import { useMeasured } from '../metrics/use-measured.js';
import { PhaseDot } from '../pods/phase-dot.js';
import { noFilter } from '../pods/pod-filter.js';
import { podPhase, podPhases, type PodPhase } from '../pods/pod-phase.js';
import { Age } from '../text/age.js';
import { plainText } from '../text/text.js';
import { verdictsFor } from './condition-verdict.js';
import { Conditions, Facts, Labels, Section } from './facts.js';
import { nodeLoad, type ResourceLoad } from './node-load.js';

interface NodeSummaryProps {
  readonly node: KubernetesNode;
  /** The section with the related objects, such as the pods in trouble. */
  readonly related: ReactNode;
}

/** Renders a node at a glance: its health, its pods, and the resources that they request. */
export function NodeSummary({ node, related }: NodeSummaryProps): ReactNode {
  const { metadata, spec, status } = node;
  const pods = useByIndex(usePods(), 'node', metaNamespaceKey(node));
  const load = useMemo(() => nodeLoad(node, pods), [node, pods]);
  const { nodeInfo, addresses = [] } = status ?? {};
  return (
    <>
      <NodeStory node={node} />
      <Section title="Pods" count={pods.length}>
        <PodsOfNode nodeKey={metaNamespaceKey(node)} pods={pods} />
      </Section>
      {related}
      {load.length > 0 && (
        <Section title="Requested">
          <ul className="loads">
            {load.map((one) => (
              <Load key={one.name} load={one} />
            ))}
          </ul>
        </Section>
      )}
      <NodeUsage node={node} />
      <Conditions conditions={status?.conditions ?? []} verdictOf={verdictOf} />
      {(spec?.taints ?? []).length > 0 && (
        <Section title="Taints" count={spec?.taints?.length ?? 0}>
          <ul className="labels">
            {spec?.taints?.map(({ key, value, effect }) => (
              <li key={`${key} ${effect}`} className="label">
                {plainText(value ? `${key}=${value}` : key, 120)} <span className="fine">{effect}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Facts
        facts={[
          ['Kubelet', nodeInfo?.kubeletVersion],
          ['System', nodeInfo && `${nodeInfo.osImage}, ${nodeInfo.architecture}`],
          ['Kernel', nodeInfo?.kernelVersion],
          ['Runtime', nodeInfo?.containerRuntimeVersion],
          ...addresses.map(({ type, address }) => [type, address] as const),
          ['Provider', spec?.providerID],
          [
            'Created',
            <>
              <Age since={metadata.creationTimestamp} /> ago
            </>,
          ],
        ]}
      />
      <Labels labels={metadata.labels} />
    </>
  );
}

function NodeStory({ node }: { readonly node: KubernetesNode }): ReactNode {
  const { reason, troubles, severity } = nodeStatus(node);
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const since = ready?.lastTransitionTime as unknown;
  return (
    <div className={`story ${severity}`}>
      <p className="headline">
        <PhaseDot
          phase={
            severity === 'failing' || severity === 'warning' ? 'failing' : severity === 'ok' ? 'running' : 'pending'
          }
        />{' '}
        {plainText([reason, ...troubles].join(', '), 200)}
        {typeof since === 'string' && troubles.length === 0 && (
          <span className="fine">
            {' '}
            for <Age since={since} />
          </span>
        )}
      </p>
      {!isReady && (
        <p>
          {ready?.status === 'Unknown'
            ? 'Its kubelet no longer reports, so the state of its pods is unknown.'
            : plainText(ready?.message ?? 'It does not report whether it is ready.', 600)}
        </p>
      )}
      {node.spec?.unschedulable === true && <p>It is cordoned: no new pods are scheduled to it.</p>}
    </div>
  );
}

const verdictOf = verdictsFor(nodeResource);

/** Renders the number of a node's pods in each phase. */
function PodsOfNode({ nodeKey, pods }: { readonly nodeKey: string; readonly pods: readonly Pod[] }): ReactNode {
  const byPhase = new Map<PodPhase, number>();
  for (const pod of pods) byPhase.set(podPhase(pod), (byPhase.get(podPhase(pod)) ?? 0) + 1);
  return (
    <p className="node-phases">
      {podPhases
        .filter((phase) => byPhase.has(phase))
        .map((phase) => (
          <span key={phase}>
            <PhaseDot phase={phase} /> {phase} <span className="count">{byPhase.get(phase)}</span>
          </span>
        ))}
      <PageLink to={{ view: 'pods', filter: { ...noFilter, chosen: { node: [nodeKey] } } }}>
        Show them in the table
      </PageLink>
    </p>
  );
}

/**
 * Renders the node's usage compared with its allocatable resources, if metrics.k8s.io reports it.
 */
function NodeUsage({ node }: { readonly node: KubernetesNode }): ReactNode {
  const measured = useMeasured('nodes');
  const usage = measured.of(node);
  if (usage === undefined) return null;
  return (
    <Section title="Used">
      <UsageLoads usage={usage} boundOf={(name) => allocatableOf(name, node)} />
      <MeasuredAgo measuredAt={usage.measuredAt} measured={measured} />
    </Section>
  );
}

function Load({ load }: { readonly load: ResourceLoad }): ReactNode {
  const { name, requested, allocatable, capacity, share } = load;
  const percent = Math.round(share * 100);
  return (
    <li>
      <span className="load-name">{plainText(name, 60)}</span>
      <span className={share > 0.9 ? 'load-bar full' : 'load-bar'} aria-hidden="true">
        <span style={{ inlineSize: `${Math.min(100, percent)}%` }} />
      </span>
      <span className="load-text" title={`${capacity} in total, ${allocatable} for pods`}>
        {requested} of {allocatable} <span className="fine">{percent} %</span>
      </span>
    </li>
  );
}
