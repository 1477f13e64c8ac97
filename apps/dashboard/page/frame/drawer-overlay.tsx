import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { stored, store } from './stored.js';

const storageKey = 'rx-informers-dashboard-drawer';
const narrowest = 320;
const usual = 520;
/** Pixels by which one key press moves the edge. */
const step = 32;

/**
 * Renders the drawer over the right side of the content, which does not move. The left edge can be
 * dragged, or moved with the arrow keys. The browser stores the width.
 */
export function DrawerOverlay({ children }: { readonly children: ReactNode }): ReactNode {
  const [width, setWidth] = useState(storedWidth);
  const resize = (next: number): void => {
    const within = Math.round(Math.max(narrowest, Math.min(next, innerWidth - 120)));
    setWidth(within);
    store(storageKey, String(within));
  };
  return (
    <section className="drawer-overlay" aria-label="Opened object" style={{ inlineSize: width }}>
      <div
        className="drawer-edge"
        role="separator"
        aria-orientation="vertical"
        aria-label="Width of the drawer"
        aria-valuenow={width}
        aria-valuemin={narrowest}
        tabIndex={0}
        onPointerDown={(event) => {
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event: PointerEvent) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(innerWidth - event.clientX);
        }}
        onDoubleClick={() => {
          resize(usual);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'ArrowLeft') resize(width + step);
          else if (event.key === 'ArrowRight') resize(width - step);
          else return;
          event.preventDefault();
        }}
      />
      {children}
    </section>
  );
}

function storedWidth(): number {
  const width = Number(stored(storageKey) ?? usual);
  return width >= narrowest ? Math.min(width, Math.max(narrowest, innerWidth - 120)) : usual;
}
