import type { ReactNode } from 'react';
import { useObject } from 'rx-informers/react';
import { usePods } from '../cluster/informers.js';
import { PhaseDot } from '../pods/phase-dot.js';
import { podPhase, podStatusText, restartsOf } from '../pods/pod-phase.js';
import { Age } from '../text/age.js';
import { middleCut } from '../text/middle-cut.js';
import { plainText } from '../text/text.js';
import type { Hovered } from './node-tile.js';

const width = 260;
const height = 74;

/**
 * Renders the details of a map cell beside the pointer. The table has the same details for users
 * without a pointer.
 */
export function HoverCard({ hovered: { key, x, y } }: { readonly hovered: Hovered }): ReactNode {
  const pod = useObject(usePods(), key);
  if (!pod) return null;
  const restarts = restartsOf(pod);
  const left = x + 14 + width > innerWidth ? x - width - 10 : x + 14;
  const top = y + 16 + height > innerHeight ? y - height - 8 : y + 16;
  return (
    <div className="hover-card" aria-hidden="true" style={{ transform: `translate(${left}px, ${top}px)` }}>
      <p className="hover-name">{middleCut(plainText(pod.metadata.name), 38)}</p>
      <p className="fine">{plainText(pod.metadata.namespace ?? '', 60)}</p>
      <p>
        <PhaseDot phase={podPhase(pod)} /> {plainText(podStatusText(pod), 60)}
        <span className="fine">
          {' · '}
          <Age since={pod.metadata.creationTimestamp} />
          {restarts > 0 && ` · ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`}
        </span>
      </p>
    </div>
  );
}
