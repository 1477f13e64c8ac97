import { useState, type FocusEvent, type KeyboardEvent, useEffect } from 'react';

export interface Box {
  readonly left: number;
  readonly top: number;
}

/**
 * Returns the index of the box that a key moves to. Left and right move in order, up and down move
 * by position on the screen. Returns `undefined` for another key.
 */
export function rovingTarget(key: string, from: number, boxes: readonly Box[]): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return Math.min(from + 1, boxes.length - 1);
    case 'ArrowLeft':
      return Math.max(from - 1, 0);
    case 'ArrowDown':
      return nearest(from, boxes, 1);
    case 'ArrowUp':
      return nearest(from, boxes, -1);
    case 'Home':
      return 0;
    case 'End':
      return boxes.length - 1;
    default:
      return undefined;
  }
}

/**
 * Returns the box in the nearest row of this direction that is closest horizontally. Returns `from`
 * if there is no such row.
 */
function nearest(from: number, boxes: readonly Box[], direction: 1 | -1): number {
  const origin = boxes[from] ?? { left: 0, top: 0 };
  let best = from;
  let least = Infinity;
  for (const [index, { left, top }] of boxes.entries()) {
    const down = (top - origin.top) * direction;
    if (down <= 0) continue;
    // The factor is larger than the width of any page, so the nearest row always wins over the
    // nearest column.
    const distance = down * 100_000 + Math.abs(left - origin.left);
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

interface RovingFocus {
  /**
   * Handlers for the group. Arrows, Home and End move the focus among the elements with
   * `data-roving`.
   */
  readonly group: {
    readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
    readonly onFocus: (event: FocusEvent<HTMLElement>) => void;
  };
  /**
   * The element that Tab focuses: the one that was focused last, or the first one if that was
   * removed.
   */
  readonly stop: string | undefined;
}

/**
 * Makes a group of many buttons one stop of the Tab key. Each button has one of these names as its
 * `data-roving`.
 */
export function useRovingFocus(names: readonly string[]): RovingFocus {
  const [focused, setFocused] = useState<string>();
  return {
    stop: focused !== undefined && names.includes(focused) ? focused : names[0],
    group: {
      onKeyDown(event) {
        if (moveFocus(event.currentTarget, event.target, event.key)) event.preventDefault();
      },
      onFocus(event) {
        const { roving } = event.target.dataset;
        if (roving !== undefined) setFocused(roving);
      },
    },
  };
}

/**
 * Moves the focus within a group from `origin` to the element that a key leads to. Returns false
 * for another key.
 */
function moveFocus(group: Element | null, origin: unknown, key: string): boolean {
  const places = [...(group?.querySelectorAll<HTMLElement>('[data-roving]') ?? [])];
  const from = places.indexOf(origin as HTMLElement);
  const boxes = places.map((place) => place.getBoundingClientRect());
  const to = from === -1 ? undefined : rovingTarget(key, from, boxes);
  if (to === undefined) return false;
  places[to]?.focus();
  return true;
}

/**
 * Returns the focus on unmount to the element that had it before. If that element was removed,
 * focuses the element with the id `fallback`.
 */
export function useReturnedFocus(fallback: string): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      const target =
        before instanceof HTMLElement && before !== document.body && before.isConnected ? before : undefined;
      (target ?? document.getElementById(fallback))?.focus({ preventScroll: true });
    };
  }, [fallback]);
}
