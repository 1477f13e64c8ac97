import type { ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import type { Tally } from 'rx-informers/derived';
import type { Severity } from 'rx-informers/resources';
import { metaNamespaceKey } from 'rx-informers/store';
import { podResource } from '../address/page-address.js';
import { PageLink } from '../address/use-page-address.js';
import { PhaseDot } from '../pods/phase-dot.js';
import { countsText, podPhase, podPhases, statusOf, type PodPhase } from '../pods/pod-phase.js';
import { plainText } from '../text/text.js';

const phaseOf: Readonly<Record<Severity, PodPhase>> = {
  failing: 'failing',
  failed: 'failed',
  warning: 'unready',
  progressing: 'pending',
  ok: 'running',
  done: 'succeeded',
};

/** Renders the mark of a severity, in the colours of pods. */
export function SeverityDot({ severity }: { readonly severity: Severity }): ReactNode {
  return <PhaseDot phase={phaseOf[severity]} />;
}

interface PodBarProps {
  readonly pods: number;
  readonly phases: Tally<PodPhase>;
  readonly wanted: number;
}

/** Renders the number of pods of each colour, and the number of missing pods, as one bar. */
export function PodBar({ pods, phases, wanted }: PodBarProps): ReactNode {
  const missing = Math.max(0, wanted - pods);
  return (
    <span className="pod-bar" role="img" aria-label={countsText({ pods, phases })}>
      {podPhases
        .toReversed()
        .map((phase) => [phase, phases[phase] ?? 0] as const)
        .filter(([, count]) => count > 0)
        .map(([phase, count]) => (
          <span key={phase} className={`segment ${phase}`} style={{ flexGrow: count }} />
        ))}
      {missing > 0 && <span className="segment missing" style={{ flexGrow: missing }} />}
    </span>
  );
}

/** The maximum number of pods with their own marks. A number stands for the remaining pods. */
const most = 240;

interface PodCellsProps {
  readonly pods: readonly Pod[];
  /** The number of pods for which there is room, so that two rows of marks can be compared. */
  readonly wanted: number;
}

/** Renders a mark for each pod, which opens the pod. */
export function PodCells({ pods, wanted }: PodCellsProps): ReactNode {
  const missing = Math.min(most, wanted) - pods.length;
  return (
    <ul className="pod-cells">
      {pods.slice(0, most).map((pod) => (
        <li key={pod.metadata.uid}>
          <PodCell pod={pod} />
        </li>
      ))}
      {Array.from({ length: Math.max(0, missing) }, (_, index) => (
        <li key={index} className="pod-cell missing" aria-hidden="true" />
      ))}
      {pods.length > most && <li className="fine">and {pods.length - most} more</li>}
    </ul>
  );
}

function PodCell({ pod }: { readonly pod: Pod }): ReactNode {
  const text = plainText(`${pod.metadata.name}: ${statusOf(pod).reason}`);
  return (
    <PageLink
      to={{ opened: { resource: podResource, key: metaNamespaceKey(pod) } }}
      className={`pod-cell ${podPhase(pod)}`}
      title={text}
    >
      <span className="visually-hidden">{text}</span>
    </PageLink>
  );
}
