import { existsSync, readFileSync } from 'node:fs';
import type { PagesOfKind } from '../../scripts/docs/pages.js';

/** An entry of the sidebar, in the form that VitePress expects. */
export interface SidebarItem {
  text: string;
  link?: string;
  collapsed?: boolean;
  items?: SidebarItem[];
}

/**
 * Returns the sidebar: a section for each kind of pages, and in it an item for each page.
 *
 * @param api the pages of the API, which follow the pages of the reference; empty if there are none
 */
export function sidebar(kinds: readonly PagesOfKind[], api: SidebarItem[]): SidebarItem[] {
  return kinds.map(({ folder, title, pages }) => ({
    text: title,
    collapsed: folder === 'contributing/decisions',
    items: [
      ...pages.map((page) => ({ text: page.title, link: `/${page.path.replace(/(README)?\.md$/, '')}` })),
      ...(folder === 'reference' && api.length > 0
        ? [{ text: 'API', link: '/reference/api/', collapsed: true, items: api }]
        : []),
    ],
  }));
}

/** Returns the first page of the sidebar. */
export function firstPage(items: readonly SidebarItem[]): string {
  return items[0]?.items?.[0]?.link ?? '/';
}

/** Returns the pages of the API that scripts/api.ts wrote. */
export function apiPages(docs: string): SidebarItem[] {
  const file = `${docs}/reference/api/sidebar.json`;
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SidebarItem[]) : [];
}
