import { memo, type ReactNode } from 'react';
import type { Pod } from 'rx-informers';
import { plainText } from '../model/plain-text.js';
import { indexByPlacement } from '../model/pod-filter.js';
import { podPhase, podStatusText, readinessOf, restartsOf } from '../model/pod-phase.js';
import { Age } from './age.js';
import { PhaseDot } from './phase-dot.js';

interface PodRowProps {
  readonly id: string;
  readonly podKey: string;
  readonly pod: Pod;
  /** In the whole table, from 0. */
  readonly index: number;
  readonly top: number;
  readonly isActive: boolean;
  readonly isOpened: boolean;
  readonly onOpen: (key: string) => void;
}

export const PodRow = memo(function PodRow(props: PodRowProps): ReactNode {
  const { id, podKey, pod, index, top, isActive, isOpened, onOpen } = props;
  const { name, namespace, creationTimestamp } = pod.metadata;
  const { ready, all } = readinessOf(pod);
  const restarts = restartsOf(pod);
  const status = plainText(podStatusText(pod), 60);
  return (
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpened}
      className={`pod-row pod-row-cells${isActive ? ' active' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => {
        onOpen(podKey);
      }}
    >
      <TextCell column="name" text={name} />
      <TextCell column="namespace" text={namespace ?? ''} />
      <TextCell column="node" text={indexByPlacement(pod)} />
      <div role="gridcell" className="cell status" title={status}>
        <PhaseDot phase={podPhase(pod)} />
        {status}
      </div>
      <div role="gridcell" className="cell ready">
        {ready}/{all}
      </div>
      <div role="gridcell" className={restarts > 0 ? 'cell restarts' : 'cell restarts none'}>
        {restarts}
      </div>
      <div role="gridcell" className="cell age">
        <Age since={creationTimestamp} />
      </div>
    </div>
  );
});

function TextCell({ column, text }: { readonly column: string; readonly text: string }): ReactNode {
  const shown = plainText(text);
  return (
    <div role="gridcell" className={`cell ${column}`} title={shown}>
      {shown}
    </div>
  );
}
