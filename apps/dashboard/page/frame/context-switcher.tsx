import { useId, type ReactNode } from 'react';
import { type AddressChange, PageLink, usePageAddress } from '../address/use-page-address.js';
import { useClusterInfo } from '../cluster/cluster.js';
import { plainText } from '../text/text.js';
import { contextColour } from './context.js';

/** Renders links to the contexts of the server. Renders nothing if the server has only one. */
export function ContextSwitcher(): ReactNode {
  const { context: chosen } = usePageAddress();
  const { context, contexts } = useClusterInfo();
  const id = useId();
  const shown = chosen ?? context;
  // A link may name a context that the server does not have. The list then still names what is
  // shown.
  const all = [...new Set([...contexts, ...(chosen === undefined ? [] : [chosen])])];
  if (all.length < 2) return null;
  return (
    <span className="menu-place">
      <button type="button" className="action" popoverTarget={id}>
        Contexts <span className="count">{all.length}</span>
      </button>
      <ul id={id} popover="auto" className="menu context-menu" aria-label="Contexts">
        {all.map((name) => (
          <li key={name} className={`context-${contextColour(name)}`}>
            <PageLink to={inContext(name)} isCurrent={name === shown}>
              <span className="context-mark" aria-hidden="true" /> {plainText(name, 80)}
            </PageLink>
          </li>
        ))}
      </ul>
    </span>
  );
}

/**
 * Returns the change of the address to another context. Drops the parts of the address that belong
 * to the context before.
 */
export function inContext(context: string): AddressChange {
  return ({ filter: { chosen, text } }) => {
    const { node: _, ...others } = chosen;
    return { context, filter: { chosen: others, text }, opened: undefined, at: undefined, namespace: undefined };
  };
}
