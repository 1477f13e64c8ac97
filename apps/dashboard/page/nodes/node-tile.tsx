import {
  memo,
  useCallback,
  useEffect,
  useRef,
  useState,
  type ComponentType,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { useChanges, useHasSynced, useObject } from 'rx-informers/react';
import { nodeResource, podResource } from '../address/page-address.js';
import { go } from '../address/use-page-address.js';
import { valueText } from '../facets/facet-value.js';
import { usePodCounts } from '../pods/pod-counts.js';
import { toggled } from '../pods/pod-filter.js';
import { countsText, type PhaseCounts } from '../pods/pod-phase.js';
import { plainText } from '../text/text.js';
import { stopGlowing, whileGlowing } from './glow-clock.js';
import type { MapCells, Matches } from './map-cells.js';
import { shortName, type CommonParts } from './node-order.js';
import { NodeTileDrawing, type DrawingStyle } from './node-tile-drawing.js';
import { placeCursor, PodCursor } from './pod-cursor.js';
import { useNear } from './use-near.js';

/** The pod under the pointer, and the position of the pointer. */
export interface Hovered {
  readonly key: string;
  readonly x: number;
  readonly y: number;
}

/** The content that all tiles of the map share. */
export interface TileContent {
  readonly cells: MapCells;
  readonly matches: Matches | undefined;
  readonly style: DrawingStyle | undefined;
  /** The height of the cells. It is known before `style`. */
  readonly height: number;
  readonly onHover: (hovered: Hovered | undefined) => void;
  /** Draws the usage of a node, if it is measured. */
  readonly Usage: ComponentType<{ readonly name: string }> | undefined;
}

interface NodeTileProps {
  /** The name of the node; `''` for pods without a node. */
  readonly name: string;
  /** The common parts of all names, which the tile does not show. */
  readonly common: CommonParts;
  /** The number of letters of a name that fit. */
  readonly letters: number;
  /** `NotReady` or `cordoned`; `undefined` for a healthy node. */
  readonly trouble: string | undefined;
  readonly isChosen: boolean;
  readonly isStop: boolean;
  readonly content: TileContent;
}

const none: PhaseCounts = { pods: 0, phases: {} };

/**
 * Renders a node with its pods. A tile out of sight has only a name: nothing is read or drawn for
 * it.
 */
export const NodeTile = memo(function NodeTile(props: NodeTileProps): ReactNode {
  const { name, common, letters, trouble, isChosen, isStop, content } = props;
  const { Usage } = content;
  const [isNear, ref] = useNear();
  const full = name === '' ? 'not scheduled' : plainText(valueText('node', name), 120);
  const room = trouble === undefined ? letters : letters - trouble.length;
  const short = name === '' ? full : shortName(plainText(name, 120), common, room);
  const choose = (): void => {
    go(({ filter }) => ({ filter: toggled(filter, 'node', name) }));
  };
  return (
    // The name is a button, and a click on the tile performs the same action.
    <li
      ref={ref}
      className={`tile${isChosen ? ' chosen' : ''}${trouble === undefined || trouble === 'cordoned' ? '' : ' troubled'}`}
      onKeyDown={(event) => {
        const cursor = event.currentTarget.querySelector<HTMLElement>('.pod-cursor');
        if (event.key !== 'ArrowDown' || cursor === null || event.target === cursor) return;
        event.preventDefault();
        event.stopPropagation();
        cursor.focus();
      }}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget || (target as Element).classList.contains('tile-head')) choose();
      }}
    >
      <div className="tile-head">
        <button
          type="button"
          className="tile-name"
          title={full}
          aria-pressed={isChosen}
          data-roving={name}
          tabIndex={isStop ? 0 : -1}
          onClick={choose}
        >
          {trouble !== undefined && <span className="node-trouble">{plainText(trouble, 40)}</span>}
          <span className="tile-title" aria-hidden={short === full ? undefined : true}>
            {short}
          </span>
          {short !== full && <span className="visually-hidden">{full}</span>}
          {isNear && <TileCounts name={name} />}
        </button>
        {name !== '' && (
          <button
            type="button"
            className="tile-open"
            aria-label={`Show the node ${full}`}
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
      {isNear ? (
        <TileCells name={name} title={full} content={content} onGround={choose} />
      ) : (
        <div style={{ blockSize: content.height }} />
      )}
      {isNear && Usage && <Usage name={name} />}
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
  /** The display name of the node. */
  readonly title: string;
  readonly content: TileContent;
  readonly onGround: () => void;
}

/** Renders the pods of a node. Draws changes once per frame, without React. */
function TileCells({ name, title, content, onGround }: TileCellsProps): ReactNode {
  const { cells, matches, style, height, onHover } = content;
  const canvas = useRef<HTMLCanvasElement>(null);
  const cursor = useRef<HTMLButtonElement>(null);
  const [drawing] = useState(() => new NodeTileDrawing());

  const draw = useCallback((): boolean => {
    if (canvas.current && style) drawing.draw(canvas.current, style, performance.now());
    placeCursor(cursor.current, drawing);
    return drawing.isGlowing;
  }, [drawing, style]);
  const drawAndGlow = useCallback((): void => {
    if (draw()) whileGlowing(draw);
  }, [draw]);
  useEffect(() => {
    if (matches === undefined) drawing.applyMatches(undefined);
    drawAndGlow();
    return () => {
      stopGlowing(draw);
    };
  }, [draw, drawAndGlow, drawing, matches]);
  useChanges(
    cells,
    (set) => {
      drawing.apply(set, performance.now());
      drawAndGlow();
    },
    { index: ['node', name] },
  );
  return (
    <>
      {matches && <FollowMatches matches={matches} name={name} drawing={drawing} onChange={drawAndGlow} />}
      <div className="tile-cells" style={{ blockSize: height }}>
        {/* The canvas is only for the pointer. The button has the same text for screen readers,
            and the table has every pod. */}
        <canvas
          ref={canvas}
          aria-hidden="true"
          onPointerMove={(event) => {
            if (event.pointerType !== 'mouse') return;
            const key = keyUnder(drawing, event);
            onHover(key === undefined ? undefined : { key, x: event.clientX, y: event.clientY });
          }}
          onPointerLeave={() => {
            onHover(undefined);
          }}
          onClick={(event) => {
            const key = keyUnder(drawing, event);
            if (key === undefined) onGround();
            else go({ opened: { resource: podResource, key } });
          }}
        />
        <PodCursor ref={cursor} node={title} drawing={drawing} onHover={onHover} />
      </div>
    </>
  );
}

interface FollowMatchesProps {
  readonly matches: Matches;
  readonly name: string;
  readonly drawing: NodeTileDrawing;
  readonly onChange: () => void;
}

/** Dims the pods that do not pass the filter, while there is a filter. */
function FollowMatches({ matches, name, drawing, onChange }: FollowMatchesProps): ReactNode {
  useChanges(
    matches,
    (set) => {
      drawing.applyMatches(set);
      onChange();
    },
    { index: ['node', name] },
  );
  return null;
}

function keyUnder(drawing: NodeTileDrawing, { nativeEvent }: MouseEvent): string | undefined {
  return drawing.keyAt(nativeEvent.offsetX, nativeEvent.offsetY);
}
