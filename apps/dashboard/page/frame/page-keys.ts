import { useEffect, useEffectEvent } from 'react';
import { go, pageAddress } from '../address/use-page-address.js';
import { isFiltering, noFilter } from '../pods/pod-filter.js';
import { pageViews } from './views.js';

/** The action of a key of the page. */
export type KeyAction =
  | { readonly type: 'palette' | 'keys' | 'filter' | 'escape' | 'trouble' | 'table' | 'copy' }
  | { readonly type: 'view'; readonly key: string };

export interface PressedKey {
  readonly key: string;
  readonly isControl: boolean;
  readonly isAlt: boolean;
  /** Whether the key types text, because the focus is in a field. */
  readonly isTyping: boolean;
  /**
   * The previous key, if it was pressed within the last 1.5 seconds, outside a field and without
   * Control or Alt.
   */
  readonly before: string | undefined;
}

/**
 * Returns the action of a key, wherever the focus is. Returns `undefined` for a key without an
 * action.
 */
export function keyAction({ key, isControl, isAlt, isTyping, before }: PressedKey): KeyAction | undefined {
  if (isControl && !isAlt && key.toLowerCase() === 'k') return { type: 'palette' };
  if (isControl || isAlt) return undefined;
  if (isTyping) return undefined;
  if (before === 'g' && pageViews.some((view) => view.key === key)) return { type: 'view', key };
  switch (key) {
    case '/':
      return { type: 'palette' };
    case '?':
      return { type: 'keys' };
    case 'f':
      return { type: 'filter' };
    case 't':
      return { type: 'trouble' };
    case 'c':
      return { type: 'copy' };
    case 'j':
    case 'k':
      return { type: 'table' };
    case 'Escape':
      return { type: 'escape' };
    default:
      return undefined;
  }
}

/** The maximum number of milliseconds between the two keys of a sequence. */
const together = 1500;

interface PageKeysOptions {
  readonly onPalette: () => void;
  readonly onKeys: () => void;
  readonly onCloseDrawer: () => void;
  readonly onCopy: () => void;
}

/** Handles the keys that work everywhere on the page. */
export function usePageKeys({ onPalette, onKeys, onCloseDrawer, onCopy }: PageKeysOptions): void {
  const act = useEffectEvent((action: KeyAction): void => {
    switch (action.type) {
      case 'palette':
        onPalette();
        return;
      case 'keys':
        onKeys();
        return;
      case 'filter':
        document.getElementById('pod-filter')?.focus();
        return;
      case 'table':
        document.getElementById('table')?.focus();
        return;
      case 'trouble':
        go({ order: [] });
        return;
      case 'copy':
        onCopy();
        return;
      case 'view': {
        const view = pageViews.find(({ key }) => key === action.key);
        if (view) go({ view: view.name });
        return;
      }
      case 'escape': {
        const { opened, filter } = pageAddress();
        if (opened) onCloseDrawer();
        else if (isFiltering(filter)) go({ filter: noFilter });
        return;
      }
    }
    action satisfies never;
  });
  useEffect(() => {
    let last: { readonly key: string; readonly at: number } | undefined;
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || isDialogOpen()) return;
      const before = last !== undefined && event.timeStamp - last.at < together ? last.key : undefined;
      const isInField = isField(event.target instanceof HTMLElement ? event.target : document.body);
      const isAlone = !isInField && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key !== 'Shift') last = isAlone ? { key: event.key, at: event.timeStamp } : undefined;
      const action = keyAction({
        key: event.key,
        isControl: event.ctrlKey || event.metaKey,
        isAlt: event.altKey,
        isTyping: isInField && event.key !== 'Escape',
        before,
      });
      if (action === undefined) return;
      event.preventDefault();
      act(action);
    };
    addEventListener('keydown', onKeyDown);
    return () => {
      removeEventListener('keydown', onKeyDown);
    };
  }, []);
}

/** Returns whether a dialog or a menu is open. Dialogs and menus have their own keys. */
function isDialogOpen(): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  if (typeof CSS === 'undefined' || !CSS.supports('selector(:popover-open)')) return false;
  return document.querySelector(':popover-open') !== null;
}

function isField(element: HTMLElement): boolean {
  return element.matches(
    'input:not([type="checkbox"], [type="radio"], [type="range"]), select, textarea, [contenteditable]',
  );
}
