import { useSyncExternalStore, type MouseEvent, type ReactNode } from 'react';
import { formatAddress, parseAddress, type PageAddress } from './page-address.js';

/** A change of the address. Fields that the change does not name keep their values. */
export type AddressChange = Partial<PageAddress> | ((address: PageAddress) => Partial<PageAddress>);

const listeners = new Set<() => void>();
let read = { search: '', address: parseAddress('') };

/**
 * The query string that the browser's history has not accepted yet. Safari accepts a hundred
 * changes in 30 seconds and throws on the next one.
 */
let ahead: string | undefined;

/** Whether the user returned to this address with Back or Forward. */
let isRevisited = false;

/** Returns whether Back or Forward made the last change of the address. */
export function cameBack(): boolean {
  return isRevisited;
}

/**
 * Returns the current address of the page. Parts of the address that did not change stay the same
 * objects.
 */
export function pageAddress(): PageAddress {
  const search = ahead ?? location.search;
  if (search !== read.search) read = { search, address: sharing(read.address, parseAddress(search)) };
  return read.address;
}

/** Returns the address of the page, and renders the component again when the address changes. */
export function usePageAddress(): PageAddress {
  return useSyncExternalStore(subscribe, pageAddress);
}

/**
 * Changes the address. Adds a history entry, so that Back undoes the change. With `replace`, adds
 * no entry. Use `replace` for changes with every typed letter, and for changes that the page makes
 * by itself.
 */
export function go(change: AddressChange, { replace = false }: { readonly replace?: boolean } = {}): void {
  const target = hrefOf(change);
  if (target === hrefOf({})) return;
  isRevisited = false;
  write(target, replace);
  for (const listener of [...listeners]) listener();
}

/** Milliseconds until the address is written again after the history refused it. */
const patience = 2000;
let retry: ReturnType<typeof setTimeout> | undefined;

function write(target: string, replace: boolean): void {
  try {
    if (replace) history.replaceState(history.state, '', target);
    else history.pushState(null, '', target);
    ahead = undefined;
  } catch {
    ahead = target.slice(location.pathname.length);
    clearTimeout(retry);
    retry = setTimeout(() => {
      if (ahead !== undefined) write(`${location.pathname}${ahead}`, true);
    }, patience);
  }
}

/** Returns the `href` of a link to a changed address. */
export function hrefOf(change: AddressChange): string {
  const address = pageAddress();
  const changes = typeof change === 'function' ? change(address) : change;
  return `${location.pathname}${formatAddress({ ...address, ...changes }, ahead ?? location.search)}`;
}

/**
 * Keeps the parts of the previous address that did not change. Code that depends on the filter does
 * not run again when only the order changes.
 */
function sharing(before: PageAddress, after: PageAddress): PageAddress {
  const parts = Object.entries(after).map(([name, value]: [string, unknown]) => {
    const known: unknown = before[name as keyof PageAddress];
    return [name, JSON.stringify(known) === JSON.stringify(value) ? known : value];
  });
  return Object.fromEntries(parts) as PageAddress;
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('popstate', revisit);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('popstate', revisit);
  };
}

function revisit(): void {
  ahead = undefined;
  isRevisited = true;
  for (const listener of [...listeners]) listener();
}

interface PageLinkProps {
  readonly to: AddressChange;
  readonly className?: string;
  readonly title?: string;
  /** Whether the link leads to the content that is shown now. */
  readonly isCurrent?: boolean;
  /**
   * Whether the Tab key skips the link. Set it for a link that the keys of its table also reach.
   */
  readonly isPassedOver?: boolean;
  readonly children: ReactNode;
}

/**
 * Renders a link within the page. A plain click changes the address. A click with Ctrl or the
 * middle button opens another tab, as with any link.
 */
export function PageLink({ to, isCurrent, isPassedOver, children, ...attributes }: PageLinkProps): ReactNode {
  usePageAddress();
  return (
    <a
      {...attributes}
      tabIndex={isPassedOver === true ? -1 : undefined}
      aria-current={isCurrent === true ? 'page' : undefined}
      href={hrefOf(to)}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

/** Returns whether a click opens the link here, not in another tab. */
export function isPlainClick({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey;
}
