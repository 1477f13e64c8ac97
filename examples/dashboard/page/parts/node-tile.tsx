import { memo, useEffect, useRef, useState, type MouseEvent, type ReactNode } from 'react';
import { useChanges, useObject } from 'rx-informers/react';
import { usePodCounts } from '../cluster/pod-counts.js';
import { NodeTileDrawing } from '../drawing/node-tile-drawing.js';
import { usePhaseColours } from '../hooks/use-phase-colours.js';
import type { Opened } from '../model/opened.js';
import { countsText, type PhaseCounts } from '../model/phase-counts.js';
import { plainText } from '../model/plain-text.js';
import type { PodIndex } from '../model/pod-filter.js';
import { NodeCondition } from './node-condition.js';

interface NodeTileProps {
  /** `''`: pods that have no node yet. */
  readonly name: string;
  readonly isChosen: boolean;
  readonly isStop: boolean;
  readonly onToggle: (index: PodIndex, value: string) => void;
  readonly onOpen: (opened: Opened) => void;
}

const none: PhaseCounts = { pods: 0, phases: {} };

/** A node: its pods are drawn as they change, once a frame and without React, which only writes how many there are. */
export const NodeTile = memo(function NodeTile(props: NodeTileProps): ReactNode {
  const { name, isChosen, isStop, onToggle, onOpen } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawing] = useState(() => new NodeTileDrawing());
  const colours = usePhaseColours();
  const { dots, node } = usePodCounts();
  const counts = useObject(node, name) ?? none;

  function draw(): void {
    if (canvas.current && colours) drawing.draw(canvas.current, colours, devicePixelRatio);
  }
  useChanges(
    dots,
    (set) => {
      drawing.apply(set);
      draw();
    },
    { index: ['node', name] },
  );
  useEffect(draw, [drawing, colours]);

  function keyUnder({ nativeEvent }: MouseEvent): string | undefined {
    return drawing.keyAt(nativeEvent.offsetX, nativeEvent.offsetY);
  }

  const title = name === '' ? 'not scheduled' : plainText(name, 80);
  return (
    <li className={isChosen ? 'tile chosen' : 'tile'}>
      <div className="tile-head">
        <button
          type="button"
          className="tile-name"
          title={title}
          aria-pressed={isChosen}
          data-roving={name}
          tabIndex={isStop ? 0 : -1}
          onClick={() => {
            onToggle('node', name);
          }}
        >
          {name !== '' && <NodeCondition name={name} />}
          <span className="tile-title">{title}</span>
          <span className="count" aria-hidden="true">
            {counts.pods}
          </span>
          <span className="visually-hidden">{countsText(counts)}</span>
        </button>
        {name !== '' && (
          <button
            type="button"
            className="tile-open"
            aria-label={`Show the node ${title}`}
            title="Show this node"
            data-roving={name}
            tabIndex={-1}
            onClick={() => {
              onOpen({ kind: 'Node', key: name });
            }}
          >
            <span aria-hidden="true">⋯</span>
          </button>
        )}
      </div>
      {/* For the pointer only; the button says the same in words, and the table has every pod. */}
      <canvas
        ref={canvas}
        aria-hidden="true"
        onMouseMove={(event) => {
          event.currentTarget.title = keyUnder(event) ?? '';
        }}
        onClick={(event) => {
          const key = keyUnder(event);
          if (key !== undefined) onOpen({ kind: 'Pod', key });
        }}
      />
    </li>
  );
});
