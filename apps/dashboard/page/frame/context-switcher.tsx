import { useId, type ReactNode } from 'react';
import type { PageAddress } from '../address/page-address.js';
import { go, PageLink, usePageAddress } from '../address/use-page-address.js';
import { useClusterInfo } from '../cluster/cluster.js';
import { plainText } from '../text/text.js';
import { contextColour } from './context.js';

/**
 * Renders the choice of the contexts: one, or several side by side. Renders nothing if the server
 * has only one.
 */
export function ContextSwitcher(): ReactNode {
  const { contexts: chosen } = usePageAddress();
  const { context, contexts } = useClusterInfo();
  const id = useId();
  const shown = chosen.length > 0 ? chosen : context === undefined ? [] : [context];
  // A link may name a context that the server does not have. The list includes this context, so
  // that the user can remove it.
  const all = [...new Set([...contexts, ...chosen])];
  if (all.length < 2) return null;
  return (
    <span className="menu-place">
      <button type="button" className="action" popoverTarget={id}>
        Contexts <span className="count">{shown.length > 1 ? `${shown.length} of ${all.length}` : all.length}</span>
      </button>
      <div id={id} popover="auto" className="menu context-menu" role="group" aria-label="Contexts">
        {all.map((name) => {
          const isShown = shown.includes(name);
          const next = isShown
            ? shown.filter((other) => other !== name)
            : all.filter((other) => other === name || shown.includes(other));
          return (
            <div key={name} className={`context-choice context-${contextColour(name)}`}>
              <label>
                <input
                  type="checkbox"
                  checked={isShown}
                  disabled={isShown && shown.length === 1}
                  onChange={() => {
                    go(({ filter }) => inContexts(next, filter));
                  }}
                />
                <span className="context-mark" aria-hidden="true" />
                {plainText(name, 80)}
              </label>
              <PageLink
                to={({ filter }) => inContexts([name], filter)}
                title={`Show ${plainText(name, 80)} alone`}
                isCurrent={isShown && shown.length === 1}
              >
                only
              </PageLink>
            </div>
          );
        })}
      </div>
    </span>
  );
}

/**
 * Returns the change of the address to other contexts. Drops the parts of the address that belong
 * to a single context.
 */
export function inContexts(contexts: readonly string[], { chosen, text }: PageAddress['filter']): Partial<PageAddress> {
  const { context: _context, node: _node, ...others } = chosen;
  return { contexts, filter: { chosen: others, text }, opened: undefined, at: undefined, namespace: undefined };
}
