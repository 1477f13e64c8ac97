import { useState, type FocusEvent, type KeyboardEvent } from 'react';
import { rovingTarget } from '../model/roving-target.js';

export interface RovingFocus {
  /** For the group: arrows, Home and End move the focus among what has `data-roving` in it. */
  readonly group: {
    readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
    readonly onFocus: (event: FocusEvent<HTMLElement>) => void;
  };
  /** Which one Tab leads to: the one that was focused last, or the first where that is gone. */
  readonly stop: string | undefined;
}

/** One stop of the Tab key for a group of many buttons, each of which has one of these names as its `data-roving`. */
export function useRovingFocus(names: readonly string[]): RovingFocus {
  const [focused, setFocused] = useState<string>();
  return {
    stop: focused !== undefined && names.includes(focused) ? focused : names[0],
    group: {
      onKeyDown(event) {
        const places = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-roving]')];
        const from = places.indexOf(event.target as HTMLElement);
        const boxes = places.map((place) => place.getBoundingClientRect());
        const to = from === -1 ? undefined : rovingTarget(event.key, from, boxes);
        if (to === undefined) return;
        event.preventDefault();
        places[to]?.focus();
      },
      onFocus(event) {
        const { roving } = event.target.dataset;
        if (roving !== undefined) setFocused(roving);
      },
    },
  };
}
