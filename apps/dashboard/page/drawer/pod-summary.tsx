import type { ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import { nodeResource, podResource } from '../address/page-address.js';
import { PageLink } from '../address/use-page-address.js';
import { PhaseDot } from '../pods/phase-dot.js';
import { indexByPlacement } from '../pods/pod-filter.js';
import { podPhase } from '../pods/pod-phase.js';
import { Age, useSecond } from '../text/age.js';
import { plainText } from '../text/text.js';
import { verdictsFor, type Verdict } from './condition-verdict.js';
import { Containers } from './containers.js';
import { Conditions, Facts, Labels, Section, type Condition } from './facts.js';
import { podExplanations, podHeadline } from './pod-story.js';

interface PodSummaryProps {
  readonly pod: Pod;
  /** The section with the related objects. */
  readonly related: ReactNode;
}

/** Renders a pod at a glance: its state with the reason, its containers, and its other parts. */
export function PodSummary({ pod, related }: PodSummaryProps): ReactNode {
  const { metadata, spec, status } = pod;
  const { nodeName } = spec ?? {};
  return (
    <>
      <PodStory pod={pod} />
      {related}
      <Containers pod={pod} />
      <Facts
        facts={[
          [
            'Node',
            nodeName && (
              <PageLink to={{ opened: { resource: nodeResource, key: indexByPlacement(pod) } }}>
                {plainText(nodeName)}
              </PageLink>
            ),
          ],
          ['Pod IP', status?.podIPs?.map(({ ip }) => ip).join(', ') || status?.podIP],
          ['QoS', status?.qosClass],
          ['Priority', spec?.priorityClassName],
          ['Service account', spec?.serviceAccountName],
          ['Restart policy', spec?.restartPolicy === 'Always' ? undefined : spec?.restartPolicy],
          [
            'Created',
            <>
              <Age since={metadata.creationTimestamp} /> ago
            </>,
          ],
        ]}
      />
      <Volumes pod={pod} />
      <Conditions conditions={status?.conditions ?? []} verdictOf={verdictsOf(pod)} />
      <Labels labels={metadata.labels} areLinks />
    </>
  );
}

function PodStory({ pod }: { readonly pod: Pod }): ReactNode {
  const headline = useSecond((now) => podHeadline(pod, now));
  const phase = podPhase(pod);
  return (
    <div className={`story ${phase}`}>
      <p className="headline">
        <PhaseDot phase={phase} /> {plainText(headline)}
      </p>
      {podExplanations(pod).map((text) => (
        <p key={text}>{plainText(text, 1000)}</p>
      ))}
    </div>
  );
}

/** Returns what the conditions of a pod mean. A pod that has completed need not be ready. */
function verdictsOf({ spec }: Pod): (condition: Condition) => Verdict {
  const gates = (spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const verdictOf = verdictsFor(podResource, gates);
  return (condition) => (condition.reason === 'PodCompleted' ? 'neutral' : verdictOf(condition));
}

type Volume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

function Volumes({ pod }: { readonly pod: Pod }): ReactNode {
  const volumes = pod.spec?.volumes ?? [];
  if (volumes.length === 0) return null;
  return (
    <Section title="Volumes" count={volumes.length}>
      <Facts facts={volumes.map((volume) => [volume.name, <span className="fine">{sourceText(volume)}</span>])} />
    </Section>
  );
}

/** Returns the kind of a volume, and the object or path that it names: `configMap settings`. */
function sourceText(volume: Volume): string {
  const [kind = '', source] = Object.entries(volume).find(([field]) => field !== 'name') ?? [];
  const { name, secretName, claimName, path } = (source ?? {}) as Readonly<Record<string, unknown>>;
  const what = [name, secretName, claimName, path].find((text) => typeof text === 'string');
  return plainText(what === undefined ? kind : `${kind} ${what}`, 120);
}
