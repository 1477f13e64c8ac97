import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useByIndex } from 'rx-informers/react';
import { go, usePageAddress, type AddressChange } from '../address/use-page-address.js';
import type { ClusterInfo } from '../cluster/cluster-info.js';
import { useClusterInfo } from '../cluster/cluster.js';
import { useTotals } from '../facets/facet-counts.js';
import { facetName, mainFacets } from '../facets/facet-names.js';
import { valueText } from '../facets/facet-value.js';
import { noFilter, splitPair, toggled } from '../pods/pod-filter.js';
import { countText, plainText } from '../text/text.js';
import { typedOf } from '../text/typed.js';
import { inContext } from './context-switcher.js';
import { copyLink, useActions } from './palette-actions.js';
import { matchingItems, type PaletteItem } from './palette-items.js';
import { useKinds, useObjects } from './palette-objects.js';
import { themes, type Theme } from './theme.js';
import { pageViews } from './views.js';

interface PaletteProps {
  readonly onTheme: (theme: Theme) => void;
  readonly onKeys: () => void;
  /** Copies the kubectl command of what the page shows. */
  readonly onCopy: () => void;
  /** Starts or stops the notifications about the filtered pods. */
  readonly onWatch: () => void;
  readonly isWatching: boolean;
  readonly onClose: () => void;
}

/** Renders the palette: the user types a few letters to go anywhere or to perform any action. */
export function Palette({ onClose, ...commandsOfPage }: PaletteProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const commands = useCommands(commandsOfPage);
  const actions = useActions();
  const objects = useObjects(typed);
  const kinds = useKinds(typed);
  const { words, selector, problem } = typedOf(typed);
  const items =
    selector === undefined
      ? matchingItems([...actions, ...commands, ...kinds, ...objects], words)
      : [filterBy(selector, typed), ...matchingItems(objects, words)];
  const active = Math.min(at, items.length - 1);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);

  const choose = (item: PaletteItem | undefined): void => {
    if (item === undefined) return;
    dialog.current?.close();
    const { act } = item;
    if (typeof act === 'object' && 'href' in act) location.assign(act.href);
    else if (typeof act === 'function' && act.length === 0) (act as () => void)();
    else go(act as Parameters<typeof go>[0]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(items.length - 1, active + step));
      setAt(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(items[active]);
    }
  };

  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Go to"
      onClose={onClose}
      onKeyDown={(event) => {
        // Escape closes only the palette.
        if (event.key === 'Escape') event.stopPropagation();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Go to an object, a kind or a view, or run an action"
        aria-expanded={items.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={items.length > 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        placeholder="Go to a pod, a kind, a view… or run an action"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label="Places">
        {items.map((item, index) => (
          <li
            key={item.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerMove={() => {
              if (index !== active) setAt(index);
            }}
            onClick={() => {
              choose(item);
            }}
          >
            <span className="palette-kind">{item.kind}</span>
            <span className="palette-title">{plainText(item.title, 120)}</span>
            {item.hint !== undefined && <span className="fine">{plainText(item.hint, 80)}</span>}
          </li>
        ))}
      </ul>
      {problem !== undefined && (
        <p className="fine palette-none" role="status">
          {plainText(problem)}
        </p>
      )}
      {items.length === 0 && <p className="fine palette-none">No results.</p>}
    </dialog>
  );
}

/** Returns the item that filters the page by a typed label selector. */
function filterBy(selector: string, typed: string): PaletteItem {
  const change: AddressChange = ({ filter }) => ({ filter: { ...filter, text: typed.trim() } });
  return { id: 'selector', kind: 'Filter', title: `labels ${selector}`, act: change };
}

/**
 * Returns the items that are available before anything is typed: views, values of facets, themes,
 * contexts.
 */
function useCommands(page: Omit<PaletteProps, 'onClose'>): readonly PaletteItem[] {
  const { onTheme, onKeys, onCopy, onWatch, isWatching } = page;
  const { filter } = usePageAddress();
  const info = useClusterInfo();
  const totals = useTotals();
  const facets = mainFacets.filter(({ facet }) => facet !== 'node');
  const rows = [
    useByIndex(totals, 'facet', 'namespace'),
    useByIndex(totals, 'facet', 'status'),
    useByIndex(totals, 'facet', 'owner'),
    useByIndex(totals, 'facet', 'app'),
  ];
  const values = facets.flatMap(({ facet }, position) =>
    (rows[position] ?? []).map(({ group, pods }): PaletteItem => {
      const [, value] = splitPair(group);
      return {
        id: group,
        kind: facetName(facet).title,
        title: valueText(facet, value),
        hint: `${countText(pods)} ${pods === 1 ? 'pod' : 'pods'}`,
        act: () => {
          go({ filter: toggled(filter, facet, value) });
        },
      };
    }),
  );
  return [
    ...pageViews.map((view): PaletteItem => ({
      id: `view ${view.name}`,
      kind: 'View',
      title: view.title,
      hint: `g ${view.key}`,
      act: { view: view.name },
    })),
    { id: 'clear', kind: 'Filter', title: 'Clear the filter', act: { filter: noFilter } },
    copyLink,
    { id: 'kubectl', kind: 'Action', title: 'Copy the kubectl command', hint: 'c', act: onCopy },
    {
      id: 'watch',
      kind: 'Action',
      title: isWatching ? 'Stop the notifications' : 'Notify me when other pods match the filter',
      act: onWatch,
    },
    { id: 'keys', kind: 'Help', title: 'Keys', hint: '?', act: onKeys },
    ...themes.map((theme): PaletteItem => ({
      id: `theme ${theme}`,
      kind: 'Theme',
      title: theme,
      act: () => {
        onTheme(theme);
      },
    })),
    ...contextItems(info),
    ...values,
  ];
}

/** Returns the other clusters of the dashboard's server. */
function contextItems({ context, contexts }: ClusterInfo): readonly PaletteItem[] {
  return [...new Set(contexts)]
    .filter((name) => name !== context)
    .map((name) => ({ id: `context ${name}`, kind: 'Context', title: name, act: inContext(name) }));
}
