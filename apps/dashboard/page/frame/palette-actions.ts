import { useState } from 'react';
import { go, usePageAddress } from '../address/use-page-address.js';
import { showTime, useIsPast } from '../history/shown-time.js';
import { toggleInformers } from './informers-panel.js';
import type { PaletteItem } from './palette-items.js';

/**
 * Returns the available actions: for the opened object, for the shown time, and for the address.
 */
export function useActions(): readonly PaletteItem[] {
  const { opened, order } = usePageAddress();
  const isPast = useIsPast();
  const [writes] = useState(offeredWrites);
  return [
    ...writes,
    action('informers', 'Show or hide the informers that run', toggleInformers),
    ...(isPast ? [action('live', 'Back to live', () => showTime(undefined))] : []),
    ...(order.length > 0 ? [action('trouble', 'Sort: trouble first', () => go({ order: [] }), 't')] : []),
    ...(opened === undefined ? [] : [action('close', 'Close the object', () => go({ opened: undefined }), 'Escape')]),
  ];
}

/** Copies the address of the page, which reproduces the current screen. */
export const copyLink: PaletteItem = action(
  'copy',
  'Copy a link to this screen',
  () => void navigator.clipboard.writeText(location.href),
);

function action(id: string, title: string, act: () => void, hint?: string): PaletteItem {
  return { id: `action ${id}`, kind: 'Action', title, act, ...(hint !== undefined && { hint }) };
}

/**
 * Returns the buttons of the opened object. A button exists only if the user may perform its
 * action, so the palette offers exactly the existing buttons.
 */
function offeredWrites(): readonly PaletteItem[] {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('.write-buttons button:enabled')];
  const name = document.querySelector('.drawer-name')?.textContent ?? '';
  return buttons.map((button) => {
    const title = button.textContent;
    return action(`write ${title}`, title, () => button.click(), name);
  });
}
