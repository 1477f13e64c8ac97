import { memo, useCallback, useEffect, useRef, useState, type MouseEvent, type ReactNode } from 'react';
import { useChanges, useHasSynced, useObject } from 'rx-informers/react';
import { nodeResource, podResource } from '../address/page-address.js';
import { go } from '../address/use-page-address.js';
import { valueText } from '../facets/facet-value.js';
import { usePodCounts } from '../pods/pod-counts.js';
import { toggled } from '../pods/pod-filter.js';
import { countsText, type PhaseCounts } from '../pods/pod-phase.js';
import { MiddleCut } from '../table/table-row.js';
import { plainText } from '../text/text.js';
import type { MapCells } from './map-cells.js';
import { NodeTileDrawing, type DrawingStyle } from './node-tile-drawing.js';
import { useNear } from './use-near.js';

interface NodeTileProps {
  /** The name of the node; `''` for pods without a node. */
  readonly name: string;
  /** `NotReady` or `cordoned`; `undefined` for a healthy node. */
  readonly trouble: string | undefined;
  readonly isChosen: boolean;
  readonly isStop: boolean;
  /** The content that all tiles share. */
  readonly content: { readonly cells: MapCells; readonly style: DrawingStyle | undefined };
}

const none: PhaseCounts = { pods: 0, phases: {} };

/**
 * Renders a node with its pods. A tile out of sight has only a name: nothing is read or drawn for
 * it.
 */
export const NodeTile = memo(function NodeTile(props: NodeTileProps): ReactNode {
  const { name, trouble, isChosen, isStop, content } = props;
  const [isNear, ref] = useNear();
  const title = plainText(valueText('node', name), 120);
  return (
    <li
      ref={ref}
      className={`tile${isChosen ? ' chosen' : ''}${trouble === undefined || trouble === 'cordoned' ? '' : ' troubled'}`}
    >
      <div className="tile-head">
        <button
          type="button"
          className="tile-name"
          title={title}
          aria-pressed={isChosen}
          data-roving={name}
          tabIndex={isStop ? 0 : -1}
          onClick={() => {
            go(({ filter }) => ({ filter: toggled(filter, 'node', name) }));
          }}
        >
          {trouble !== undefined && <span className="node-trouble">{plainText(trouble, 40)}</span>}
          <span className="tile-title">
            <MiddleCut text={title} />
          </span>
          {isNear && <TileCounts name={name} />}
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
              go({ opened: { resource: nodeResource, key: name } });
            }}
          >
            <span aria-hidden="true">⋯</span>
          </button>
        )}
      </div>
      <div className="tile-cells">{isNear && <TileCells name={name} {...content} />}</div>
    </li>
  );
});

function TileCounts({ name }: { readonly name: string }): ReactNode {
  const { node } = usePodCounts();
  const counts = useObject(node, name) ?? none;
  const isKnown = useHasSynced(node);
  return (
    <>
      <span className="count" aria-hidden="true">
        {isKnown ? counts.pods : '–'}
      </span>
      <span className="visually-hidden">{isKnown ? countsText(counts) : 'pods are loading'}</span>
    </>
  );
}

interface TileCellsProps {
  readonly name: string;
  readonly cells: MapCells;
  readonly style: DrawingStyle | undefined;
}

/** Renders the pods of a node. Draws changes once per frame, without React. */
function TileCells({ name, cells, style }: TileCellsProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [drawing] = useState(() => new NodeTileDrawing());
  const draw = useCallback((): void => {
    if (canvas.current && style) drawing.draw(canvas.current, style);
  }, [drawing, style]);
  useEffect(draw, [draw]);
  useChanges(
    cells,
    (set) => {
      drawing.apply(set);
      draw();
    },
    { index: ['node', name] },
  );
  const podUnder = ({ nativeEvent: { offsetX, offsetY } }: MouseEvent) => drawing.podAt(offsetX, offsetY);
  return (
    // The canvas is only for the pointer. The button has the same counts for screen readers, and
    // filters the table, which has every pod.
    <canvas
      ref={canvas}
      aria-hidden="true"
      onPointerMove={(event) => {
        const pod = podUnder(event);
        event.currentTarget.title = pod === undefined ? '' : plainText(`${pod.key}: ${pod.phase}`, 200);
      }}
      onClick={(event) => {
        const pod = podUnder(event);
        if (pod) go({ opened: { resource: podResource, key: pod.key } });
      }}
    />
  );
}
