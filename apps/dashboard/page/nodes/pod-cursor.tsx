import { useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import { useObject } from 'rx-informers/react';
import { podResource } from '../address/page-address.js';
import { go } from '../address/use-page-address.js';
import { usePods } from '../cluster/informers.js';
import { moveFocus } from '../frame/focus.js';
import { podStatusText } from '../pods/pod-phase.js';
import { plainText } from '../text/text.js';
import type { Arrow, NodeTileDrawing } from './node-tile-drawing.js';
import type { Hovered } from './node-tile.js';

interface PodCursorProps {
  readonly ref: RefObject<HTMLButtonElement | null>;
  /** The display name of the node. */
  readonly node: string;
  readonly drawing: NodeTileDrawing;
  readonly onHover: (hovered: Hovered | undefined) => void;
}

/**
 * Renders a frame around one pod of a tile, for the keyboard. The down arrow enters the tile from
 * the name of the node, and arrows move between pods. Enter opens a pod. The up arrow in the first
 * row and Escape return to the name.
 */
export function PodCursor({ ref, node, drawing, onHover }: PodCursorProps): ReactNode {
  const [key, setKey] = useState<string>();

  function moveTo(next: string | undefined, button: HTMLButtonElement): void {
    setKey(next);
    drawing.moveCursor(next);
    const box = placeCursor(button, drawing);
    const { left, top } = button.getBoundingClientRect();
    if (next !== undefined && box !== undefined)
      onHover({ key: next, x: left + box.width / 2, y: top + box.height / 2 });
  }

  function leave(): void {
    drawing.moveCursor(undefined);
    setKey(undefined);
    onHover(undefined);
  }

  function onKeyDown(event: KeyboardEvent<HTMLButtonElement>): void {
    const { currentTarget: button } = event;
    if (event.key === 'Escape') {
      event.preventDefault();
      nameOf(button)?.focus();
      return;
    }
    if (!isArrow(event.key)) return;
    const next = key === undefined ? drawing.firstKey : drawing.adjacentKey(key, event.key);
    if (next !== undefined) moveTo(next, button);
    else if (event.key === 'ArrowUp') nameOf(button)?.focus();
    else if (event.key === 'ArrowDown') moveFocus(button.closest('.tiles-scroller'), nameOf(button), event.key);
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <button
      ref={ref}
      type="button"
      className="pod-cursor"
      tabIndex={-1}
      aria-label={key === undefined ? `Pods of ${node}` : undefined}
      onFocus={({ currentTarget }) => {
        moveTo(drawing.firstKey, currentTarget);
      }}
      onBlur={leave}
      onKeyDown={onKeyDown}
      onClick={() => {
        if (key !== undefined) go({ opened: { resource: podResource, key } });
      }}
    >
      {key !== undefined && <PodName podKey={key} />}
    </button>
  );
}

function PodName({ podKey }: { readonly podKey: string }): ReactNode {
  const pod = useObject(usePods(), podKey);
  const status = pod === undefined ? 'gone' : podStatusText(pod);
  return <span className="visually-hidden">{plainText(`Pod ${podKey}: ${status}`, 200)}</span>;
}

/** Moves the frame to its pod, and returns its position. */
export function placeCursor(
  button: HTMLElement | null,
  drawing: NodeTileDrawing,
): { readonly width: number; readonly height: number } | undefined {
  const { cursorBox } = drawing;
  if (button === null || cursorBox === undefined) return undefined;
  const [x, y, width, height] = cursorBox;
  Object.assign(button.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
  return { width, height };
}

function isArrow(key: string): key is Arrow {
  return /^Arrow(Up|Down|Left|Right)$/.test(key);
}

function nameOf(button: HTMLElement): HTMLElement | null | undefined {
  return button.closest('.tile')?.querySelector<HTMLElement>('.tile-name');
}
