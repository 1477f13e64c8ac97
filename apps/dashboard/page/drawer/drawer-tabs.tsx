import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import type { Opened } from '../address/page-address.js';
import { isPlainClick, go, hrefOf } from '../address/use-page-address.js';

/** The tabs of the drawer. Each name is the value of the parameter `tab` of the address. */
export type TabName = 'summary' | 'changes' | 'events' | 'logs' | 'yaml';

export interface DrawerTab {
  readonly name: TabName;
  readonly title: string;
  /** The number beside the title. */
  readonly count?: number | undefined;
}

interface DrawerTabsProps {
  readonly opened: Opened;
  readonly tabs: readonly DrawerTab[];
  readonly shown: TabName;
}

/** Renders the titles of the tabs. Each title is a link, and the arrow keys move between them. */
export function DrawerTabs({ opened, tabs, shown }: DrawerTabsProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const change = (name: TabName): { readonly opened: Opened } => ({
    opened: { ...opened, tab: name === 'summary' ? undefined : name },
  });

  function onKeyDown(event: KeyboardEvent): void {
    const at = tabs.findIndex(({ name }) => name === shown);
    const to = targetOf(event.key, at, tabs.length);
    const target = to === undefined ? undefined : tabs[to];
    if (!target) return;
    event.preventDefault();
    go(change(target.name), { replace: true });
    list.current?.querySelector<HTMLElement>(`[data-tab="${target.name}"]`)?.focus();
  }

  return (
    <div ref={list} className="drawer-tabs" role="tablist" aria-label="About this object" onKeyDown={onKeyDown}>
      {tabs.map(({ name, title, count }) => (
        <a
          key={name}
          role="tab"
          id={`tab-${name}`}
          data-tab={name}
          aria-selected={name === shown}
          aria-controls="drawer-tab"
          tabIndex={name === shown ? 0 : -1}
          href={hrefOf(change(name))}
          onClick={(event) => {
            if (!isPlainClick(event)) return;
            event.preventDefault();
            go(change(name), { replace: true });
          }}
        >
          {title}
          {count !== undefined && count > 0 && <span className="count">{count}</span>}
        </a>
      ))}
    </div>
  );
}

function targetOf(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % length;
    case 'ArrowLeft':
      return (at + length - 1) % length;
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return undefined;
  }
}
