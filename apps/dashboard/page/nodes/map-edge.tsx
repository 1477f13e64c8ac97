import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { store, stored } from '../frame/stored.js';

const storageKey = 'rx-informers-dashboard-map';
const least = 90;
/** Pixels by which one key press moves the edge. */
const step = 24;

/**
 * Returns the maximum height of the map and a function to change it. The browser stores the height.
 */
export function useMapHeight(): readonly [height: number, setHeight: (height: number) => void] {
  const [height, setHeight] = useState(() => Number(stored(storageKey)) || Math.round(innerHeight * 0.36));
  return [
    height,
    (next) => {
      const within = Math.round(Math.max(least, Math.min(next, innerHeight - 260)));
      setHeight(within);
      store(storageKey, String(within));
    },
  ];
}

interface MapEdgeProps {
  readonly height: number;
  readonly onHeight: (height: number) => void;
}

/** Renders the lower edge of the map, which can be dragged, or moved with the arrow keys. */
export function MapEdge({ height, onHeight }: MapEdgeProps): ReactNode {
  return (
    <div
      className="map-edge"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the map"
      aria-valuenow={height}
      aria-valuemin={least}
      tabIndex={0}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event: PointerEvent) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const { top } = document.getElementById('node-tiles')?.getBoundingClientRect() ?? { top: 0 };
        onHeight(event.clientY - top);
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'ArrowUp') onHeight(height - step);
        else if (event.key === 'ArrowDown') onHeight(height + step);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}
